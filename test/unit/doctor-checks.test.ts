/** Every check of the doctor, on machines of which one thing is not as it should be. */
import { expect } from 'chai';
import { examine } from '../../src/doctor/examine.js';
import { makeHost, type RdmaPortHere } from '../../src/doctor/host.js';
import type { Verdict } from '../../src/doctor/types.js';
import { findOn, infiniBand, STAT, STAT_IDLE, theOne, type Circumstances, type Tree } from './doctor-root.js';
import { withFolder } from './project.js';

const cpu = 'sys/devices/system/cpu';
const port = 'sys/class/infiniband/mlx5_0/ports/1';
const pci = 'sys/devices/pci0000:00/0000:00:01.0';
const thp = 'sys/kernel/mm/transparent_hugepage';
const netPci = 'sys/devices/pci0000:00/0000:00:02.0';

/** No RDMA device at all. */
const noRdma: Tree = {
  ...Object.fromEntries(
    ['state', 'phys_state', 'rate', 'link_layer', 'counters/symbol_error'].map((name) => [`${port}/${name}`, null]),
  ),
  'sys/class/infiniband/mlx5_0/fw_ver': null,
  'sys/class/infiniband/mlx5_0/device': null,
};

const roce: Tree = {
  [`${port}/link_layer`]: 'Ethernet\n',
  [`${port}/rate`]: '25 Gb/sec (1X EDR)\n',
  [`${port}/gid_attrs/ndevs/0`]: 'eth0\n',
};

const siblings: Tree = Object.fromEntries(
  [0, 1, 2, 3].map((one) => [`${cpu}/cpu${one}/topology/thread_siblings_list`, `${one % 2},${(one % 2) + 2}\n`]),
);

const limits = (soft: string, hard: string): string =>
  `Max locked memory         ${soft}            ${hard}    bytes\n`;
const status = (allowed: string, capabilities = '0'.repeat(16)): string =>
  `CapEff:\t${capabilities}\nCpus_allowed_list:\t${allowed}\n`;
/** Four processors, of which the second was busy or lost time. */
const statWith = (line: string): string => STAT_IDLE.replace(/^cpu1 .*$/m, line);
const mount = (line: string): Tree => ({ 'proc/self/mountinfo': `${line}\n` });

interface Case {
  readonly what: string;
  readonly tree?: Tree;
  readonly given?: Circumstances;
  readonly check: string;
  readonly verdict: Verdict;
  readonly found: string | RegExp;
  readonly mend?: string | RegExp;
}

const frequency: readonly Case[] = [
  {
    what: 'another governor on some processors',
    tree: { [`${cpu}/cpu2/cpufreq/scaling_governor`]: 'powersave\n' },
    check: 'governor',
    verdict: 'bad',
    found: 'performance on 0-1,3, powersave on 2',
    mend: 'cpupower frequency-set -g performance',
  },
  {
    what: 'no say in the frequency',
    tree: Object.fromEntries(
      [0, 1, 2, 3].flatMap((one) =>
        ['scaling_governor', 'scaling_max_freq', 'cpuinfo_max_freq'].map((name) => [
          `${cpu}/cpu${one}/cpufreq/${name}`,
          null,
        ]),
      ),
    ),
    check: 'governor',
    verdict: 'unknown',
    found: /no cpufreq/,
    mend: /intel_pstate/,
  },
  {
    what: 'boost by intel_pstate',
    tree: { [`${cpu}/intel_pstate/no_turbo`]: '0\n' },
    check: 'boost',
    verdict: 'note',
    found: 'on',
    mend: 'echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo',
  },
  {
    what: 'boost by cpufreq',
    tree: { [`${cpu}/intel_pstate/no_turbo`]: null, [`${cpu}/cpufreq/boost`]: '1\n' },
    check: 'boost',
    verdict: 'note',
    found: 'on',
    mend: 'echo 0 > /sys/devices/system/cpu/cpufreq/boost',
  },
  {
    what: 'boost off by amd_pstate',
    tree: { [`${cpu}/intel_pstate/no_turbo`]: null, [`${cpu}/cpufreq/policy0/boost`]: '0\n' },
    check: 'boost',
    verdict: 'good',
    found: 'off',
  },
  {
    what: 'processors that may not go up',
    tree: { [`${cpu}/cpu1/cpufreq/scaling_max_freq`]: '1500000\n' },
    check: 'frequency limit',
    verdict: 'note',
    found: '1 processor of 4 may go up to 50 % of the maximum',
  },
];

/** A deep sleep of all processors, or of one. */
const deep = (name: string, microseconds: number, cpus = [0, 1, 2, 3]): Tree =>
  Object.fromEntries(
    cpus.flatMap((one) => [
      [`${cpu}/cpu${one}/cpuidle/state2/name`, `${name}\n`],
      [`${cpu}/cpu${one}/cpuidle/state2/latency`, `${microseconds}\n`],
      [`${cpu}/cpu${one}/cpuidle/state2/disable`, '0\n'],
    ]),
  );

