/** Machines made of a few files, for the doctor. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { examine } from '../../src/doctor/examine.js';
import { makeHost, type HostOptions, type RdmaHere } from '../../src/doctor/host.js';
import type { Finding, NodeReport } from '../../src/doctor/types.js';

/** Texts by path; `-> PATH` is a symbolic link, null takes a file away that another table has. */
export type Tree = Readonly<Record<string, string | null>>;

const perCpu = (file: string, text: (cpu: number) => string): Record<string, string> =>
  Object.fromEntries([0, 1, 2, 3].map((cpu) => [`sys/devices/system/cpu/cpu${cpu}/${file}`, text(cpu)]));

const CPUS = [0, 1, 2, 3].map((cpu) => `cpu${cpu} 100 0 100 9800 0 0 0 0 0 0`);
export const STAT = `cpu  400 0 400 39200 0 0 0 0 0 0\n${CPUS.join('\n')}\nintr 1 2 3\n`;
/** Twenty ticks later, in which the processors idled. */
export const STAT_IDLE = STAT.replaceAll('39200', '39280').replaceAll('9800', '9820');

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max locked memory         unlimited            unlimited            bytes
`;

const port = 'sys/class/infiniband/mlx5_0/ports/1';
const pci = 'sys/devices/pci0000:00/0000:00:01.0';
const ethernet = 'sys/devices/pci0000:00/0000:00:02.0';

/** Four cores of two NUMA nodes with InfiniBand: nothing on it is to be mended. */
export const goodMachine: Tree = {
  'proc/sys/kernel/hostname': 'node1\n',
  'proc/sys/kernel/random/boot_id': 'a-b-c\n',
  'proc/sys/kernel/osrelease': '6.1.0\n',
  'proc/sys/kernel/numa_balancing': '0\n',
  'proc/cmdline': 'BOOT_IMAGE=/vmlinuz quiet\n',
  'proc/cpuinfo': 'processor\t: 0\nmodel name\t: A Processor\nmicrocode\t: 0x1\nflags\t\t: fpu tsc constant_tsc\n',
  'proc/meminfo':
    'MemTotal:       197000000 kB\nHugePages_Total:     512\nHugePages_Free:      512\nHugepagesize:       2048 kB\n',
  'proc/stat': STAT,
  'proc/loadavg': '0.02 0.01 0.05 1/200 1234\n',
  'proc/self/status': 'Name:\tnode\nCapEff:\t0000000000000000\nCpus_allowed_list:\t0-3\n',
  'proc/self/limits': LIMITS,
  'proc/self/cgroup': '0::/user.slice/job\n',
  'proc/self/mountinfo': '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n',
  'sys/fs/cgroup/user.slice/job/cpu.max': 'max 100000\n',
  'sys/devices/system/cpu/online': '0-3\n',
  'sys/devices/system/cpu/isolated': '\n',
  'sys/devices/system/cpu/intel_pstate/no_turbo': '1\n',
  'sys/devices/system/cpu/vulnerabilities/meltdown': 'Not affected\n',
  ...perCpu('cpufreq/scaling_governor', () => 'performance\n'),
  ...perCpu('cpufreq/scaling_max_freq', () => '3000000\n'),
  ...perCpu('cpufreq/cpuinfo_max_freq', () => '3000000\n'),
  ...perCpu('cpuidle/state0/name', () => 'POLL\n'),
  ...perCpu('cpuidle/state0/latency', () => '0\n'),
  ...perCpu('cpuidle/state0/disable', () => '0\n'),
  ...perCpu('cpuidle/state1/name', () => 'C1\n'),
  ...perCpu('cpuidle/state1/latency', () => '2\n'),
  ...perCpu('cpuidle/state1/disable', () => '0\n'),
  'sys/devices/system/cpu/cpuidle/current_driver': 'intel_idle\n',
  ...perCpu('topology/thread_siblings_list', (cpu) => `${cpu}\n`),
  'sys/devices/system/node/online': '0-1\n',
  'sys/devices/system/node/node0/cpulist': '0-1\n',
  'sys/devices/system/node/node1/cpulist': '2-3\n',
  'sys/devices/system/clocksource/clocksource0/current_clocksource': 'tsc\n',
  'sys/kernel/mm/transparent_hugepage/enabled': 'always [madvise] never\n',
  'sys/kernel/mm/transparent_hugepage/defrag': 'always defer defer+madvise [madvise] never\n',
  [`${port}/state`]: '4: ACTIVE\n',
  [`${port}/phys_state`]: '5: LinkUp\n',
  [`${port}/rate`]: '100 Gb/sec (4X EDR)\n',
  [`${port}/link_layer`]: 'InfiniBand\n',
  [`${port}/counters/symbol_error`]: '0\n',
  'sys/class/infiniband/mlx5_0/fw_ver': '16.35.2000\n',
  'sys/class/infiniband/mlx5_0/device': '-> ../../../devices/pci0000:00/0000:00:01.0',
  [`${pci}/current_link_speed`]: '8.0 GT/s PCIe\n',
  [`${pci}/max_link_speed`]: '8.0 GT/s PCIe\n',
  [`${pci}/current_link_width`]: '16\n',
  [`${pci}/max_link_width`]: '16\n',
  'sys/class/net/eth0/operstate': 'up\n',
  'sys/class/net/eth0/speed': '10000\n',
  'sys/class/net/eth0/duplex': 'full\n',
  'sys/class/net/eth0/mtu': '9000\n',
  'sys/class/net/eth0/device': '-> ../../../devices/pci0000:00/0000:00:02.0',
  [`${ethernet}/vendor`]: '0x8086\n',
  'sys/class/net/lo/mtu': '65536\n',
  'usr/bin/mpirun': '-> /opt/openmpi/bin/orterun',
  'opt/openmpi/bin/orterun': '#!/bin/sh\n',
  'opt/openmpi/lib/openmpi/mca_pml_ob1.so': '',
  'opt/openmpi/lib/openmpi/mca_pml_ucx.so': '',
};

function plant(root: string, tree: Tree): void {
  for (const [name, text] of Object.entries(tree)) {
    const file = join(root, name);
    rmSync(file, { force: true });
    if (text === null) {
      prune(root, dirname(name));
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    if (text.startsWith('-> ')) symlinkSync(text.slice(3), file);
    else writeFileSync(file, text, { mode: 0o755 });
  }
}

/** Takes folders away that nothing is in any more. */
function prune(root: string, folder: string): void {
  if (folder === '.' || !existsSync(join(root, folder)) || readdirSync(join(root, folder)).length > 0) return;
  rmdirSync(join(root, folder));
  prune(root, dirname(folder));
}

let base: string | undefined;

/** The good machine's folder: made once, since it takes as long as a hundred looks at it. */
function goodRoot(): string {
  if (base !== undefined) return base;
  const root = mkdtempSync(join(tmpdir(), 'fabricbench-machine-'));
  process.on('exit', () => rmSync(root, { recursive: true, force: true }));
  plant(root, goodMachine);
  return (base = root);
}

/** A folder with the good machine and what differs from it, for as long as `use` takes. */
export function withMachine<T>(changes: Tree, use: (root: string) => T): T {
  const root = goodRoot();
  plant(root, changes);
  try {
    return use(root);
  } finally {
    const before = [...Object.keys(changes), 'proc/stat'].map((name) => [name, goodMachine[name] ?? null]);
    plant(root, Object.fromEntries(before) as Tree);
  }
}

/** A folder of its own with the good machine and what differs from it, to be given to processes. */
export function plantMachine(root: string, changes: Tree): void {
  plant(root, { ...goodMachine, ...changes });
}

export interface Circumstances extends Omit<HostOptions, 'root' | 'wait'> {
  /** /proc/stat at the second look. */
  readonly stat?: string;
}

export const infiniBand: RdmaHere = {
  device: 'mlx5_0',
  ports: [{ port: 1, state: 'ACTIVE', linkLayer: 'InfiniBand', activeMtu: 4096, maxMtu: 4096 }],
  problem: null,
};

const clock = { source: 'tsc', frequency: 3e9, resolution: 8e-9, readCost: 9e-9 } as const;

/** What the doctor finds on the good machine with these changes. */
export function findOn(changes: Tree = {}, circumstances: Circumstances = {}): NodeReport {
  const { stat = STAT_IDLE, ...options } = circumstances;
  return withMachine(changes, (root) => {
    const wait = (): number => {
      writeFileSync(join(root, 'proc/stat'), stat);
      return 0.2;
    };
    const env = { PATH: '/usr/local/bin:/usr/bin', HOME: '/root', ...options.env };
    const host = makeHost({
      clock,
      addons: ['engine', 'mpi-openmpi'],
      rdma: [infiniBand],
      ...options,
      env,
      root,
      wait,
    });
    return examine(host, '1.13.1');
  });
}

export function theOne({ findings }: NodeReport, check: string): Finding {
  const found = findings.filter((one) => one.check === check);
  const [first, ...others] = found;
  if (!first || others.length > 0) throw new Error(`${found.length} findings are named ${check}`);
  return first;
}
