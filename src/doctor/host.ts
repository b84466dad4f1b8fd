/** What the checks look at: a machine's files and environment, who runs on it, and what was measured on it. */
import { parseCpuList } from '../engine/affinity.js';
import type { ClockInfo } from '../engine/types.js';
import type { PortAttributes } from '../verbs/types.js';
import { filesBelow, type Files } from './files.js';

export type Env = Readonly<Record<string, string | undefined>>;

/** A rank of the job on this host. */
export interface RankHere {
  readonly rank: number;
  /** Processors that it may run on. */
  readonly cpus: readonly number[];
}

/** What MPI says of itself in this process. */
export interface MpiHere {
  /** `openmpi` or `mpich`. */
  readonly family: string;
  readonly library: string;
  readonly ucx: string | null;
  /** Open MPI's component in use; null where MPI doesn't run or has none. */
  readonly pml: string | null;
}

export type RdmaPortHere = Pick<PortAttributes, 'port' | 'state' | 'linkLayer' | 'activeMtu' | 'maxMtu'>;

/** An RDMA device as libibverbs has it. */
export interface RdmaHere {
  readonly device: string;
  readonly ports: readonly RdmaPortHere[];
  /** Why it can't be opened; null where it can. */
  readonly problem: string | null;
}

export interface Host {
  readonly name: string;
  readonly files: Files;
  readonly env: Env;
  /** Ranks of this job on the host; null outside of a launcher. */
  readonly ranks: readonly RankHere[] | null;
  /** Ranks that are to run on it (`--ranks`); null where nobody said. */
  readonly planned: number | null;
  /** Two readings of /proc/stat, and the seconds between them. */
  readonly stat: { readonly before: string; readonly after: string; readonly seconds: number };
  /** Of the engine; null where another machine is looked at. */
  readonly clock: ClockInfo | null;
  /** Addons that are built, as `mpi-openmpi`. */
  readonly addons: readonly string[];
  readonly mpi: MpiHere | null;
  /** Empty where another machine is looked at, or verbs aren't built. */
  readonly rdma: readonly RdmaHere[];
}

export interface HostOptions {
  /** Where /proc, /sys and all else is looked for (default `/`). */
  readonly root?: string;
  readonly env?: Env;
  readonly ranks?: readonly RankHere[] | null;
  readonly planned?: number | null;
  readonly clock?: ClockInfo | null;
  readonly addons?: readonly string[];
  readonly mpi?: MpiHere | null;
  readonly rdma?: readonly RdmaHere[];
  /** Waits between two readings of /proc/stat; returns the seconds. */
  readonly wait?: () => number;
}

/** The name that the kernel has for the machine. */
export function nameOf(files: Files): string {
  return files.line('/proc/sys/kernel/hostname') ?? 'this host';
}

/** What tells two machines of one name apart, and one from itself under no name. */
export function identityOf(files: Files): string {
  return `${nameOf(files)} ${files.line('/proc/sys/kernel/random/boot_id') ?? ''}`;
}

export function makeHost(options: HostOptions = {}): Host {
  const { root = '/', env = process.env, wait = () => 0 } = options;
  const files = filesBelow(root);
  const stat = (): string => files.text('/proc/stat') ?? '';
  const before = stat();
  const seconds = wait();
  return {
    ...{ name: nameOf(files), files, env, stat: { before, after: stat(), seconds } },
    ...{ ranks: options.ranks ?? null, planned: options.planned ?? null, clock: options.clock ?? null },
    ...{ addons: options.addons ?? [], mpi: options.mpi ?? null, rdma: options.rdma ?? [] },
  };
}

const listAt = (files: Files, path: string): number[] | null => {
  const line = files.line(path);
  return line === null ? null : parseCpuList(line);
};

/** Processors that are switched on; empty where the kernel doesn't say. */
export const onlineOf = ({ files }: Host): number[] => listAt(files, '/sys/devices/system/cpu/online') ?? [];

/** Processors that this process may run on, or those of all ranks; the online ones where that isn't known. */
export function allowedOf(host: Host): number[] {
  const ranks = host.ranks?.flatMap(({ cpus }) => cpus) ?? [];
  if (ranks.length > 0) return ascending(ranks);
  const own = /^Cpus_allowed_list:\s*(\S+)/m.exec(host.files.text('/proc/self/status') ?? '')?.[1];
  const online = onlineOf(host);
  if (own === undefined) return online;
  const allowed = parseCpuList(own);
  return online.length > 0 ? allowed.filter((cpu) => online.includes(cpu)) : allowed;
}

/** Hardware threads of a processor's core, itself among them. */
export function siblingsOf({ files }: Host, cpu: number): number[] {
  return listAt(files, `/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`) ?? [cpu];
}

/** The cores that processors belong to, each by its lowest processor. */
export function coresOf(host: Host, cpus: readonly number[]): number[] {
  return ascending(cpus.map((cpu) => Math.min(...siblingsOf(host, cpu))));
}

/** NUMA nodes that have processors. */
export function numaNodesOf({ files }: Host): number[] {
  const nodes = listAt(files, '/sys/devices/system/node/online') ?? [];
  return nodes.filter((node) => files.line(`/sys/devices/system/node/node${node}/cpulist`) !== null);
}

/** Names of RDMA devices. */
export const rdmaDevices = ({ files }: Host): readonly string[] => files.list('/sys/class/infiniband');

/** Each number once, in order. */
export const ascending = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);