const noStates: Tree = Object.fromEntries(
  [0, 1, 2, 3].flatMap((one) =>
    [0, 1].flatMap((state) =>
      ['name', 'latency', 'disable'].map((file) => [`${cpu}/cpu${one}/cpuidle/state${state}/${file}`, null]),
    ),
  ),
);

const idle: readonly Case[] = [
  {
    what: 'deep sleep',
    tree: deep('C6', 133),
    check: 'idle states',
    verdict: 'note',
    found: 'C6 (133 us to wake up) on all 4 processors',
    mend: /cpupower idle-set -D 10/,
  },
  {
    what: 'deep sleep of one processor',
    tree: deep('C6', 133, [2]),
    check: 'idle states',
    verdict: 'note',
    found: 'C1 (2 us to wake up) on 0-1,3, C6 (133 us to wake up) on 2',
  },
  {
    what: 'light sleep',
    tree: deep('C1E', 10),
    check: 'idle states',
    verdict: 'good',
    found: 'C1E (10 us to wake up) on all 4 processors',
  },
  {
    what: 'deep sleep that is switched off',
    tree: {
      ...deep('C6', 133),
      ...Object.fromEntries([0, 1, 2, 3].map((one) => [`${cpu}/cpu${one}/cpuidle/state2/disable`, '1\n'])),
    },
    check: 'idle states',
    verdict: 'good',
    found: 'C1 (2 us to wake up) on all 4 processors',
  },
  {
    what: 'deep sleep that a program holds back for all',
    tree: { ...deep('C6', 133), 'dev/cpu_dma_latency': '\x05\0\0\0' },
    check: 'idle states',
    verdict: 'good',
    found: 'C1 (2 us to wake up) on all 4 processors; /dev/cpu_dma_latency holds them to 5 us',
  },
  {
    what: 'a program that forbids all sleep',
    tree: { ...deep('C6', 133), 'dev/cpu_dma_latency': '\0\0\0\0' },
    check: 'idle states',
    verdict: 'good',
    found: 'POLL (0 us to wake up) on all 4 processors; /dev/cpu_dma_latency holds them to 0 us',
  },
  {
    what: 'deep sleep that one processor alone is kept from',
    tree: {
      ...deep('C6', 133),
      [`${cpu}/cpu1/power/pm_qos_resume_latency_us`]: '20\n',
      [`${cpu}/cpu2/power/pm_qos_resume_latency_us`]: 'n/a\n',
      [`${cpu}/cpu3/power/pm_qos_resume_latency_us`]: '0\n',
    },
    check: 'idle states',
    verdict: 'note',
    found: 'C6 (133 us to wake up) on 0,3, C1 (2 us to wake up) on 1, POLL (0 us to wake up) on 2',
  },
  {
    what: 'a virtual machine that can only halt',
    tree: { 'sys/devices/system/cpu/cpuidle/current_driver': 'haltpoll\n' },
    check: 'idle states',
    verdict: 'unknown',
    found: 'C1 (2 us to wake up) on all 4 processors; what the hypervisor does then is not to be seen',
    mend: 'look at the host of this virtual machine',
  },
  {
    what: 'no say in sleep',
    tree: noStates,
    check: 'idle states',
    verdict: 'unknown',
    found: 'the kernel has no say in them here (no cpuidle)',
    mend: 'see what the firmware does (C-states)',
  },
  {
    what: 'no sleep by the boot',
    tree: { ...noStates, 'proc/cmdline': 'quiet idle=poll\n' },
    check: 'idle states',
    verdict: 'good',
    found: 'none, booted with idle=poll',
  },
];

const packetsOf = (activeMtu: RdmaPortHere['activeMtu'], more: Partial<RdmaPortHere> = {}): Circumstances => ({
  rdma: [{ ...infiniBand, ports: infiniBand.ports.map((one) => ({ ...one, activeMtu, ...more })) }],
});

const packets: readonly Case[] = [
  {
    what: 'as large as they can be',
    given: packetsOf(4096),
    check: 'mlx5_0/1 MTU',
    verdict: 'good',
    found: 'packets of 4096 bytes',
  },
  {
    what: 'half as large',
    given: packetsOf(2048),
    check: 'mlx5_0/1 MTU',
    verdict: 'note',
    found: 'packets of 2048 bytes',
    mend: /partitions\.conf/,
  },
  {
    what: 'of a device that can no more',
    given: packetsOf(2048, { maxMtu: 2048 }),
    check: 'mlx5_0/1 MTU',
    verdict: 'good',
    found: 'packets of 2048 bytes',
  },
  {
    what: 'small ones of RoCE',
    tree: roce,
    given: packetsOf(1024, { linkLayer: 'Ethernet' }),
    check: 'mlx5_0/1 MTU',
    verdict: 'bad',
    found: 'packets of 1024 bytes',
    mend: 'ip link set eth0 mtu 9000, on all hosts and switches',
  },
  {
    what: 'of a device that may not be opened',
    given: { rdma: [{ device: 'mlx5_0', ports: [], problem: "mlx5_0 can't be opened: Permission denied" }] },
    check: 'mlx5_0 by verbs',
    verdict: 'bad',
    found: "mlx5_0 can't be opened: Permission denied",
    mend: /\/dev\/infiniband/,
  },
];

