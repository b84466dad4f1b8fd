/** topology.node over machines that are not at hand, and over this one. */
import { expect } from 'chai';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { getAffinity, setAffinity } from '../../src/engine/index.js';
import {
  allowedCores,
  coresByDistance,
  coresFromFarthest,
  deviceNamed,
  distanceToDevice,
  firstThread,
  readTopology,
  TopologyError,
  type Topology,
} from '../../src/topology/index.js';
import { projectRoot, withFolder } from '../unit/project.js';
import { withCpuset } from './cpuset.js';
import { caseFile, runCase } from './run-case.js';

const folder = join(projectRoot, 'test/fixtures/topologies');
const fileOf = (name: string): string => join(folder, `${name}.xml`);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.xml'))
  .map((file) => file.replace('.xml', ''));

const twoSockets = '32em64t-2n8c2t-pci-normalio';
const interleaved = '24em64t-2n6c2t-pci';

/** First hardware threads of cores in an order. */
function order(topology: Topology, from: typeof coresByDistance, name: string): number[] {
  return from(topology, deviceNamed(topology, name)).map((core) => firstThread(topology, core)?.os ?? NaN);
}

const near = (topology: Topology, name: string): number[] => order(topology, coresByDistance, name);
const far = (topology: Topology, name: string): number[] => order(topology, coresFromFarthest, name);
const range = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

describe('near and far cores of machines that are not at hand', () => {
  it('are right on two sockets', () => {
    const topology = readTopology({ xml: fileOf(twoSockets) });
    expect(near(topology, 'mlx5_0')).to.deep.equal([...range(8, 15), ...range(0, 7)]);
    expect(far(topology, 'mlx5_0')).to.deep.equal(range(0, 15));
    expect(near(topology, 'ib0')).to.deep.equal(near(topology, 'mlx5_0'));
    expect(near(topology, '0000:03:00.0')).to.deep.equal(range(0, 15));
    expect(
      topology.cores.map((core) => distanceToDevice(topology, core, deviceNamed(topology, 'cuda0'))),
    ).to.deep.equal([...Array<number>(8).fill(20), ...Array<number>(8).fill(0)]);
  });

  it('are right where the numbers alternate between sockets', () => {
    const topology = readTopology({ xml: fileOf(interleaved) });
    expect(near(topology, 'mlx4_0')).to.deep.equal([...range(0, 10, 2), ...range(1, 11, 2)]);
    expect(far(topology, 'mlx4_0')).to.deep.equal([...range(1, 11, 2), ...range(0, 10, 2)]);
    expect(near(topology, '0000:14:00.0')).to.deep.equal(far(topology, 'mlx4_0'));
  });

  it('are right where the numbers have gaps', () => {
    const topology = readTopology({ xml: fileOf('power8gpudistances') });
    expect(near(topology, 'cuda2')).to.deep.equal([80, 88, 96, 104, 0, 8, 16, 24]);
    expect(far(topology, 'nvml3')).to.deep.equal([0, 8, 16, 24, 80, 88, 96, 104]);
  });

  it('follow the matrix over eight packages', () => {
    const topology = readTopology({ xml: fileOf('eight-packages') });
    // The own package, those of the same half, the others.
    expect(near(topology, 'mlx5_2')).to.deep.equal([4, 5, 0, 1, 2, 3, ...range(6, 15)]);
    expect(far(topology, 'mlx5_2')).to.deep.equal([...range(8, 15), ...range(0, 3), 6, 7, 4, 5]);
    expect(far(topology, 'mlx5_4').slice(0, 8)).to.deep.equal(range(0, 7));
  });

  it('leave out what is forbidden or switched off, and go by packages where there are no distances', () => {
    const topology = readTopology({ xml: fileOf('sub-numa') });
    expect(topology.offline).to.deep.equal([11, 23]);
    expect(topology.threads.filter(({ allowed }) => !allowed).map(({ os }) => os)).to.deep.equal([1, 13, 10]);
    expect(near(topology, 'mlx5_0')).to.deep.equal([3, 4, 5, 0, 2, 6, 7, 8, 9, 22]);
    expect(near(topology, 'mlx5_1')).to.deep.equal([6, 7, 8, 9, 22, 0, 2, 3, 4, 5]);
    expect(far(topology, 'mlx5_0')).to.deep.equal([6, 7, 8, 9, 22, 0, 2, 3, 4, 5]);
    expect(far(topology, 'mlx5_1')).to.deep.equal([0, 2, 3, 4, 5, 6, 7, 8, 9, 22]);
    for (const name of ['mlx5_2', 'rxe0']) {
      expect(() => near(topology, name)).to.throw(TopologyError, `does not say which NUMA node ${name} belongs to`);
    }
  });

  it('are those of one core where there is one', () => {
    const topology = readTopology({ xml: fileOf('one-core') });
    expect([near(topology, 'mlx5_0'), far(topology, 'mlx5_0')]).to.deep.equal([[0], [0]]);
  });

  it('are in logical order over cores of several kinds, whose kinds are told', () => {
    const topology = readTopology({ xml: fileOf('hybrid') });
    expect(near(topology, 'mlx5_0')).to.deep.equal(range(0, 5));
    expect(topology.cores.map(({ kind }) => kind)).to.deep.equal([1, 1, 0, 0, 0, 0]);
    expect(topology.kinds.map(({ efficiency, info }) => [efficiency, info['CoreType']])).to.deep.equal([
      [0, 'IntelAtom'],
      [1, 'IntelCore'],
    ]);
  });

  it('are refused for a device that there is not', () => {
    const topology = readTopology({ xml: fileOf('one-core') });
    const sentence = `the topology of ${fileOf('one-core')} has no device "mlx5_1": use one of mlx5_0`;
    expect(() => deviceNamed(topology, 'mlx5_1')).to.throw(TopologyError, sentence);
    const described = readTopology({ synthetic: 'package:8 core:2 pu:2' });
    expect(() => deviceNamed(described, 'mlx5_0')).to.throw(
      '"package:8 core:2 pu:2" has no device "mlx5_0": it has none',
    );
  });
});

