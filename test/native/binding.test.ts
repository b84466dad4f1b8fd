/** Binding by meaning against hwloc: real machines' topologies, described ones, and sysfs as both read it. */
import { expect } from 'chai';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { dryRun } from '../../src/binding/dry-run.js';
import { readMachine } from '../../src/binding/machine.js';
import { placesIn } from '../../src/binding/resolve.js';
import { parseBind } from '../../src/binding/spec.js';
import { nicPlace } from '../../src/binding/sysfs.js';
import { topologyHere } from '../../src/binding/topology-here.js';
import { BindingRefusal, type BindSpec } from '../../src/binding/types.js';
import { builtAddons } from '../../src/engine/load.js';
import { readTopology, TopologyError } from '../../src/topology/index.js';
import type { Topology } from '../../src/topology/types.js';
import { fakeRoot, writeFiles, writeMachine, type FakeShape } from '../unit/fake-machine.js';
import { projectRoot } from '../unit/project.js';

const withHwloc = builtAddons().includes('topology') ? describe : describe.skip;

const file = (name: string): string => join(projectRoot, 'test/fixtures/topologies', name);
const MLX5 = file('32em64t-2n8c2t-pci-normalio.xml');
const MLX4 = file('24em64t-2n6c2t-pci.xml');
const POWER = file('power8gpudistances.xml');

function specOf(text: string): BindSpec {
  const spec = parseBind(text);
  if (!spec.ok) throw new Error(spec.reason);
  return spec.value;
}

/** Lines of a dry run on a file, without their head; or why it is refused. */
function shown(xml: string, text: string, ranks: number): readonly string[] {
  const wish = { bind: specOf(text), overlap: false, membind: undefined, dryRun: { topology: xml, ranks } };
  const told = dryRun(wish, { launcher: null, rank: null, size: null, localRank: null, localSize: null });
  return told.ok ? told.value.trimEnd().split('\n').slice(1) : [told.reason];
}

/** Hardware threads of ranks. */
function places(topology: Topology, text: string, ranks: number): readonly number[] | string {
  const spec = specOf(text);
  if (spec.kind === 'keep') throw new Error(text);
  const found = placesIn(topology, { spec, ranks, overlap: false });
  return found.ok ? found.value : found.reason;
}

