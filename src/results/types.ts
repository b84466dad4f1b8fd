/** The result record: the TypeScript face of schema/result-1.json. Later work only adds optional fields. */
import type { CurveShape } from '../analysis/curve-types.js';
import type { Statistics } from '../bench/measure/types.js';

export const RESULT_SCHEMA = 'fabricbench-result-1';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface RunRecord {
  /** Program, e.g. `osu_latency`. */
  readonly name: string;
  /** Version of fabricbench. */
  readonly version: string;
  /** `mpi`, ... */
  readonly layer: string;
  readonly engine: string;
  readonly options: JsonObject;
  readonly commandLine: readonly string[];
  /** ISO 8601, UTC; '' where an imported run doesn't say. */
  readonly started: string;
  /** Null while running. */
  readonly ended: string | null;
  /** What the run is called where several are shown together. */
  readonly label?: string;
  /** Where whole launches were repeated (`fabricbench run --launches`): which of them this was. */
  readonly launch?: LaunchRecord;
  /** Where the run was read from another tool's output: what that doesn't say is '' or null. */
  readonly imported?: ImportedRecord;
}

export interface LaunchRecord {
  /** From 1. */
  readonly index: number;
  /** Launches asked for; null where a stopping rule alone ends them. */
  readonly of: number | null;
}

/** What another tool's output was read from. */
export interface ImportedRecord {
  /** `osu`, `perftest`, ... */
  readonly tool: string;
  readonly file: string;
  /** Of the table's first line, from 1. */
  readonly line: number;
  /** Of the tool. */
  readonly version: string | null;
}

export interface NumaNode {
  readonly id: number;
  /** Processors (hardware threads) of the node. */
  readonly cpus: readonly number[];
}

export interface Nic {
  readonly name: string;
  readonly kind: 'infiniband' | 'net';
  /** `ACTIVE`, `up`, ... as the kernel says. */
  readonly state: string | null;
  /** Bit/s. */
  readonly rate: number | null;
  /** `InfiniBand`, `Ethernet`. */
  readonly linkLayer: string | null;
  readonly numaNode: number | null;
}

export interface HostRecord {
  readonly name: string;
  readonly cpuModel: string | null;
  /** Hardware threads online. */
  readonly cpus: number | null;
  readonly governor: string | null;
  readonly kernel: string | null;
  readonly numaNodes: readonly NumaNode[];
  readonly nics: readonly Nic[];
}

export interface MpiRecord {
  readonly family: string;
  readonly library: string | null;
  /** Of the MPI standard, e.g. `3.1`. */
  readonly version: string | null;
  /** Point-to-point component really used, e.g. `ucx`, `ob1`. */
  /** MPICH's device and network module. */
  readonly device?: string;
  readonly pml: string | null;
  readonly osc: string | null;
  readonly transports: readonly string[] | null;
}

export interface ClockRecord {
  readonly source: string;
  readonly frequency: number | null;
  /** Seconds. */
  readonly resolution: number | null;
  /** Seconds. */
  readonly readCost: number | null;
}

/** What a test of verbs ran on: its first client's device, and the path that both sides agreed on. */
export interface VerbsRecord {
  /** Of rdma-core, to which libibverbs belongs; null where its file doesn't say. */
  readonly version: string | null;
  readonly device?: string;
  readonly firmware?: string | null;
  readonly port?: number;
  readonly linkLayer?: string | null;
  /** Bytes of a packet. */
  readonly mtu?: number;
  /** Null where paths have none. */
  readonly gid?: { readonly index: number; readonly address: string; readonly type: string } | null;
}

export interface EnvironmentRecord {
  readonly hosts: readonly HostRecord[];
  readonly mpi: MpiRecord | null;
  readonly ucx: {
    readonly version: string | null;
    /** Transports and devices that carried the messages, where UCX was called directly. */
    readonly transports?: readonly string[];
  } | null;
  readonly verbs: VerbsRecord | null;
  readonly node: string;
  readonly fabricbench: string;
  readonly clock: ClockRecord;
  /** Environment variables that matter, of rank 0: `OMPI_MCA_*`, `UCX_*`, `SLURM_*`, ... */
  readonly settings: { readonly [name: string]: string };
  /** What we set ourselves before a native stack was loaded; `by` says who decided. */
  readonly hooks?: readonly { readonly name: string; readonly value: string; readonly by: 'fabricbench' | 'user' }[];
}

/** What `--noise` found on a rank's core before the run: a fixed piece of work, done over and over. */
export interface NoiseRecord {
  /** Of all pieces together. */
  readonly seconds: number;
  /** Seconds of the fastest piece. */
  readonly quantum: number;
  /** Pieces done. */
  readonly n: number;
  /** Part of the time, 0 to 1, in which the core did something else. */
  readonly lost: number;
  /** Seconds of the longest interruption. */
  readonly longest: number;
  /** Pieces that took longer than the fastest by `threshold` or more; those alone count as interrupted. */
  readonly detours: number;
  /** Seconds. */
  readonly threshold: number;
}

