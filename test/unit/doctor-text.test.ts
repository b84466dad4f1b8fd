/** What the doctor says: texts, JSON, exit codes, and what differs between nodes. */
import { expect } from 'chai';
import { answer } from '../../src/cli/fabricbench.js';
import { differencesOf } from '../../src/doctor/differences.js';
import { spoils } from '../../src/doctor/examine.js';
import { examineJob, type Place } from '../../src/doctor/job.js';
import { doctorJson, doctorText } from '../../src/doctor/text.js';
import type { Finding, NodeReport } from '../../src/doctor/types.js';
import type { Rendezvous } from '../../src/rendezvous/types.js';
import { findOn, withMachine, type Tree } from './doctor-root.js';

const good: Finding = { check: 'clock source', verdict: 'good', found: 'tsc', wanted: 'tsc', mend: null };
const bad: Finding = {
  ...{ check: 'governor', verdict: 'bad', found: 'powersave on all 128 processors', wanted: 'performance' },
  mend: 'cpupower frequency-set -g performance',
};
const note: Finding = {
  ...{ check: 'a name that is too long', verdict: 'note', wanted: 'little' },
  found: 'so much that it does not fit into a line of eighty columns, as may well happen',
  mend: null,
};

const node = (
  host: string,
  findings: readonly Finding[],
  facts: Readonly<Record<string, string>> = {},
): NodeReport => ({
  ...{ host, ranks: 2, findings, facts },
});

const textOf = (nodes: readonly NodeReport[], colour = false): string[] =>
  doctorText(nodes, differencesOf(nodes), { colour }).split('\n');

describe('what the doctor says', () => {
  it('of one node has what is bad first, and all in 80 columns', () => {
    expect(textOf([{ ...node('node1', [good, note, bad]), ranks: null }])).to.deep.equal([
      'node1: 3 findings: 1 bad, 1 note, 1 good',
      '',
      'bad     governor          powersave on all 128 processors',
      '          wanted          performance',
      '          mend            cpupower frequency-set -g performance',
      'note    a name that is too long',
      '                          so much that it does not fit into a line of eighty',
      '                          columns, as may well happen',
      '          wanted          little',
      'good    clock source      tsc',
      '          wanted          tsc',
      '',
      'What is bad would spoil results.',
      '',
    ]);
  });

  it('of several nodes leaves out what is good, and says once what is true of all', () => {
    const nodes = ['node1', 'node2', 'node3'].map((host) => node(host, [good, bad], { kernel: '6.1' }));
    expect(textOf(nodes)).to.deep.equal([
      'node1, node2, node3, 2 ranks each: 2 findings: 1 bad, 1 good',
      '',
      'bad     governor          powersave on all 128 processors',
      '          wanted          performance',
      '          mend            cpupower frequency-set -g performance',
      '',
      'good    nothing that was looked at differs between the 3 nodes',
      '',
      'What is bad would spoil results.',
      '',
    ]);
  });

  it('tells what differs between nodes, the most frequent first', () => {
    const nodes = [
      node('node1', [good], { kernel: '6.1', UCX: '1.13.1' }),
      node('node2', [good], { kernel: '6.2', UCX: '1.13.1' }),
      node('node3', [good], { kernel: '6.2', UCX: '1.13.1', 'setting UCX_TLS': 'tcp' }),
    ];
    expect(differencesOf(nodes)).to.deep.equal([
      { fact: 'kernel', values: [{ value: '6.2', hosts: ['node2', 'node3'] }, { value: '6.1', hosts: ['node1'] }] }, // prettier-ignore
      { fact: 'setting UCX_TLS', values: [{ value: null, hosts: ['node1', 'node2'] }, { value: 'tcp', hosts: ['node3'] }] }, // prettier-ignore
    ]);
    expect(textOf(nodes)).to.deep.equal([
      'node1, node2, node3, 2 ranks each: 1 finding: 1 good',
      '',
      'bad     differs between nodes: kernel: 6.2: node2, node3; 6.1: node1',
      'bad     differs between nodes: setting UCX_TLS: none: node1, node2; tcp: node3',
      '',
      'What is bad would spoil results.',
      '',
    ]);
    expect(spoils(nodes, differencesOf(nodes))).to.equal(true);
    expect(spoils(nodes, [])).to.equal(false);
  });

  it('cuts long lists of nodes', () => {
    const nodes = Array.from({ length: 12 }, (_, index) => node(`n${index}`, [], { kernel: index < 10 ? 'a' : 'b' }));
    expect(textOf(nodes).join(' ')).to.match(/kernel: a: n0, n1, n2, n3, n4, n5, n6, n7 and 2 +more; b: n10, n11/);
  });

  it('has colour where it is asked for alone', () => {
    const escape = '\u001b';
    expect(textOf([node('n', [bad])]).join('\n')).not.to.include(escape);
    expect(textOf([node('n', [bad])], true).join('\n')).to.include(`${escape}[31mbad${escape}[39m     governor`);
  });

  it('is whole in JSON', () => {
    const nodes = [node('n', [bad, good], { kernel: '6.1' })];
    expect(JSON.parse(doctorJson(nodes, []))).to.deep.equal({ spoils: true, nodes, differences: [] });
  });

  it('keeps within 80 columns on every machine', () => {
    const reports = [
      findOn(),
      findOn({ 'proc/cpuinfo': 'flags : hypervisor\n' }, { planned: 9, env: { UCX_TLS: 'tcp' } }),
    ];
    for (const line of reports.flatMap((report) => textOf([report]))) expect(line.length, line).to.be.at.most(80);
  });
});