describe('topologies against the tools of hwloc', () => {
  /** Numbers that hwloc-calc finds, by Linux's numbers. */
  const calc = (name: string, ...args: string[]): number[] =>
    execFileSync('hwloc-calc', ['-i', fileOf(name), '--disallowed', '--po', ...args], {
      encoding: 'utf8',
    })
      .split(/[,\s]+/)
      .filter((word) => word !== '')
      .map(Number);

  for (const name of names) {
    it(`${name} has the same objects and places`, () => {
      const topology = readTopology({ xml: fileOf(name) });
      const { packages, numaNodes, cores, threads } = topology;
      expect(['package', 'numanode', 'core', 'pu'].map((type) => calc(name, '-N', type, 'all')[0])).to.deep.equal(
        [packages, numaNodes, cores, threads].map(({ length }) => length),
      );
      expect(threads.map(({ os }) => os)).to.deep.equal(calc(name, '-I', 'pu', 'all'));
      for (const { os, cpus } of numaNodes) {
        expect([...cpus].sort((a, b) => a - b)).to.deep.equal(
          calc(name, '-I', 'pu', `numanode:${os}`).sort((a, b) => a - b),
        );
      }
      for (const device of topology.devices) {
        const place = device.name.includes(':') ? `pci=${device.name}` : `os=${device.name}`;
        expect(device.near ?? threads.map(({ os }) => os), device.name).to.deep.equal(calc(name, '-I', 'pu', place));
      }
    });
  }
});

describe('topologies that are described', () => {
  it('have what their descriptions say', () => {
    const shapes = ['package:8 core:4 pu:2', 'core:1 pu:1', 'numa:2 pu:4', 'package:2 [numa] core:3 pu:1'].map(
      (synthetic) => {
        const { threads, cores, packages, numaNodes, devices, distances } = readTopology({ synthetic });
        return [packages, numaNodes, cores, threads, devices].map(({ length }) => length).concat(distances ? 1 : 0);
      },
    );
    expect(shapes).to.deep.equal([
      [8, 1, 32, 64, 0, 0],
      [0, 1, 1, 1, 0, 0],
      [0, 2, 8, 8, 0, 0],
      [2, 2, 6, 6, 0, 0],
    ]);
    const { cores, threads } = readTopology({ synthetic: 'numa:2 core:2 pu:2(indexes=0,4,2,6,1,5,3,7)' });
    expect(cores.map((core) => core.threads)).to.deep.equal([
      [0, 4],
      [2, 6],
      [1, 5],
      [3, 7],
    ]);
    expect(threads.every(({ allowed }) => allowed)).to.equal(true);
  });

  it('are refused in one sentence where they describe none', () => {
    for (const synthetic of ['', 'x', 'core:1', 'package:2 core:0 pu:1', 'pu:2 core:2', 'package:-1 pu:1', 'core:']) {
      expect(() => readTopology({ synthetic })).to.throw(
        TopologyError,
        `hwloc does not understand the topology "${synthetic}"`,
      );
    }
    for (const synthetic of ['pu:20000', 'package:100 core:100 pu:100', 'core:99999999999999999999 pu:1']) {
      expect(() => readTopology({ synthetic })).to.throw(TopologyError, 'has more than 16384 hardware threads');
    }
  });
});

