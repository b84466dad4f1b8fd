/** What is known of this host and process without asking a native stack: few and small files, read once. */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { hostname, release } from 'node:os';
import { join } from 'node:path';
import { parseCpuList } from '../engine/affinity.js';
import type { HostRecord, Nic, NumaNode } from './types.js';

export interface HostOptions {
  /** Where /proc and /sys are looked for (default `/`). */
  readonly root?: string;
  readonly name?: string;
  readonly kernel?: string;
}

/** The host that this process runs on. What the kernel doesn't tell is null or empty. */
export function readHost({ root = '/', name = hostname(), kernel = release() }: HostOptions = {}): HostRecord {
  const cpu = join(root, 'sys/devices/system/cpu');
  return {
    name,
    cpuModel: readCpuModel(root),
    cpus: readCpuList(join(cpu, 'online'))?.length ?? null,
    governor: readLine(join(cpu, 'cpu0/cpufreq/scaling_governor')),
    kernel,
    numaNodes: readNumaNodes(root),
    nics: [...readInfiniband(root), ...readNetworks(root)],
  };
}

/** One record per host name, in the order of the first of each. */
export function mergeHosts(hosts: readonly HostRecord[]): HostRecord[] {
  return hosts.filter(({ name }, index) => hosts.findIndex((host) => host.name === name) === index);
}

/** Prefixes of the variables that change what is measured. */
const SETTING =
  /^(OMPI_MCA_|PMIX_MCA_|PRTE_MCA_|UCX_|MPICH_|MPIR_CVAR_|I_MPI_|FI_|HCOLL_|SLURM_|NODE_OPTIONS$|LD_PRELOAD$)/;
/** What launchers tell their own processes, and what must not leave the machine. */
const INTERNAL =
  /^OMPI_MCA_(orte_|ess|initial_wdir|shmem_RUNTIME)|^MPIR_CVAR_CH3_INTERFACE_HOSTNAME$|^SLURM_(JWT|.*(TOKEN|SECRET|KEY|CREDENTIAL))|^SLURM_(JOB_?ID|STEP_?ID|TASK_PID|GTIDS|SRUN_COMM_HOST|WORKING_CLUSTER|.*(_PORT|_ADDR|_IPADDR))$/;

/** The settings of MPI, UCX, Slurm and Node in an environment, sorted by name. */
export function readSettings(env: Readonly<Record<string, string | undefined>> = process.env): Record<string, string> {
  const wanted = Object.entries(env).filter(([name]) => SETTING.test(name) && !INTERNAL.test(name));
  return Object.fromEntries(
    wanted
      .flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** The first processor's description; the file grows with their number and only its start is read. */
function readCpuModel(root: string): string | null {
  const start = readStart(join(root, 'proc/cpuinfo'), 4096);
  const x86 = /^model name\s*:\s*(.+)$/m.exec(start)?.[1];
  const power = /^cpu\s*:\s*(.+)$/m.exec(start)?.[1];
  return x86?.trim() ?? power?.trim() ?? readArmModel(start);
}

/** Arm kernels give numbers only; they identify the core all the same. */
function readArmModel(start: string): string | null {
  const implementer = /^CPU implementer\s*:\s*(\S+)$/m.exec(start)?.[1];
  const part = /^CPU part\s*:\s*(\S+)$/m.exec(start)?.[1];
  return implementer && part ? `Arm implementer ${implementer} part ${part}` : null;
}

function readNumaNodes(root: string): NumaNode[] {
  const folder = join(root, 'sys/devices/system/node');
  const ids = readCpuList(join(folder, 'online')) ?? [];
  return ids.map((id) => ({ id, cpus: readCpuList(join(folder, `node${id}`, 'cpulist')) ?? [] }));
}

function readInfiniband(root: string): Nic[] {
  const folder = join(root, 'sys/class/infiniband');
  return list(folder).map((name) => {
    const port = join(folder, name, 'ports/1');
    return {
      name,
      kind: 'infiniband',
      state: /\d+:\s*(\S+)/.exec(readLine(join(port, 'state')) ?? '')?.[1] ?? null,
      rate: scaled(/^([\d.]+) Gb\/sec/.exec(readLine(join(port, 'rate')) ?? '')?.[1], 1e9),
      linkLayer: readLine(join(port, 'link_layer')),
      numaNode: readNumaNode(join(folder, name)),
    };
  });
}

function readNetworks(root: string): Nic[] {
  const folder = join(root, 'sys/class/net');
  const names = list(folder).filter((name) => name !== 'lo' && name !== 'bonding_masters');
  return names.map((name) => ({
    name,
    kind: 'net',
    state: readLine(join(folder, name, 'operstate')),
    rate: scaled(readLine(join(folder, name, 'speed')), 1e6),
    linkLayer: null,
    numaNode: readNumaNode(join(folder, name)),
  }));
}

/** The kernel says -1 where a device belongs to no node. */
function readNumaNode(device: string): number | null {
  const node = Number(readLine(join(device, 'device/numa_node')) ?? -1);
  return Number.isInteger(node) && node >= 0 ? node : null;
}

function scaled(text: string | null | undefined, unit: number): number | null {
  const value = Number(text ?? NaN);
  return value > 0 ? value * unit : null;
}

function readCpuList(path: string): number[] | null {
  const line = readLine(path);
  return line ? parseCpuList(line) : null;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function readLine(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

function readStart(path: string, length: number): string {
  try {
    const fd = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(length);
      return bytes.toString('utf8', 0, readSync(fd, bytes));
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}