describe('the facts that nodes are compared by', () => {
  it('have versions, hardware, settings and findings, and nothing that goes with the moment', () => {
    const { facts } = findOn(
      {},
      { env: { UCX_TLS: 'rc', SLURM_NODEID: '3', HOSTNAME: 'x', OMPI_MCA_plm: 'rsh', OMPI_MCA_btl: 'self' } },
    );
    expect(facts).to.include({
      ...{ 'Node.js': process.version, UCX: '1.13.1', kernel: '6.1.0', processor: 'A Processor', microcode: '0x1' },
      ...{ governor: 'performance on all 4 processors', memory: 'about 192 GiB', processors: '4', 'NUMA nodes': '2' },
      ...{ 'setting UCX_TLS': 'rc', 'firmware of mlx5_0': '16.35.2000', 'eth0 MTU': '9000' },
      'setting OMPI_MCA_btl': 'self',
    });
    expect(facts).not.to.have.any.keys('load', 'stolen time', 'timer cost', 'binding', 'cores');
    expect(facts).not.to.have.any.keys('setting SLURM_NODEID', 'setting OMPI_MCA_plm', 'setting HOSTNAME');
  });

  it('take the size of memory as it was bought', () => {
    const memory = (kilobytes: number) => findOn({ 'proc/meminfo': `MemTotal: ${kilobytes} kB\n` }).facts['memory'];
    expect([32_600_000, 131_500_000, 527_600_000, 528_900_000].map(memory)).to.deep.equal(
      [32, 128, 512, 512].map((size) => `about ${size} GiB`),
    );
  });
});

/** What rank `rank` of a job sees of these places and reports. */
function jobOf(rank: number, places: readonly Place[], reports: readonly (NodeReport | null)[]): Rendezvous {
  return {
    ...{ kind: 'mock', rank, size: places.length },
    allgather: () => places,
    gather: (own: unknown) => (rank === 0 ? [own, ...reports.slice(1)] : []),
  } as unknown as Rendezvous;
}

