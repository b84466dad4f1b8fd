/** `fabricbench doctor` on this machine and in jobs: against what other programs say, and between nodes that differ. */
import { assert } from 'chai';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, hostname, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { coreOf } from '../../src/binding/core-of.js';
import type { Difference, Finding, NodeReport } from '../../src/doctor/types.js';
import { parseCpuList } from '../../src/engine/affinity.js';
import { plantMachine, type Tree } from '../unit/doctor-root.js';
import { describeUnder, launch, unbound, type Launched, type LaunchOptions } from './mpirun.js';
import { program } from './output.js';
import { processorsOf } from './processes.js';

const script = program('fabricbench');
const doctor = ['doctor', '--json'];

interface Told {
  readonly spoils: boolean;
  readonly nodes: readonly NodeReport[];
  readonly differences: readonly Difference[];
}

/** This machine, by a process of its own; `wrap` runs Node. */
function examined(wrap: readonly string[] = [], env: NodeJS.ProcessEnv = process.env): Told & { code: number | null } {
  const [command = '', ...args] = [...wrap, process.execPath, script, ...doctor];
  const { status, stdout, stderr } = spawnSync(command, args, { env, encoding: 'utf8', timeout: 60_000 });
  assert.equal(stderr, '');
  return { ...(JSON.parse(stdout) as Told), code: status };
}

function found({ nodes }: Told, check: string): Finding {
  const finding = nodes[0]?.findings.find((one) => one.check === check);
  if (!finding) throw new Error(`nothing is said of ${check}`);
  return finding;
}

const says = (command: string): string => execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trim();
const textOf = (path: string): string => readFileSync(path, 'utf8').trim();

describe('the doctor on this machine', () => {
  let told: Told & { code: number | null };
  before(() => {
    told = examined();
  });

  it('ends as it judges', () => {
    assert.equal(told.code, told.spoils ? 1 : 0);
    const bad = told.nodes.flatMap(({ findings }) => findings).filter(({ verdict }) => verdict === 'bad');
    assert.equal(told.spoils, bad.length > 0);
    assert.deepEqual(told.differences, []);
  });

  it('knows its name, its kernel and its versions', () => {
    const [node] = told.nodes;
    assert.equal(node?.host, hostname());
    assert.equal(node?.ranks, null);
    assert.include(node?.facts, { kernel: release(), 'Node.js': process.version });
  });

  it('sees as many cores as this process may use, and no more with fewer', () => {
    const cores = new Set(
      says('lscpu -p=CPU,CORE,SOCKET,ONLINE')
        .split('\n')
        .filter((line) => !line.startsWith('#'))
        .map((line) => line.split(',').slice(1).join()),
    );
    assert.match(
      found(told, 'cores').found,
      new RegExp(`^(${cores.size} cores?, all|\\d+ of ${cores.size} cores) allowed`),
    );
    const [first = 0] = parseCpuList(processorsOf(process.pid)[0] ?? '');
    const fewer = found(examined(['taskset', '-c', String(first)]), 'cores');
    if (availableParallelism() > 1 && cores.size > 1)
      assert.equal(fewer.found, `1 of ${cores.size} cores allowed (processor ${first})`);
  });

  it('tells the limit of locked memory as the shell does', () => {
    const kilobytes = (limit: string): string => (limit === 'unlimited' ? limit : String(Number(limit)));
    const limited = examined(['prlimit', '--memlock=131072:1048576']);
    assert.match(found(limited, 'memlock limit').found, /^soft 128 KiB, hard 1 MiB/);
    const [soft, hard] = [says('ulimit -S -l'), says('ulimit -H -l')].map(kilobytes);
    if (soft === 'unlimited') assert.match(found(told, 'memlock limit').found, /^soft unlimited/);
    if (hard === 'unlimited') assert.match(found(told, 'memlock limit').found, /hard unlimited/);
  });

  it('tells what the kernel says of memory, clock and network', () => {
    const thp = '/sys/kernel/mm/transparent_hugepage/enabled';
    if (existsSync(thp))
      assert.include(found(told, 'huge pages (THP)').found, /\[(\w+)\]/.exec(textOf(thp))?.[1] ?? 'nothing');
    const source = '/sys/devices/system/clocksource/clocksource0/current_clocksource';
    assert.equal(found(told, 'clock source').found, existsSync(source) ? textOf(source) : 'the kernel does not say');
    const balancing = '/proc/sys/kernel/numa_balancing';
    if (existsSync(balancing))
      assert.match(found(told, 'NUMA balancing').found, textOf(balancing) === '0' ? /^off;/ : /^on /);
    for (const name of readdirSync('/sys/class/net').filter((one) => existsSync(`/sys/class/net/${one}/device`))) {
      const state = textOf(`/sys/class/net/${name}/operstate`);
      if (state !== 'unknown') assert.isTrue(found(told, name).found.startsWith(state), name);
      if (state !== 'down') assert.equal(found(told, `${name} MTU`).found, textOf(`/sys/class/net/${name}/mtu`));
    }
    const virtual = /^flags\s*:.*\bhypervisor\b/m.test(textOf('/proc/cpuinfo'));
    if (virtual) assert.match(found(told, 'virtual machine').found, /^yes/);
  });

  it('sees the governor, or that there is none', () => {
    const path = '/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor';
    const { found: text, verdict } = found(told, 'governor');
    if (existsSync(path)) assert.include(text, textOf(path));
    else assert.equal(verdict, 'unknown');
  });

  it('finds the mpirun that a shell finds', () => {
    const path = says('command -v mpirun || true');
    assert.isTrue(found(told, 'mpirun').found.startsWith(path === '' ? 'none in PATH' : `${path}, `));
  });

  it('sees who else uses a processor', async () => {
    const [cpu = 0] = parseCpuList(processorsOf(process.pid)[0] ?? '');
    const rival = spawn('taskset', ['-c', String(cpu), process.execPath, '-e', 'console.log(1); for (;;);']);
    try {
      await once(rival.stdout, 'data');
      const load = found(examined(['taskset', '-c', String(cpu)]), 'load');
      assert.equal(load.verdict, 'bad');
      assert.match(load.found, new RegExp(`^busy: ${cpu} \\(\\d+ %\\) in 0\\.2 s`));
    } finally {
      rival.kill('SIGKILL');
    }
  });

  it('sees settings that slow UCX down', () => {
    const slow = examined([], { ...process.env, UCX_LOG_LEVEL: 'debug' });
    assert.equal(found(slow, 'UCX_LOG_LEVEL').verdict, 'bad');
    assert.equal(slow.code, 1);
  });
});

