/** The options of the osu_* programs, as one typed and immutable value. `parseOsu` (./osu.ts) makes it from argv. */
import type { CountClass } from '../bench/measure/types.js';
import type { BindingOptions } from '../binding/types.js';
import type { BindingOptionName } from './binding-options.js';
import type { LayerRequest } from './layer.js';
import type { StatsColumn } from './stats-columns.js';

/** The OMB version whose options and texts are kept. */
export const OMB_VERSION = '7.4';

/**
 * Everything an osu_* benchmark may take; a suite row lists what it accepts. These are the long names too, where the
 * table of options names no others.
 */
export type OptionName =
  | 'message-size'
  | 'sizes'
  | 'iterations'
  | 'warmup'
  | 'window-size'
  | 'buffer-num'
  | 'validation'
  | 'validation-warmup'
  | 'tail-lat'
  | 'type'
  | 'ddt'
  | 'print-rate'
  | 'num-pairs'
  | 'vary-window'
  | 'num-test-calls'
  | 'num-threads'
  | 'full'
  | 'mem-limit'
  | 'root-rank'
  | 'in-place'
  | 'nhbr'
  | 'window-option'
  | 'sync-option'
  | 'array-size'
  | 'cuda-target'
  | 'graph'
  | 'papi'
  | 'session'
  | 'sync'
  | 'per-repetition'
  | 'off-cache'
  | 'comm-size'
  | 'nodes-by'
  | 'layer'
  | 'engine'
  | 'stats'
  | 'json'
  | 'csv'
  | 'markdown'
  | 'samples'
  | 'time-limit'
  | 'target-ci'
  | 'watchdog'
  | 'noise'
  | BindingOptionName;

/** Which message sizes were asked for, in bytes. A range means min·2^k up to max, and 0 where min is 0. */
export type SizeRequest =
  | { readonly kind: 'range'; readonly min: number; readonly max: number }
  | { readonly kind: 'list'; readonly sizes: readonly number[] };

/** The derived layout that `-D` names. An index file is read later (`parseIndexFile` takes its text). */
export type DdtRequest =
  | { readonly kind: 'cont' }
  | { readonly kind: 'vect'; readonly stride: number; readonly block: number }
  | { readonly kind: 'indx'; readonly file: string };

/** The root of a rooted collective: always the same rank, or rank i mod n in iteration i. */
export type RootRequest = { readonly kind: 'fixed'; readonly rank: number } | { readonly kind: 'rotate' };

/**
 * Who is whose neighbour: a periodic grid of `dims` dimensions with all that are at most `radius` away along one of
 * them, or the edges of a file, which is read later (`parseGraphFile` takes its text).
 */
export type NeighbourRequest =
  | { readonly kind: 'cart'; readonly dims: number; readonly radius: number }
  | { readonly kind: 'graph'; readonly file: string };

/** Threads or processes that send on rank 0, and that receive on rank 1. */
export interface Workers {
  readonly send: number;
  readonly receive: number;
}

export type WindowCreation = 'create' | 'allocate' | 'dynamic';

export type Synchronization = 'lock' | 'flush' | 'flush_local' | 'lock_all' | 'pscw' | 'fence';

export type GraphFormat = 'tty' | 'svg' | 'html';

export interface PapiRequest {
  /** PAPI's names of events, at least one. */
  readonly events: readonly string[];
  /** Where the counts go; undefined = not into a file. */
  readonly file: string | undefined;
}

/** How ranks meet between the iterations of a collective. */
export type ProcessSync = 'barrier' | 'dissemination' | 'none';

/**
 * What `-c` asks for: `log` names the directory for reports of failures, null = none. It is made when the first is
 * written, and one that exists is added to.
 */
export interface ValidationRequest {
  readonly log: { readonly directory: string } | null;
}