const places: readonly Case[] = [
  {
    what: 'hardware threads',
    tree: siblings,
    check: 'hardware threads',
    verdict: 'note',
    found: '2 per core',
    mend: /--bind-to core/,
  },
  {
    what: 'ranks on threads of one core',
    tree: siblings,
    given: { ranks: [{ rank: 4, cpus: [1] }, { rank: 5, cpus: [3] }] }, // prettier-ignore
    check: 'binding',
    verdict: 'bad',
    found: 'ranks 4, 5 share hardware threads 1,3 of core 1',
    mend: /--bind/,
  },
  {
    what: 'ranks on one core',
    given: { ranks: [{ rank: 0, cpus: [2] }, { rank: 1, cpus: [2] }] }, // prettier-ignore
    check: 'binding',
    verdict: 'bad',
    found: 'ranks 0, 1 share core 2',
  },
  {
    what: 'a rank that may wander',
    given: { ranks: [{ rank: 0, cpus: [2] }, { rank: 1, cpus: [0, 1] }] }, // prettier-ignore
    check: 'binding',
    verdict: 'note',
    found: '1 of 2 ranks may run on several cores',
  },
  {
    what: 'ranks on both threads of a core each',
    tree: siblings,
    given: { ranks: [{ rank: 0, cpus: [0, 2] }, { rank: 1, cpus: [1, 3] }] }, // prettier-ignore
    check: 'binding',
    verdict: 'good',
    found: '2 ranks, each on a core of its own',
  },
  {
    what: 'more ranks than cores',
    tree: siblings,
    given: { ranks: [0, 1, 2].map((rank) => ({ rank, cpus: [0, 1, 2, 3] })) },
    check: 'ranks and cores',
    verdict: 'bad',
    found: '3 ranks on 2 cores, all allowed',
    mend: /fewer ranks/,
  },
  {
    what: 'more ranks planned than cores allowed',
    tree: { 'proc/self/status': status('1-2') },
    given: { planned: 3 },
    check: 'ranks and cores',
    verdict: 'bad',
    found: '3 ranks on 2 of 4 cores allowed (processors 1-2)',
  },
  {
    what: 'as many ranks as cores',
    given: { planned: 4 },
    check: 'ranks and cores',
    verdict: 'good',
    found: '4 ranks on 4 cores, all allowed',
  },
  {
    what: 'cores that are taken away',
    tree: { 'proc/self/status': status('0') },
    check: 'cores',
    verdict: 'note',
    found: '1 of 4 cores allowed (processor 0)',
  },
  {
    what: 'isolated processors',
    tree: { [`${cpu}/isolated`]: '2-3\n', [`${cpu}/nohz_full`]: '2-3\n', 'proc/self/status': status('0-1') },
    check: 'isolated cores',
    verdict: 'note',
    found: 'isolated 2-3, without ticks (nohz_full) 2-3',
  },
  {
    what: 'a kernel that has no processors without ticks',
    tree: { [`${cpu}/nohz_full`]: '  (null)\n' },
    check: 'isolated cores',
    verdict: 'note',
    found: 'isolated none, without ticks (nohz_full) none',
  },
  {
    what: 'a kernel that does not say which processors are isolated',
    tree: { [`${cpu}/isolated`]: null },
    check: 'isolated cores',
    verdict: 'unknown',
    found: 'the kernel does not say',
  },
  {
    what: 'a process that may use several isolated processors',
    tree: { [`${cpu}/isolated`]: '1-3\n' },
    check: 'unbound on isolated',
    verdict: 'bad',
    found: /^processors 1-3 allowed, all isolated/,
    mend: /--bind/,
  },
];