/** What rank 0 said; launchers tell of its exit code on stderr. */
function toldBy({ stdout, report, hung, strays }: Launched): Told {
  assert.deepEqual([hung, strays], [false, 0], report);
  try {
    return JSON.parse(stdout) as Told;
  } catch {
    throw new Error(`not one JSON text: ${report}`);
  }
}

const withoutSettings = { LD_PRELOAD: undefined, UCX_TLS: undefined, UCX_LOG_LEVEL: undefined };

for (const mpi of ['openmpi', 'mpich'] as const) {
  describeUnder(mpi)(`the doctor under mpirun of ${mpi}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'fabricbench-nodes-'));
    after(() => rmSync(folder, { recursive: true, force: true }));

    /** Ranks on machines that are folders, as many as named on each. */
    function onMachines(machines: readonly (readonly [number, Tree])[], ...options: string[]): Promise<Launched> {
      const roots = machines.map(([ranks, tree], index) => {
        const root = mkdtempSync(join(folder, `node${index}-`));
        plantMachine(root, tree);
        return [ranks, root] as const;
      });
      const [[np, first] = [1, ''], ...others] = roots;
      const where: LaunchOptions = { mpi, np, place: unbound({ mpi }), env: withoutSettings };
      const pml = mpi === 'openmpi' ? ['--mca', 'pml', 'ucx'] : [];
      const more = others.flatMap(([ranks, root]) => [
        ...[':', '-np', String(ranks), ...pml, process.execPath, script, 'doctor', '--sysroot', root, ...options],
      ]);
      return launch(script, ['doctor', '--sysroot', first, ...options, ...more], where);
    }

    it('looks at this machine once, for all ranks', async () => {
      const launched = await launch(script, doctor, { mpi, np: 3, place: unbound({ mpi }) });
      const { nodes, differences, spoils } = toldBy(launched);
      assert.deepEqual(differences, []);
      assert.deepEqual(
        nodes.map(({ host, ranks }) => [host, ranks]),
        [[hostname(), 3]],
      );
      assert.equal(launched.code, spoils ? 1 : 0, launched.report);
      const runs = new RegExp(`; the ranks run ${mpi === 'openmpi' ? 'Open MPI' : 'MPICH'}$`);
      assert.match(found({ nodes, differences, spoils }, 'MPI part').found, runs);
      assert.match(nodes[0]?.facts['MPI'] ?? '', mpi === 'openmpi' ? /^Open MPI/ : /^MPICH/);
      const { verdict } = found({ nodes, differences, spoils }, 'ranks and cores');
      const cores = new Set(parseCpuList(processorsOf(process.pid)[0] ?? '').map((cpu) => coreOf(cpu)));
      assert.equal(verdict, cores.size < 3 ? 'bad' : 'good');
    });

    it('finds nothing on nodes that are alike and well', async () => {
      const launched = await onMachines([
        [1, {}],
        [2, { 'proc/sys/kernel/hostname': 'node2\n', 'proc/sys/kernel/random/boot_id': 'x\n' }],
      ]);
      assert.equal(launched.code, 0, launched.report);
      assert.include(launched.stdout.replaceAll('\r', ''), 'nothing that was looked at differs between the 2 nodes\n');
      assert.notInclude(launched.stdout, '\u001b');
    });

    it('tells what differs between nodes', async () => {
      const launched = await onMachines(
        [
          [2, {}],
          [1, { 'proc/sys/kernel/hostname': 'node2\n', 'proc/sys/kernel/osrelease': '6.2.0\n' }],
        ],
        '--json',
      );
      const { nodes, differences } = toldBy(launched);
      assert.deepEqual(
        nodes.map(({ host, ranks }) => [host, ranks]),
        [
          ['node1', 2],
          ['node2', 1],
        ],
      );
      assert.deepEqual(differences, [
        {
          fact: 'kernel',
          values: [
            { value: '6.1.0', hosts: ['node1'] },
            { value: '6.2.0', hosts: ['node2'] },
          ],
        },
      ]);
      assert.equal(launched.code, 1, launched.report);
    });

    it('refuses wrong use once', async () => {
      const launched = await launch(script, ['doctor', '--ranks', 'x'], { mpi });
      assert.equal(launched.code, 2, launched.report);
      assert.lengthOf(launched.stderr.match(/is no number of ranks/g) ?? [], 1, launched.report);
    });

    it('says why ranks can not meet, and looks at its own node', async () => {
      const other = mpi === 'openmpi' ? 'mpich' : 'openmpi';
      const launched = await launch(script, doctor, { mpi, env: { FABRICBENCH_MPI: other } });
      const told = toldBy(launched);
      assert.equal(launched.code, 1, launched.report);
      assert.match(found(told, 'start of MPI').found, /does not belong to the MPI in use/);
      assert.isAbove(told.nodes[0]?.findings.length ?? 0, 15);
    });
  });
}