describe('files that hold no topology', () => {
  it('are refused in one sentence', () => {
    withFolder((temporary) => {
      const text = join(temporary, 'text.xml');
      writeFileSync(text, '<html></html>\n');
      const cases: [string, string][] = [
        [join(temporary, 'none.xml'), 'there is no such file'],
        [temporary, 'it is no regular file'],
        ['/dev/zero', 'it is no regular file'],
        [text, 'it is no XML of lstopo: write one with lstopo FILE.xml on the machine that is meant'],
      ];
      for (const [xml, cause] of cases) {
        expect(() => readTopology({ xml })).to.throw(TopologyError, `the topology ${xml} can't be read: ${cause}`);
      }
      expect(() => readTopology({ xml: text, synthetic: 'pu:1' })).to.throw(TopologyError, 'name one of them');
    });
  });

  it('are refused with their version where a later hwloc wrote them', () => {
    withFolder((temporary) => {
      const xml = join(temporary, 'later.xml');
      writeFileSync(
        xml,
        readFileSync(fileOf(twoSockets), 'utf8').replace('<topology version="2.0">', '<topology version="99.1">'),
      );
      expect(() => readTopology({ xml })).to.throw(
        TopologyError,
        /^the topology \S+ can't be read: hwloc 99 wrote it, and this one is \d\S*: write one with lstopo of hwloc \d+, or /,
      );
    });
  });

  it('or that are malformed neither end the process nor make it talk', () => {
    withFolder((temporary) => {
      const { code, signal, stdout, stderr } = runCase('topology-malformed', { args: [fileOf(twoSockets), temporary] });
      expect([code, signal, stderr]).to.deep.equal([0, null, '']);
      const outcomes = JSON.parse(stdout) as Record<string, string>;
      // What is beside the point can be read, and then all 32 are there; all else is refused, whichever of the two notices.
      const harmless = ['packages that are machines', 'distances of too few', 'distances of nodes that are not there'];
      const refusal =
        /^the topology FILE can't be read: (hwloc finds it malformed|it is malformed, for .+): write one with lstopo FILE\.xml on the machine that is meant$/;
      const later = 'a version that is to come';
      for (const [what, outcome] of Object.entries(outcomes)) {
        if (what === later)
          expect(outcome).to.match(/^the topology FILE can't be read: hwloc \d+ wrote it, and this one is /);
        else if (harmless.includes(what))
          expect(outcome, what).to.satisfy((text: string) => text === '32 processors' || refusal.test(text));
        else expect(outcome, what).to.match(refusal);
      }
      expect(Object.keys(outcomes)).to.include.members([
        later,
        ...harmless,
        'a set of no processors',
        'cut at 0.5',
        'no sets',
        'nonsense',
      ]);
    });
  });

  it('leave nothing behind, nor do those that hold one', () => {
    const { code, stdout, stderr } = runCase('topology-often', { args: [fileOf(twoSockets)], node: ['--expose-gc'] });
    expect([code, stderr]).to.deep.equal([0, '']);
    const { before, after } = JSON.parse(stdout) as Record<
      'before' | 'after',
      { files: number; children: string; mib: number }
    >;
    expect([after.files, after.children]).to.deep.equal([before.files, '']);
    // 300 topologies that are not given back are some 90 MiB.
    expect(after.mib - before.mib).to.be.below(30);
  });
});

describe('the topology of this machine', () => {
  it('is what Linux says', () => {
    const topology = readTopology();
    expect(topology).to.deep.include({ thisSystem: true, source: { kind: 'machine', name: topology.hostname } });
    for (const { os, numaNode } of topology.threads) {
      const linux = `/sys/devices/system/cpu/cpu${os}`;
      if (os !== 0) expect(existsSync(linux)).to.equal(true);
      if (existsSync('/sys/devices/system/node')) expect(existsSync(`${linux}/node${numaNode}`)).to.equal(true);
    }
    const nets = topology.devices.filter(({ kind }) => kind === 'network').map(({ name }) => name);
    for (const name of nets) expect(existsSync(`/sys/class/net/${name}`), name).to.equal(true);
    expect(readTopology({ devices: 'none' }).devices).to.deep.equal([]);
    expect(readTopology({ devices: 'no-gpus' }).devices.map(({ name }) => name)).to.include.members(nets);
  });

  it('allows the processors that the kernel allows, whatever this process is bound to', () => {
    const { code, stdout, stderr } = runCase('topology-allowed');
    expect([code, stderr]).to.deep.equal([0, '']);
    const said = JSON.parse(stdout) as Record<'allowed' | 'permitted', number[]>;
    expect(said.allowed).to.deep.equal(said.permitted);
    const before = getAffinity();
    const [first = 0] = before;
    setAffinity([first]);
    const bound = readTopology({ devices: 'none' });
    setAffinity(before);
    expect(bound.threads.filter(({ allowed }) => allowed).map(({ os }) => os)).to.have.members(said.allowed);
    expect(getAffinity()).to.deep.equal(before);
    expect(allowedCores(bound)).not.to.be.empty;
  });

  it('allows no processor that a cgroup forbids', () => {
    const all = readTopology({ devices: 'none' }).threads.filter(({ allowed }) => allowed);
    const last = Math.max(...all.map(({ os }) => os));
    withCpuset(last, (join) => {
      // Where no cgroup can be made the process stays where it is, and the kernel's word must do.
      const script = join === null ? 'exec "$@"' : `echo $$ >${join} && exec "$@"`;
      const args = ['-c', script, 'bash', process.execPath, caseFile('topology-allowed')];
      const { status, stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8' });
      expect([status, stderr]).to.deep.equal([0, '']);
      const said = JSON.parse(stdout) as Record<'allowed' | 'permitted' | 'cores', number[]>;
      expect(said.allowed).to.deep.equal(said.permitted);
      if (join !== null) expect([said.allowed, said.cores]).to.deep.equal([[last], [last]]);
    });
  });
});

describe('where a topology comes from that nobody names', () => {
  const sourceOf = (env: Record<string, string>): Record<string, unknown> => {
    const { code, stdout, stderr } = runCase('topology-source', { env });
    expect([code, stderr]).to.deep.equal([0, '']);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  it('is this machine, and no library of MPI, UCX or verbs', () => {
    const { loaded, thisSystem } = sourceOf({});
    expect([loaded, thisSystem]).to.deep.equal([['libhwloc'], true]);
  });

  it("are hwloc's own variables, the description first", () => {
    const xml = fileOf(twoSockets);
    expect(sourceOf({ HWLOC_XMLFILE: xml })).to.deep.include({
      source: { kind: 'xml', name: xml },
      thisSystem: false,
      threads: 32,
    });
    expect(sourceOf({ HWLOC_SYNTHETIC: 'pu:3', HWLOC_XMLFILE: xml })).to.deep.include({
      source: { kind: 'synthetic', name: 'pu:3' },
      threads: 3,
    });
    expect(sourceOf({ HWLOC_SYNTHETIC: '', HWLOC_XMLFILE: '' })).to.have.nested.property('source.kind', 'machine');
    expect(sourceOf({ HWLOC_XMLFILE: xml, HWLOC_THISSYSTEM: '1' })).to.deep.include({ thisSystem: true });
  });

  it('are refused in one sentence where they are no good', () => {
    const { stdout } = runCase('topology-source', { env: { HWLOC_XMLFILE: '/nowhere.xml' } });
    expect(stdout).to.equal("TopologyError: the topology /nowhere.xml can't be read: there is no such file");
    expect(runCase('topology-source', { env: { HWLOC_SYNTHETIC: 'x' } }).stdout).to.match(
      /^TopologyError: hwloc does not/,
    );
  });
});

describe('topology.node that is not built', () => {
  it('is said in one sentence', () => {
    const sources = join(dirname(fileURLToPath(import.meta.url)), '../../src');
    withFolder((temporary) => {
      for (const part of ['engine', 'topology'])
        cpSync(join(sources, part), join(temporary, part), { recursive: true });
      writeFileSync(join(temporary, 'package.json'), '{"type":"module"}');
      mkdirSync(join(temporary, 'native'));
      const script = `
        import { readTopology } from ${JSON.stringify(pathToFileURL(join(temporary, 'topology/index.js')).href)};
        try { readTopology(); } catch (error) { console.log(error.name, error.reason, error.message); }`;
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
        encoding: 'utf8',
      });
      expect(stderr).to.equal('');
      expect(stdout).to.match(
        /^LoadError not-built topology\.node is not built \(looked for .*topology\.node\): install hwloc \(on Debian: apt-get install libhwloc-dev\), then npm run build\n$/,
      );
    });
  });
});
