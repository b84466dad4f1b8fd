/** The options of the osu_* programs, as one typed and immutable value. `parseOsu` (./osu.ts) makes it from argv. */
import type { CountClass } from '../bench/measure/types.js';

/** The OMB version whose options and texts are kept. */
export const OMB_VERSION = '7.4';

/** Long names of everything an osu_* benchmark may take; a suite row lists those that it accepts. */
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
  | 'graph'
  | 'papi'
  | 'session'
  | 'engine'
  | 'stats'
  | 'json'
  | 'samples'
  | 'time-limit'
  | 'watchdog'
  | 'bind'
  | 'report-binding';

/** Which message sizes were asked for, in bytes. A range means min·2^k up to max, and 0 where min is 0. */
export type SizeRequest =
  | { readonly kind: 'range'; readonly min: number; readonly max: number }
  | { readonly kind: 'list'; readonly sizes: readonly number[] };

/** The derived layout that `-D` names. An index file is read later (`parseIndexFile` takes its text). */
export type DdtRequest =
  | { readonly kind: 'cont' }
  | { readonly kind: 'vect'; readonly stride: number; readonly block: number }
  | { readonly kind: 'indx'; readonly file: string };

/**
 * What `-c` asks for: `log` names the directory for reports of failures, null = none. It is made when the first is
 * written, and one that exists is added to.
 */
export interface ValidationRequest {
  readonly log: { readonly directory: string } | null;
}

export interface OsuOptions {
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
  readonly engine: 'native' | 'js';
  readonly stats: boolean;
  /** FILE, or `-` for stdout; undefined = no record. */
  readonly json: string | undefined;
  readonly samples: boolean;
  /** Measuring budget of the whole run in seconds. */
  readonly timeLimit: number | undefined;
  /** Seconds without progress after which the process ends; 0 = off. */
  readonly watchdog: number;
  /** Processor of each local rank, by local rank. */
  readonly bind: readonly number[] | undefined;
  readonly reportBinding: boolean;
}

/** The defaults of one benchmark: what its help shows and its options start from. */
export interface OsuDefaults {
  readonly sizes: { readonly min: number; readonly max: number };
  readonly counts: CountClass;
  readonly window?: number;
  /** Types that `-T` takes, the first being the default. Without it MPI_CHAR, MPI_INT, MPI_FLOAT. */
  readonly datatypes?: readonly string[];
}

/** The part of a suite row that options need. */
export interface OsuSpec {
  /** Program name, e.g. `osu_latency`. */
  readonly name: string;
  /** Title without version, e.g. `OSU MPI Latency Test`. */
  readonly title: string;
  /** Options taken beside `-h` and `-v`, which every benchmark has. */
  readonly accepts: readonly OptionName[];
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