withHwloc('--bind on topologies of real machines', () => {
  it('two sockets, a ConnectX on the second: near', () => {
    expect(shown(MLX5, 'near:mlx5_0', 9)).to.deep.equal([
      ...[8, 9, 10, 11, 12, 13, 14, 15].map(
        (core, rank) => `local rank ${rank}: core ${core}, hardware thread ${core}, NUMA node 1 (mlx5_0: near)`,
      ),
      'local rank 8: core 0, hardware thread 0, NUMA node 0 (mlx5_0: distance 20)',
    ]);
  });

  it('two sockets, a ConnectX on the second: far', () => {
    expect(shown(MLX5, 'far:mlx5_0', 2)).to.deep.equal([
      'local rank 0: core 0, hardware thread 0, NUMA node 0 (mlx5_0: distance 20)',
      'local rank 1: core 1, hardware thread 1, NUMA node 0 (mlx5_0: distance 20)',
    ]);
  });

  it('two sockets whose cores are numbered in turn', () => {
    const topology = readTopology({ xml: MLX4 });
    expect(places(topology, 'near:mlx4_0', 7)).to.deep.equal([0, 2, 4, 6, 8, 10, 1]);
    expect(places(topology, 'far:mlx4_0', 7)).to.deep.equal([1, 3, 5, 7, 9, 11, 0]);
    expect(places(topology, 'far:ib0', 1)).to.deep.equal([1]);
    expect(places(topology, 'compact', 7)).to.deep.equal([0, 2, 4, 6, 8, 10, 1]);
    expect(places(topology, 'spread', 4)).to.deep.equal([0, 6, 1, 7]);
    expect(places(topology, 'numa:1', 2)).to.deep.equal([1, 3]);
    expect(places(topology, '0,12', 2)).to.equal(
      'local ranks 0 and 1 would share core 0: name other cores, or add --overlap to let ranks share cores',
    );
  });

  it('a POWER8 with GPUs on both sockets', () => {
    expect(shown(POWER, 'near:cuda3', 2)).to.deep.equal([
      'local rank 0: core 80, hardware thread 80, NUMA node 1 (cuda3: near)',
      'local rank 1: core 88, hardware thread 88, NUMA node 1 (cuda3: near)',
    ]);
    const topology = readTopology({ xml: POWER });
    expect(places(topology, 'far:cuda3', 5)).to.deep.equal([0, 8, 16, 24, 80]);
    expect(places(topology, 'core:80', 1)).to.deep.equal([80]);
    expect(places(topology, 'core:2', 1)).to.match(/^core 2 does not exist: there are 0-1,8-9,16-17/);
  });

  it('says in one sentence what it refuses', () => {
    expect(shown(MLX4, 'near:mlx5_0', 2)[0]).to.match(
      /^--bind near:mlx5_0 can't be had: the topology of \S+\.xml has no device "mlx5_0": use one of .*mlx4_0/,
    );
    expect(shown(MLX4, 'numa:1', 7)[0]).to.match(/^--bind numa:1 can't be had: 7 ranks of a host want a core each/);
    expect(shown(file('none.xml'), 'compact', 1)[0]).to.match(/none\.xml can't be read: there is no such file$/);
  });
});

withHwloc('--bind on described machines', () => {
  it('of eight packages', () => {
    const topology = readTopology({ synthetic: 'package:8 numa:1 core:2 pu:2' });
    expect(places(topology, 'spread', 8)).to.deep.equal([0, 4, 8, 12, 16, 20, 24, 28]);
    expect(places(topology, 'compact', 3)).to.deep.equal([0, 2, 4]);
    expect(places(topology, 'numa:7', 2)).to.deep.equal([28, 30]);
    expect(places(topology, 'near:mlx5_0', 1)).to.match(/has no device "mlx5_0": it has none$/);
  });

  it('of one core', () => {
    const topology = readTopology({ synthetic: 'core:1 pu:1' });
    for (const text of ['spread', 'compact', 'numa:0', '0']) expect(places(topology, text, 1), text).to.deep.equal([0]);
    expect(places(topology, 'compact', 2)).to.match(/want a core each/);
  });

  it('spreads over caches that are shared by some cores', () => {
    const topology = readTopology({ synthetic: 'package:1 numa:1 l3:4 core:2 pu:1' });
    expect(places(topology, 'spread', 4)).to.deep.equal([0, 2, 4, 6]);
  });
});

withHwloc('a machine by sysfs', () => {
  const root = fakeRoot();
  const names = ['HWLOC_FSROOT', 'HWLOC_COMPONENTS', 'HWLOC_XMLFILE', 'HWLOC_THISSYSTEM'] as const;
  const before = new Map(names.map((name) => [name, process.env[name]]));
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  const shapes: readonly FakeShape[] = [
    { packages: 1, nodesPerPackage: 1, coresPerNode: 1, threadsPerCore: 1, coresPerCache: 1, inTurn: false },
    { packages: 2, nodesPerPackage: 1, coresPerNode: 4, threadsPerCore: 2, coresPerCache: 4, inTurn: true },
    { packages: 2, nodesPerPackage: 4, coresPerNode: 4, threadsPerCore: 2, coresPerCache: 2, inTurn: false },
    { packages: 4, nodesPerPackage: 2, coresPerNode: 6, threadsPerCore: 4, coresPerCache: 3, inTurn: true },
    { packages: 8, nodesPerPackage: 1, coresPerNode: 2, threadsPerCore: 1, coresPerCache: 1, inTurn: true },
  ];
  for (const shape of shapes) {
    const { packages, nodesPerPackage, coresPerNode, threadsPerCore, inTurn } = shape;
    const what = `${packages}x${nodesPerPackage}x${coresPerNode}x${threadsPerCore}${inTurn ? ', numbered in turn' : ''}`;
    it(`is hwloc's: ${what}`, () => {
      writeMachine(root(), shape);
      process.env['HWLOC_FSROOT'] = root();
      process.env['HWLOC_COMPONENTS'] = 'linux,stop';
      const hwloc = readTopology({ devices: 'none' });
      const allowed = hwloc.threads.filter((thread) => thread.allowed).map(({ os }) => os);
      const own = readMachine({ allowed, root: join(root(), 'sys') });
      expect(hwloc.cores).to.have.length(packages * nodesPerPackage * coresPerNode);
      expect(own?.threads).to.deep.equal(hwloc.threads);
      expect(own?.cores.map(({ threads }) => threads)).to.deep.equal(hwloc.cores.map(({ threads }) => threads));
      expect(own?.packages.map(({ cpus }) => cpus)).to.deep.equal(hwloc.packages.map(({ cpus }) => cpus));
      const nodes = ({ numaNodes }: Topology): unknown => numaNodes.map(({ os, cpus }) => ({ os, cpus }));
      expect(own && nodes(own)).to.deep.equal(nodes(hwloc));
      expect(own?.distances).to.deep.equal(hwloc.distances);
      if (!own) return;
      for (const text of ['spread', 'compact', 'numa:0'])
        expect(places(own, text, coresPerNode), text).to.deep.equal(places(hwloc, text, coresPerNode));
    });
  }

  it("is hwloc's where processors are switched off, or a whole core", () => {
    writeMachine(root(), shapes[1] as FakeShape);
    // Of cores 0 and 8 one hardware thread is left, of core 3 none.
    const off = [1, 3, 8, 11];
    for (const cpu of off) {
      rmSync(join(root(), `sys/devices/system/cpu/cpu${cpu}/topology`), { recursive: true });
      writeFiles(root(), { [`sys/devices/system/cpu/cpu${cpu}/online`]: '0' });
    }
    writeFiles(root(), { 'sys/devices/system/cpu/online': '0,2,4-7,9-10,12-15' });
    process.env['HWLOC_FSROOT'] = root();
    process.env['HWLOC_COMPONENTS'] = 'linux,stop';
    const hwloc = readTopology({ devices: 'none' });
    const allowed = hwloc.threads.filter((thread) => thread.allowed).map(({ os }) => os);
    const own = readMachine({ allowed, root: join(root(), 'sys') });
    expect(own?.threads).to.deep.equal(hwloc.threads);
    expect(own?.cores.map(({ threads }) => threads)).to.deep.equal(hwloc.cores.map(({ threads }) => threads));
    for (const topology of own ? [own, hwloc] : []) {
      const compact = placesIn(topology, { spec: { kind: 'compact' }, ranks: 7, overlap: false });
      expect(compact).to.deep.equal({ ok: true, value: [0, 2, 4, 6, 5, 7, 9] });
      expect(topology.offline).to.deep.equal(off);
      const on = 'those that are on are 0,2,4-7,9-10,12-15';
      expect(places(topology, '0,3', 2)).to.equal(`core 3 is switched off: ${on}`);
      expect(places(topology, '11,3,16', 3)).to.equal(`cores 3,11 are switched off: ${on}`);
      expect(places(topology, '0,16', 2)).to.equal('core 16 does not exist: there are 0,2,4-7,9-10,12-15');
    }
  });

  it('says of a device without hardware that no core is near it', () => {
    for (const kind of ['near', 'far'] as const)
      expect(() => topologyHere({ kind, device: 'lo' }, null)).to.throw(
        TopologyError,
        'lo is made by the kernel alone, so no core is nearer to it than another: name cores, or the device below it',
      );
  });

  it('says where hwloc was kept from a device that the kernel has', function () {
    const device = readdirSync('/sys/class/net').find((name) => nicPlace(name) !== null);
    if (device === undefined) this.skip();
    process.env['HWLOC_COMPONENTS'] = '-linux';
    expect(() => topologyHere({ kind: 'near', device }, null)).to.throw(
      TopologyError,
      `hwloc does not find ${device}, which the kernel has, where HWLOC_COMPONENTS makes it look: unset it, or name cores`,
    );
  });

  it("is this machine's as hwloc has it", () => {
    const hwloc = readTopology({ devices: 'none' });
    const own = topologyHere({ kind: 'spread' }, null);
    expect(own.threads).to.deep.equal(hwloc.threads);
    expect(own.hwloc).to.equal('');
  });

  it("is hwloc's where hwloc has been told what to read, and refused where that may be another machine", () => {
    process.env['HWLOC_XMLFILE'] = MLX5;
    const sentence = `hwloc has been given the topology ${MLX5}, which may be of another machine: set HWLOC_THISSYSTEM=1 if it is of this one`;
    expect(() => topologyHere({ kind: 'spread' }, null)).to.throw(BindingRefusal, sentence);
  });

  it('is limited to what the process was started for', () => {
    const [first = 0] = readTopology({ devices: 'none' })
      .threads.filter((thread) => thread.allowed)
      .map(({ os }) => os);
    const topology = topologyHere({ kind: 'compact' }, [first]);
    expect(topology.threads.filter((thread) => thread.allowed).map(({ os }) => os)).to.deep.equal([first]);
  });
});