const quotas: readonly Case[] = [
  {
    what: 'a quota of version 2, of a cgroup above',
    tree: {
      'sys/fs/cgroup/user.slice/cpu.max': '150000 100000\n',
      'sys/fs/cgroup/user.slice/cpu.stat': 'nr_periods 9\nnr_throttled 7\n',
    },
    check: 'CPU quota',
    verdict: 'bad',
    found: '1.5 of 4 processors allowed; its cgroup was stopped 7 times so far',
    mend: /cpu\.max/,
  },
  {
    what: 'a quota of version 1',
    tree: {
      'proc/self/cgroup': '5:memory:/x\n3:cpu,cpuacct:/docker/abc\n0::/\n',
      ...mount('31 30 0:29 /docker /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct'),
      'sys/fs/cgroup/cpu,cpuacct/abc/cpu.cfs_quota_us': '50000\n',
      'sys/fs/cgroup/cpu,cpuacct/abc/cpu.cfs_period_us': '100000\n',
    },
    check: 'CPU quota',
    verdict: 'bad',
    found: '0.5 of 4 processors allowed',
  },
  {
    what: 'a quota in a container that sees its own cgroup as the root',
    tree: { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': '50000 100000\n' },
    check: 'CPU quota',
    verdict: 'bad',
    found: '0.5 of 4 processors allowed',
  },
  {
    what: 'no quota of version 1',
    tree: {
      'proc/self/cgroup': '3:cpu:/\n',
      ...mount('31 30 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu'),
      'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
    },
    check: 'CPU quota',
    verdict: 'good',
    found: 'none',
  },
  {
    what: 'a quota of all processors',
    tree: { 'sys/fs/cgroup/user.slice/job/cpu.max': '400000 100000\n' },
    check: 'CPU quota',
    verdict: 'good',
    found: '4 of 4 processors allowed',
  },
  {
    what: 'no word of cgroups',
    tree: { 'proc/self/cgroup': null },
    check: 'CPU quota',
    verdict: 'unknown',
    found: /does not say/,
  },
];

const loads: readonly Case[] = [
  {
    what: 'a processor that is busy',
    given: { stat: statWith('cpu1 115 0 101 9804 0 0 0 0 0 0') },
    check: 'load',
    verdict: 'bad',
    found: 'busy: 1 (80 %) in 0.2 s; load 0.02 over the last minute',
    mend: /top/,
  },
  {
    what: 'a processor that is busy, and not for us',
    tree: { 'proc/self/status': status('0,2-3') },
    given: { stat: statWith('cpu1 115 0 101 9804 0 0 0 0 0 0') },
    check: 'load',
    verdict: 'good',
    found: /^all processors together 0 % busy/,
  },
  {
    what: 'the other thread of a core, busy',
    tree: { ...siblings, 'proc/self/status': status('0,2-3') },
    given: { stat: statWith('cpu1 115 0 101 9804 0 0 0 0 0 0') },
    check: 'busy siblings',
    verdict: 'bad',
    found: '1, on the cores 1 that are to be used',
  },
  {
    what: 'a clock of the kernel that stands still',
    given: { stat: STAT },
    check: 'load',
    verdict: 'unknown',
    found: /^no time passed/,
  },
  {
    what: 'time stolen now',
    given: { stat: STAT_IDLE.replace('39280 0 0 0 0', '39276 0 0 0 4') },
    check: 'stolen time',
    verdict: 'bad',
    found: '5 % in 0.2 s, 0.01 % since the machine started',
  },
  {
    what: 'time stolen before',
    tree: { 'proc/stat': STAT.replace('39200 0 0 0 0', '39160 0 0 0 40') },
    given: { stat: STAT_IDLE.replace('39280 0 0 0 0', '39240 0 0 0 40') },
    check: 'stolen time',
    verdict: 'note',
    found: '0 % in 0.2 s, 0.10 % since the machine started',
  },
];

const memory: readonly Case[] = [
  {
    what: 'NUMA balancing',
    tree: { 'proc/sys/kernel/numa_balancing': '1\n' },
    check: 'NUMA balancing',
    verdict: 'bad',
    found: 'on (1); 2 NUMA nodes',
    mend: 'echo 0 > /proc/sys/kernel/numa_balancing',
  },
  {
    what: 'NUMA balancing on one node',
    tree: { 'proc/sys/kernel/numa_balancing': '1\n', 'sys/devices/system/node/online': '0\n' },
    check: 'NUMA balancing',
    verdict: 'good',
    found: 'on (1); 1 NUMA node',
  },
  {
    what: 'huge pages for all',
    tree: { [`${thp}/enabled`]: '[always] madvise never\n' },
    check: 'huge pages (THP)',
    verdict: 'note',
    found: 'always, defrag madvise',
    mend: 'echo madvise > /sys/kernel/mm/transparent_hugepage/enabled',
  },
  {
    what: 'huge pages that are waited for',
    tree: { [`${thp}/enabled`]: '[always] madvise never\n', [`${thp}/defrag`]: '[always] defer madvise never\n' },
    check: 'huge pages (THP)',
    verdict: 'bad',
    found: 'always, defrag always',
    mend: 'echo madvise > /sys/kernel/mm/transparent_hugepage/defrag',
  },
  {
    what: 'no huge pages in store',
    tree: { 'proc/meminfo': 'HugePages_Total:       0\nHugepagesize:       2048 kB\n' },
    check: 'huge pages',
    verdict: 'note',
    found: '0 reserved of 2 MiB',
  },
  {
    what: 'a limit of locked memory',
    tree: { 'proc/self/limits': limits('65536', '8388608') },
    check: 'memlock limit',
    verdict: 'bad',
    found: 'soft 64 KiB, hard 8 MiB',
    mend: /limits\.conf/,
  },
  {
    what: 'a limit that root may exceed',
    tree: { 'proc/self/limits': limits('65536', '65536'), 'proc/self/status': status('0-3', '000001ffffffffff') },
    check: 'memlock limit',
    verdict: 'note',
    found: 'soft 64 KiB, hard 64 KiB; this process may exceed it (CAP_IPC_LOCK)',
  },
  {
    what: "a limit that a container's root may not exceed",
    tree: {
      'proc/self/limits': limits('65536', '65536'),
      'proc/self/status': status('0-3', '000001ffffffffff'),
      'proc/self/uid_map': '         0     100000      65536\n',
    },
    check: 'memlock limit',
    verdict: 'bad',
    found: 'soft 64 KiB, hard 64 KiB',
  },
  {
    what: 'a limit where nobody locks memory',
    tree: { ...noRdma, 'proc/self/limits': limits('65536', '65536') },
    check: 'memlock limit',
    verdict: 'note',
    found: 'soft 64 KiB, hard 64 KiB',
  },
];

const kernels: readonly Case[] = [
  {
    what: 'a virtual machine',
    tree: { 'proc/cpuinfo': 'flags\t\t: fpu hypervisor tsc\n', 'sys/class/dmi/id/sys_vendor': 'QEMU\n' },
    check: 'virtual machine',
    verdict: 'note',
    found: 'yes (QEMU)',
  },
  {
    what: 'an IOMMU that translates',
    tree: {
      'sys/class/iommu/dmar0/x': '',
      'sys/kernel/iommu_groups/7/type': 'identity\n',
      [`${pci}/iommu_group/type`]: 'DMA-FQ\n',
      'proc/cmdline': 'quiet intel_iommu=on\n',
    },
    check: 'IOMMU',
    verdict: 'note',
    found: 'in use, DMA-FQ; booted with intel_iommu=on',
    mend: /iommu=pt/,
  },
  {
    what: 'an IOMMU that lets through',
    tree: {
      'sys/class/iommu/dmar0/x': '',
      'sys/kernel/iommu_groups/7/type': 'identity\n',
      'proc/cmdline': 'iommu=pt\n',
    },
    check: 'IOMMU',
    verdict: 'good',
    found: 'in use, identity; booted with iommu=pt',
  },
  {
    what: 'mitigations',
    tree: {
      [`${cpu}/vulnerabilities/spectre_v2`]: 'Mitigation: Retpolines\n',
      [`${cpu}/vulnerabilities/mds`]: 'Vulnerable\n',
    },
    check: 'mitigations',
    verdict: 'note',
    found: 'spectre_v2',
  },
  {
    what: 'a slow clock source',
    tree: { 'sys/devices/system/clocksource/clocksource0/current_clocksource': 'hpet\n' },
    check: 'clock source',
    verdict: 'bad',
    found: 'hpet',
    mend: /tsc/,
  },
  {
    what: "a hypervisor's clock source",
    tree: { 'sys/devices/system/clocksource/clocksource0/current_clocksource': 'kvm-clock\n' },
    check: 'clock source',
    verdict: 'note',
    found: 'kvm-clock',
  },
  {
    what: 'a clock of system calls',
    given: { clock: { source: 'clock_gettime', frequency: 1e9, resolution: 1e-6, readCost: 450e-9 } },
    check: 'timer cost',
    verdict: 'bad',
    found: 'a read takes 450 ns, the smallest step is 1000 ns',
  },
  {
    what: "the engine's clock",
    given: {
      clock: { source: 'clock_gettime', frequency: 1e9, resolution: 1e-9, readCost: 20e-9 },
      env: { FABRICBENCH_CLOCK: 'clock_gettime' },
    },
    check: 'own clock',
    verdict: 'note',
    found: 'clock_gettime',
    mend: 'unset FABRICBENCH_CLOCK',
  },
  {
    what: 'a processor without a counter to trust',
    given: { clock: { source: 'clock_gettime', frequency: 1e9, resolution: 1e-9, readCost: 20e-9 } },
    check: 'own clock',
    verdict: 'note',
    found: 'clock_gettime',
    mend: /another processor/,
  },
];

const nics: readonly Case[] = [
  { what: 'no RDMA', tree: noRdma, check: 'RDMA devices', verdict: 'note', found: 'none' },
  {
    what: 'a port that waits for its subnet manager',
    tree: { [`${port}/state`]: '2: INIT\n' },
    check: 'mlx5_0/1',
    verdict: 'bad',
    found: 'INIT, LinkUp, 100 Gb/sec (4X EDR), InfiniBand',
    mend: /subnet manager/,
  },
  {
    what: 'a port without cable',
    tree: { [`${port}/state`]: '1: DOWN\n', [`${port}/phys_state`]: '3: Disabled\n' },
    check: 'mlx5_0/1',
    verdict: 'bad',
    found: 'DOWN, Disabled, 100 Gb/sec (4X EDR), InfiniBand',
    mend: /cable/,
  },
  {
    what: 'a second port without cable',
    tree: {
      'sys/class/infiniband/mlx5_1/ports/1/state': '1: DOWN\n',
      'sys/class/infiniband/mlx5_1/ports/1/phys_state': '2: Polling\n',
    },
    check: 'mlx5_1/1',
    verdict: 'note',
    found: /^DOWN, Polling/,
  },
  {
    what: 'a link that lost lanes',
    tree: { [`${port}/rate`]: '25 Gb/sec (1X EDR)\n' },
    check: 'mlx5_0/1',
    verdict: 'bad',
    found: 'ACTIVE, LinkUp, 25 Gb/sec (1X EDR), InfiniBand',
    mend: /cable/,
  },
  { what: 'a link of Ethernet with one lane', tree: roce, check: 'mlx5_0/1', verdict: 'good', found: /1X EDR/ },
  {
    what: 'errors',
    tree: { [`${port}/counters/symbol_error`]: '12\n' },
    check: 'mlx5_0/1 errors',
    verdict: 'note',
    found: 'symbol_error 12',
  },
  {
    what: 'small packets of RoCE',
    tree: { ...roce, 'sys/class/net/eth0/mtu': '1500\n' },
    check: 'eth0 MTU',
    verdict: 'bad',
    found: '1500',
    mend: /mtu 9000/,
  },
  {
    what: 'small packets of TCP',
    tree: { 'sys/class/net/eth0/mtu': '1500\n' },
    check: 'eth0 MTU',
    verdict: 'note',
    found: '1500',
  },
  {
    what: 'half duplex',
    tree: { 'sys/class/net/eth0/duplex': 'half\n' },
    check: 'eth0',
    verdict: 'bad',
    found: 'up, 10000 Mb/s, half duplex',
  },
  {
    what: 'no cable',
    tree: { 'sys/class/net/eth0/operstate': 'down\n' },
    check: 'eth0',
    verdict: 'note',
    found: 'down',
  },
  {
    what: 'no word of speed',
    tree: { 'sys/class/net/eth0/speed': '-1\n', 'sys/class/net/eth0/duplex': 'unknown\n' },
    check: 'eth0',
    verdict: 'good',
    found: 'up, speed unknown',
  },
  {
    what: 'a driver that keeps no state, and has a carrier',
    tree: { 'sys/class/net/eth0/operstate': 'unknown\n', 'sys/class/net/eth0/carrier': '1\n' },
    check: 'eth0',
    verdict: 'good',
    found: 'up, 10000 Mb/s, full duplex',
  },
  {
    what: 'a driver that keeps no state',
    tree: { 'sys/class/net/eth0/operstate': 'unknown\n' },
    check: 'eth0',
    verdict: 'unknown',
    found: 'unknown, 10000 Mb/s, full duplex',
  },
  {
    what: 'a narrow slot',
    tree: { [`${pci}/current_link_width`]: '8\n' },
    check: 'mlx5_0 PCIe',
    verdict: 'bad',
    found: 'x8 at 8 GT/s (63 Gb/s); the network link has 100 Gb/s',
    mend: /slot/,
  },
  {
    what: 'a slow slot that suffices',
    tree: { [`${pci}/max_link_speed`]: '16.0 GT/s PCIe\n' },
    check: 'mlx5_0 PCIe',
    verdict: 'note',
    found: 'x16 at 8 GT/s (126 Gb/s); the network link has 100 Gb/s',
  },
  {
    what: 'a slot of the second generation below Ethernet',
    tree: {
      [`${netPci}/current_link_speed`]: '5.0 GT/s PCIe\n',
      [`${netPci}/max_link_speed`]: '8.0 GT/s PCIe\n',
      [`${netPci}/current_link_width`]: '2\n',
      [`${netPci}/max_link_width`]: '4\n',
    },
    check: 'eth0 PCIe',
    verdict: 'bad',
    found: 'x2 at 5 GT/s (8 Gb/s); the network link has 10 Gb/s',
  },
];

const openMpi = { 'usr/bin/mpirun': null, 'opt/openmpi/bin/orterun': null };
const conf = 'opt/openmpi/etc/openmpi-mca-params.conf';

const mpichJob: Circumstances = {
  ranks: [0, 1].map((rank) => ({ rank, cpus: [rank] })),
  mpi: { family: 'mpich', library: 'MPICH Version: 4.0.2', ucx: null, pml: null },
  addons: ['mpi-openmpi', 'mpi-mpich'],
};

const mpis: readonly Case[] = [
  { what: 'no mpirun', tree: openMpi, check: 'mpirun', verdict: 'note', found: 'none in PATH' },
  {
    what: 'a second mpirun behind the first',
    tree: { 'usr/local/bin/mpirun': '#!/bin/sh\n', 'usr/local/bin/mpichversion': '' },
    check: 'mpirun',
    verdict: 'note',
    found: '/usr/local/bin/mpirun, MPICH; behind it /opt/openmpi/bin/orterun (Open MPI)',
  },
  {
    what: "an mpirun that ranks' own part doesn't belong to",
    tree: { 'usr/local/bin/mpirun': '-> mpiexec.hydra', 'usr/local/bin/mpiexec.hydra': '' },
    check: 'MPI part',
    verdict: 'bad',
    found: 'mpi-openmpi.node; mpirun is of MPICH',
    mend: 'start with the mpirun of Open MPI, or build the part of MPICH',
  },
  {
    what: 'another part that is asked for',
    given: { env: { FABRICBENCH_MPI: 'mpich' }, addons: ['mpi-openmpi', 'mpi-mpich'] },
    check: 'MPI part',
    verdict: 'bad',
    found: 'FABRICBENCH_MPI=mpich; mpi-openmpi.node, mpi-mpich.node; mpirun is of Open MPI',
    mend: 'FABRICBENCH_MPI=openmpi, or the mpirun of MPICH',
  },
  {
    what: 'a job of another MPI than the mpirun in PATH',
    given: mpichJob,
    check: 'mpirun',
    verdict: 'note',
    found: '/usr/bin/mpirun, Open MPI; but this job runs MPICH',
    mend: /full path/,
  },
  {
    what: 'the part of the MPI that runs, whatever PATH has',
    given: { ...mpichJob, env: { FABRICBENCH_MPI: 'mpich' } },
    check: 'MPI part',
    verdict: 'good',
    found: 'FABRICBENCH_MPI=mpich; mpi-openmpi.node, mpi-mpich.node; the ranks run MPICH',
  },
  {
    what: 'no part for MPI',
    given: { addons: ['engine'] },
    check: 'MPI part',
    verdict: 'note',
    found: 'none is built',
  },
  {
    what: 'the library of another installation',
    tree: {
      'proc/self/maps': '7f0-7f1 r-xp 0 08:01 9    /usr/lib/x/libmpi.so.40\n',
      'usr/lib/x/libmpi.so.40': '-> libmpi.so.40.30.4',
      'usr/lib/x/libmpi.so.40.30.4': '',
    },
    check: 'MPI library',
    verdict: 'bad',
    found: '/usr/lib/x/libmpi.so.40.30.4',
    mend: /module purge/,
  },
  {
    what: 'modules of several MPIs',
    given: { env: { LOADEDMODULES: 'gcc/12:openmpi/4.1.4:mpich/4.0' } },
    check: 'several MPIs',
    verdict: 'bad',
    found: 'LOADEDMODULES has Open MPI and MPICH',
    mend: /module purge/,
  },
  {
    what: 'libraries of several MPIs',
    tree: { 'a/lib/libmpi.so.12': '', 'b/lib/libmpi.so.40': '' },
    given: { env: { LD_LIBRARY_PATH: '/a/lib:/b/lib:/c/lib' } },
    check: 'several MPIs',
    verdict: 'bad',
    found: 'LD_LIBRARY_PATH has MPICH and Open MPI',
  },
];

const pmls: readonly Case[] = [
  {
    what: 'a file that keeps UCX out',
    tree: { [conf]: '# x\npml = ^ucx\n' },
    check: "Open MPI's PML",
    verdict: 'bad',
    found: 'not ucx: pml = ^ucx in /opt/openmpi/etc/openmpi-mca-params.conf keeps it out',
    mend: 'export OMPI_MCA_pml=ucx, before mpirun',
  },
  {
    what: 'a variable that wins over the file',
    tree: { [conf]: 'pml = ^ucx\n' },
    given: { env: { OMPI_MCA_pml: 'ucx' } },
    check: "Open MPI's PML",
    verdict: 'good',
    found: 'ucx can be selected',
  },
  {
    what: 'another component that is asked for',
    given: { env: { OMPI_MCA_pml: 'ob1' } },
    check: "Open MPI's PML",
    verdict: 'bad',
    found: 'not ucx: pml = ob1 in OMPI_MCA_pml keeps it out',
  },
  {
    what: 'no such component',
    tree: { 'opt/openmpi/lib/openmpi/mca_pml_ucx.so': null },
    check: "Open MPI's PML",
    verdict: 'bad',
    found: 'this Open MPI has no mca_pml_ucx.so',
  },
  {
    what: 'components that can not be found',
    tree: { 'opt/openmpi/lib/openmpi/mca_pml_ucx.so': null, 'opt/openmpi/lib/openmpi/mca_pml_ob1.so': null },
    check: "Open MPI's PML",
    verdict: 'unknown',
    found: /^nothing keeps ucx out/,
  },
  {
    what: 'no hardware that the component takes by itself',
    tree: noRdma,
    given: { env: { OMPI_MCA_pml_ucx_tls: 'any' } },
    check: "Open MPI's PML",
    verdict: 'note',
    found: 'not ucx: it stands back: no device of Mellanox is here, and pml_ucx_devices is not any',
    mend: 'export OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any, before mpirun',
  },
  {
    what: 'what really carries the messages',
    given: { mpi: { family: 'openmpi', library: 'Open MPI v4.1.4', ucx: '1.13.1', pml: 'ob1' } },
    check: "Open MPI's PML",
    verdict: 'bad',
    found: 'ob1 carries the messages',
  },
];

const settings: readonly Case[] = (
  [
    ['UCX_LOG_LEVEL', 'debug', 'bad'],
    ['UCX_LOG_LEVEL', 'trace_poll', 'bad'],
    ['UCX_TLS', 'tcp,self', 'bad'],
    ['UCX_TLS', '^ib', 'bad'],
    ['UCX_NET_DEVICES', 'eth0', 'bad'],
    ['UCX_MEM_EVENTS', 'n', 'bad'],
    ['UCX_MEM_MMAP_HOOK_MODE', 'none', 'bad'],
    ['UCX_RCACHE_ENABLE', 'no', 'bad'],
    ['UCX_IB_REG_METHODS', 'direct', 'bad'],
    ['UCX_PROFILE_MODE', 'log', 'note'],
    ['UCX_STATS_DEST', 'stdout', 'note'],
    ['UCX_RNDV_THRESH', 'inf', 'note'],
    ['UCX_ZCOPY_THRESH', 'inf', 'note'],
    ['OMPI_MCA_mpi_yield_when_idle', '1', 'note'],
    ['LD_PRELOAD', '/x.so', 'note'],
  ] as const
).map(([name, value, verdict]) => ({
  what: `${name}=${value}`,
  given: { env: { [name]: value } },
  ...{ check: name, verdict, found: value, mend: `unset ${name}` },
}));

const more: readonly Case[] = [
  {
    what: 'settings that cost nothing',
    given: {
      env: { UCX_TLS: 'rc,sm,self', UCX_NET_DEVICES: 'mlx5_0:1', UCX_LOG_LEVEL: 'info', UCX_RNDV_THRESH: '8k' },
    },
    check: 'UCX settings',
    verdict: 'good',
    found: '4 variables, none of those that are known to cost time',
  },
  {
    what: 'TCP alone where there is nothing else between hosts',
    tree: noRdma,
    given: { env: { UCX_TLS: 'tcp' } },
    check: 'UCX_TLS',
    verdict: 'note',
    found: 'tcp',
  },
  {
    what: "settings of UCX's file",
    tree: { 'etc/ucx/ucx.conf': '# x\nUCX_TLS=tcp\n\nUCX_LOG_LEVEL = info \n' },
    check: 'ucx.conf',
    verdict: 'note',
    found: '/etc/ucx/ucx.conf: UCX_TLS=tcp, UCX_LOG_LEVEL = info',
  },
];

describe("the doctor's checks", () => {
  const all = { frequency, idle, packets, places, quotas, loads, memory, kernels, nics, mpis, pmls, settings, more };
  for (const [group, cases] of Object.entries(all)) {
    for (const { what, tree, given, check, verdict, found, mend } of cases) {
      it(`${group}: ${what}`, () => {
        const finding = theOne(findOn(tree, given), check);
        expect(finding.verdict, finding.found).to.equal(verdict);
        if (typeof found === 'string') expect(finding.found).to.equal(found);
        else expect(finding.found).to.match(found);
        if (verdict === 'good') expect(finding.mend).to.equal(null);
        if (typeof mend === 'string') expect(finding.mend).to.equal(mend);
        else if (mend) expect(finding.mend).to.match(mend);
      });
    }
  }

  it('find nothing to mend on a good machine', () => {
    const { findings } = findOn();
    const notGood = findings.filter(({ verdict }) => verdict !== 'good').map(({ check }) => check);
    // Isolated cores are never right or wrong.
    expect(notGood).to.deep.equal(['isolated cores']);
    expect(findings.length).to.be.greaterThan(22);
  });

  it('say nothing of packets where a port is down', () => {
    const { findings } = findOn({}, packetsOf(4096, { state: 'DOWN' }));
    expect(findings.filter(({ check }) => check === 'mlx5_0/1 MTU')).to.deep.equal([]);
  });

  it("hold the library in a job against the job's MPI, and not against another one's mpirun in PATH", () => {
    const path = '/opt/mpich/libmpich.so.12';
    const tree = { 'proc/self/maps': `7f0-7f1 r-xp 0 08:01 9    ${path}\n`, [path.slice(1)]: '' };
    const { verdict, found, wanted } = theOne(findOn(tree, mpichJob), 'MPI library');
    expect([verdict, found, wanted]).to.deep.equal([
      'good',
      `${path} (MPICH Version: 4.0.2)`,
      'one of MPICH, which started this job',
    ]);
    const alone = findOn(tree, { ...mpichJob, ranks: null });
    expect(alone.findings.map(({ check }) => check)).not.to.include('MPI library');
  });

  it('name no check twice, and say what is wanted', () => {
    const { findings } = findOn({ ...roce, [`${cpu}/isolated`]: '1-3\n' }, { env: { UCX_TLS: 'tcp' } });
    expect(new Set(findings.map(({ check }) => check)).size).to.equal(findings.length);
    for (const { check, wanted, found } of findings) {
      expect(wanted, check).not.to.equal('');
      expect(found, check).not.to.equal('');
    }
  });

  it('call nothing good or bad of a machine that says nothing', () => {
    const { findings } = withFolder((root) => examine(makeHost({ root, env: {} })));
    const judged = findings.filter(({ verdict }) => verdict === 'good' || verdict === 'bad');
    // There really are no variables and no more ranks than cores.
    expect(judged.map(({ check }) => check)).to.deep.equal(['UCX settings']);
  });
});