describe('the doctor in a job', () => {
  const places = [
    { node: 'a', cpus: [0] },
    { node: 'b', cpus: [0] },
    { node: 'a', cpus: [1] },
    { node: 'b', cpus: [1] },
  ];

  it('looks once on each node, while the others rest', () => {
    const seen = places.map((place, rank) => {
      const told: string[] = [];
      examineJob({
        ...{ rendezvous: jobOf(rank, places, []), place },
        examine: (ranks) => {
          told.push(`looks for ${JSON.stringify(ranks)}`);
          return node(place.node, []);
        },
        rest: () => told.push('rests'),
      });
      return told;
    });
    const rank = (number: number, cpu: number) => ({ rank: number, cpus: [cpu] });
    expect(seen).to.deep.equal([
      [`looks for ${JSON.stringify([rank(0, 0), rank(2, 1)])}`],
      [`looks for ${JSON.stringify([rank(1, 0), rank(3, 1)])}`],
      ['rests'],
      ['rests'],
    ]);
  });

  it('tells nodes of one name apart', () => {
    const reports = [null, node('same', []), null, null];
    const nodes = examineJob({
      ...{ rendezvous: jobOf(0, places, reports), place: { node: 'a', cpus: [0] } },
      examine: () => node('same', []),
      rest: () => undefined,
    });
    expect(nodes.map(({ host }) => host)).to.deep.equal(['same', 'same (2)']);
  });
});

describe('fabricbench doctor', () => {
  /** On the good machine with these changes; variables of this process that matter are left out. */
  async function run(changes: Tree, ...options: string[]) {
    const kept = { ...process.env };
    for (const name of Object.keys(process.env))
      if (/^(OMPI_|UCX_|LD_|FABRICBENCH_)|^LOADEDMODULES$/.test(name)) delete process.env[name];
    try {
      return await withMachine(changes, (root) => answer(['doctor', '--sysroot', root, ...options]));
    } finally {
      Object.assign(process.env, kept);
    }
  }

  it('ends with 0 where nothing is bad, and with 1 where something is', async () => {
    const well = await run({});
    expect([well.exitCode, well.stderr]).to.deep.equal([0, '']);
    expect(well.stdout)
      .to.match(/^node1: \d+ findings: /)
      .and.to.match(/\nNothing was found that would spoil results\.\n$/);
    const ill = await run({ 'proc/sys/kernel/numa_balancing': '1\n' });
    expect(ill.exitCode, ill.stdout).to.equal(1);
    expect(ill.stdout).to.include('bad     NUMA balancing    on (1); 2 NUMA nodes\n');
  });

  it('reckons with the ranks that are to come', async () => {
    const few = await run({}, '--ranks', '4', '--json');
    const many = await run({}, '--json', '--ranks', '5');
    expect([few.exitCode, many.exitCode]).to.deep.equal([0, 1]);
    const { nodes } = JSON.parse(many.stdout) as { nodes: NodeReport[] };
    expect(nodes[0]?.findings.filter(({ verdict }) => verdict === 'bad').map(({ found }) => found)).to.deep.equal([
      '5 ranks on 4 cores, all allowed',
    ]);
  });

  it('refuses what is wrong in one sentence', async () => {
    const cases: [string[], RegExp][] = [
      [['--ranks', '0'], /^fabricbench: --ranks: "0" is no number of ranks: .*\n$/],
      [['--ranks', '2x'], /^fabricbench: --ranks: "2x" is no number/],
      [['--ranks', '1', '--ranks', '2'], /^fabricbench: --ranks is given several times: give it once\n$/],
      [['--sysroot', '/nowhere/at/all'], /^fabricbench: --sysroot: there is no folder "\/nowhere\/at\/all": .*\n$/],
      [['--sysroot', ''], /^fabricbench: --sysroot: there is no folder ""/],
      [['--sysroot', '/etc/passwd'], /^fabricbench: --sysroot: there is no folder/],
      [
        ['--sysroot', '/proc/self/ns'],
        /^fabricbench: --sysroot: "\/proc\/self\/ns" has nothing in \/proc and \/sys: name one/,
      ],
      [['--json=yes'], /--json takes no value/],
      [['now'], /unknown/],
    ];
    for (const [options, sentence] of cases) {
      const { exitCode, stdout, stderr } = await answer(['doctor', ...options]);
      expect([exitCode, stdout], options.join(' ')).to.deep.equal([2, '']);
      expect(stderr).to.match(sentence);
    }
  });
});