export interface OsuOptions extends BindingOptions {
  readonly sizes: SizeRequest;
  /** `-i`: overwrites small and large counts; undefined = as the benchmark's count class says. */
  readonly iterations: number | undefined;
  /** `-x`: likewise. */
  readonly warmup: number | undefined;
  /** Messages per window. */
  readonly window: number;
  readonly buffers: 'single' | 'multiple';
  readonly validation: ValidationRequest | undefined;
  /** Untimed repeats before each timed iteration under `-c`. */
  readonly validationWarmup: number;
  /** Percentiles of `-z` in the order given, 0 to 100; empty = no tail columns. */
  readonly percentiles: readonly number[];
  /** Element types by their MPI names, e.g. `MPI_CHAR`; one section of the table each. */
  readonly datatypes: readonly string[];
  readonly ddt: DdtRequest | undefined;
  readonly printRate: boolean;
  /** `-p`; undefined = half of the ranks. */
  readonly pairs: number | undefined;
  readonly varyWindow: boolean;
  /** `-f`: more columns. */
  readonly full: boolean;
  /** Bytes, at least 1 MiB, that the messages of all ranks may take together. */
  readonly memLimit: number;
  /** A fixed rank may be one that the run does not have. */
  readonly root: RootRequest;
  readonly inPlace: boolean;
  readonly neighbours: NeighbourRequest;
  /** Calls of MPI_Test during the computation that a non-blocking collective is overlapped with. */
  readonly testCalls: number;
  readonly workers: Workers;
  readonly windowCreation: WindowCreation;
  readonly synchronization: Synchronization;
  /** Plots to make, each once; empty = none. */
  readonly graphs: readonly GraphFormat[];
  readonly papi: PapiRequest | undefined;
  /** Whether MPI is to be started through a session. */
  readonly session: boolean;
  readonly processSync: ProcessSync;
  /** Whether figures are of the slowest rank in each iteration. */
  readonly perRepetition: boolean;
  /** Whether each iteration has other buffers than the last-level cache holds. */
  readonly offCache: boolean;
  /** Sizes of communicators to measure on, in this order; undefined = all ranks. */
  readonly commSizes: readonly number[] | undefined;
  /** Ranks that count as one node; undefined = those of a host. */
  readonly nodesBy: number | undefined;
  /** What carries the messages. */
  readonly layer: LayerRequest;
  readonly engine: 'native' | 'js';
  readonly stats: boolean;
  /** The columns of `--stats`, in order; empty without it. */
  readonly statsColumns: readonly StatsColumn[];
  /** FILE, or `-` for stdout; undefined = no record. */
  readonly json: string | undefined;
  /** Likewise: the rows as CSV, and as a table in Markdown. */
  readonly csvFile: string | undefined;
  readonly markdown: string | undefined;
  readonly samples: boolean;
  /** Measuring budget of the whole run in seconds. */
  readonly timeLimit: number | undefined;
  /** How far the median may be off where a row ends early, as a part of it; undefined = rows have fixed iterations. */
  readonly targetCi: number | undefined;
  /** Seconds without progress after which the process ends; 0 = off. */
  readonly watchdog: number;
  /** Seconds for which each core is looked at before the run; undefined = not at all. */
  readonly noise: number | undefined;
}

/** The defaults of one benchmark: what its help shows and its options start from. */
export interface OsuDefaults {
  readonly sizes: { readonly min: number; readonly max: number };
  readonly counts: CountClass;
  readonly window?: number;
  /** Types that `-T` takes, the first being the default. Without it DATA_TYPES (./datatypes.ts). */
  readonly datatypes?: readonly string[];
  /** Of benchmarks with several threads or processes. */
  readonly workers?: Workers;
  /** Of one-sided benchmarks. */
  readonly oneSided?: OneSidedDefaults;
}

export interface OneSidedDefaults {
  readonly creation: WindowCreation;
  readonly synchronization: Synchronization;
  /** What `-s` takes. */
  readonly synchronizations: readonly Synchronization[];
}

/** Options that do something in most benchmarks that take them, and nothing in some. */
export type IdleOption = 'message-size' | 'sizes' | 'mem-limit' | 'validation-warmup' | 'num-test-calls';

/** The part of a suite row that options need. */
export interface OsuSpec {
  /** Program name, e.g. `osu_latency`. */
  readonly name: string;
  /** Title without version, e.g. `OSU MPI Latency Test`. */
  readonly title: string;
  /** Options taken beside `-h` and `-v`, which every benchmark has. */
  readonly accepts: readonly OptionName[];
  /** Those of `accepts` that are taken as the peer takes them, and do nothing in this benchmark: a note says so. */
  readonly idle?: readonly IdleOption[];
  readonly defaults: OsuDefaults;
}

export type ParsedOsu =
  | {
      readonly kind: 'run';
      readonly options: OsuOptions;
      /** Lines for rank 0's stderr. */ readonly notes: readonly string[];
    }
  | { readonly kind: 'help'; /** For stdout; exit 0. */ readonly text: string }
  | { readonly kind: 'version'; /** For stdout; exit 0. */ readonly text: string }
  | {
      readonly kind: 'refuse';
      readonly exitCode: number;
      /** For stderr of rank 0, newlines included. */
      readonly stderr: string;
      /** For stdout of rank 0, where the peer shows its help. */
      readonly help?: string;
    };