/** How far a rank is from a network device that it uses. */
export interface NicDistance {
  readonly name: string;
  readonly numaNode: number | null;
  /** 0 near it, else the kernel's distance of NUMA nodes (10 within one); null where it is unknown. */
  readonly distance: number | null;
}

/** What a thread may run on. */
export interface ThreadRecord {
  readonly id: number;
  readonly name?: string | null;
  readonly hardwareThreads: readonly number[];
}

/** How a rank came to its cores and its memory. */
export interface BindingRecord {
  /** As `--bind` has it: `near:mlx5_0`, `0,1`, `keep`; of ucx_perftest `-c 0` too. */
  readonly asked: string;
  /** Who chose the cores; `inherited` where neither fabricbench nor a launcher did. */
  readonly by: 'fabricbench' | 'launcher' | 'inherited';
  /** The policy in force: `first touch`, `bind:1`, `interleave:0-1`; null where the kernel doesn't tell. */
  readonly memory: string | null;
  /** Network devices that the rank uses, where they are known. */
  readonly nics?: readonly NicDistance[];
  /** What the process and its threads could run on after the run, where that was not as before it. */
  readonly after?: { readonly hardwareThreads: readonly number[]; readonly threads: readonly ThreadRecord[] };
}

export interface RankRecord {
  readonly rank: number;
  readonly host: string;
  readonly localRank: number | null;
  /** Cores that the process may run on. */
  readonly cores: readonly number[] | null;
  /** Hardware threads (processors, as the kernel numbers them) that the process may run on. */
  readonly hardwareThreads?: readonly number[] | null;
  readonly numaNode: number | null;
  /** Every thread of the process as the kernel reports it. */
  readonly threads?: readonly ThreadRecord[];
  readonly binding?: BindingRecord;
  readonly noise?: NoiseRecord;
}

export interface Figure {
  readonly value: number | null;
  /** `s`, `B/s`, `1/s`, ... */
  readonly unit: string;
}

export interface RowParameters {
  /** Bytes; null where a row has no size (barrier). */
  readonly size: number | null;
  readonly datatype?: string;
  readonly window?: number;
  readonly pairs?: number;
  /** Bytes that really move under a derived layout. */
  readonly transmitSize?: number;
  readonly [name: string]: Json | undefined;
}

export interface SampleSet {
  readonly rank: number;
  readonly seconds: readonly number[];
  /** Samples beyond the 10^6 that are kept. */
  readonly omitted?: number;
}

/** What a rank's hardware counters counted during the measured iterations. */
export interface RankCounters {
  readonly rank: number;
  /** By PAPI's names of the events. */
  readonly values: { readonly [event: string]: number };
}

/** What a program showed of a row while it measured. */
export interface ProgressRecord {
  /** Iterations so far. */
  readonly n: number;
  /** Over all of them. */
  readonly figures: { readonly [name: string]: Figure };
}

export interface RowRecord {
  readonly parameters: RowParameters;
  /** Iterations really measured. */
  readonly n: number;
  readonly warmup?: number;
  readonly figures: { readonly [name: string]: Figure };
  /** Statistics of one of the figures, in its unit. */
  readonly statistics: (Statistics & { readonly figure: string; readonly unit: string }) | null;
  readonly validation?: { readonly passed: boolean; readonly [detail: string]: Json };
  readonly samples?: readonly SampleSet[];
  /** Iterations that shared one sample, where it was more than one. */
  readonly perSample?: number;
  /** With `-P`: of every rank. */
  readonly counters?: readonly RankCounters[];
  /** Of an imported run: what was shown before the last figures. */
  readonly progress?: readonly ProgressRecord[];
  /** Why the row has fewer iterations than asked for. */
  readonly stopped?: 'time-limit' | 'target-ci';
}

export interface StatusRecord {
  readonly state: 'running' | 'done' | 'failed';
  readonly message?: string;
}

/** A curve over sizes that rows of the record make. */
export interface CurveRecord extends CurveShape {
  /** The test, with the options in which it differs from others of the record. */
  readonly title: string;
  readonly figure: string;
  readonly unit: string;
  /** Options that its rows have in common. */
  readonly parameters: JsonObject;
}

/** What `fabricbench scan`, `map` or `congest` found beyond rows; what else stands in it, the pages of those tell. */
export interface StudyRecord {
  readonly kind: 'scan' | 'map' | 'congest';
  readonly [name: string]: Json;
}

export interface ResultRecord {
  readonly schema: typeof RESULT_SCHEMA;
  readonly run: RunRecord;
  readonly environment: EnvironmentRecord;
  readonly ranks: readonly RankRecord[];
  readonly rows: readonly RowRecord[];
  readonly warnings: readonly string[];
  readonly status: StatusRecord;
  readonly study?: StudyRecord;
  /** What the rows show together; of runs that have ended. */
  readonly analysis?: { readonly curves: readonly CurveRecord[] };
}
