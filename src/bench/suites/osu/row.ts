/** What an osu_* row holds, and what many rows have in common. */
import { BINDING_OPTIONS } from '../../../cli/binding-options.js';
import type { OptionName, OsuOptions, OsuSpec } from '../../../cli/options.js';
import type { OsuColumn, OsuTable } from '../../../report/types.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { StartUp } from '../../start-up.js';
import type { Tail } from '../../measure/types.js';

/** Groups of `fabricbench list`. */
export type Family =
  'point-to-point' | 'start-up' | 'collective' | 'non-blocking' | 'neighbourhood' | 'persistent' | 'one-sided';

/** A program whose ranks measure something together. */
export interface MeasuringRow extends RowFacts {
  readonly kernel: Kernel;
}

/** A program that tells of MPI's start alone. */
export interface StartUpRow extends RowFacts {
  readonly startUp: StartUp;
}

export type OsuRow = MeasuringRow | StartUpRow;

/** What one osu_* program measures, takes and prints. */
interface RowFacts extends OsuSpec {
  readonly family: Family;
  /** What its figure is, in one phrase. */
  readonly measures: string;
  /** What it can't run without, beside its ranks, e.g. `MPI-4`. */
  readonly needs?: readonly string[];
  /**
   * Exactly two ranks, any even number that form pairs r and r + pairs, two or more, as many on each of two or more nodes,
   * or any number.
   */
  readonly ranks: 2 | 'pairs' | 'many' | 'nodes' | 'any';
  /** Rows: the sizes asked for (default), one row without a size, or one row of the size of one element. */
  readonly sizes?: 'none' | 'element';
  /** The fewest elements that a size must have for every rank to take part (default 1). */
  readonly leastElements?: 'ranks';
  /** Ranks call MPI on several threads. */
  readonly threads?: true;
  /** Ranks have other processes started beside them (`-t`). */
  readonly children?: true;
  /** A sample: each rank's time of an iteration (default), or the mean of all ranks. */
  readonly samples?: 'mean';
  /** Barriers of all ranks before each timed part, untimed. */
  readonly barriers: number;
  /** The figure that statistics and percentiles are of, and which end of it is the bad one. */
  readonly figure: string;
  readonly tail: Tail;
  readonly columns: readonly OsuColumn[];
  readonly leadingBlank: boolean;
  /** Shows the iterations under `-f`. */
  readonly fullIterations?: boolean;
  /** Sections print `# Datatype: X.` (default true). */
  readonly datatypeLine?: false;
  readonly statistics: OsuTable['statistics'];
  /** Lines before everything else. */
  readonly preamble?: (options: OsuOptions) => readonly string[];
  /** Lines after the title. */
  readonly notes?: (options: OsuOptions, pairs: number) => readonly string[];
}

export const MIB = 1024 * 1024;

/** What every benchmark takes. */
export const RUN_OPTIONS: readonly OptionName[] = [
  ...(['engine', 'stats', 'json', 'csv', 'markdown', 'samples', 'time-limit', 'target-ci'] as const),
  ...(['watchdog', 'noise'] as const),
  ...BINDING_OPTIONS,
  ...(['graph', 'papi', 'session'] as const),
];

export const COUNT_OPTIONS: readonly OptionName[] = ['iterations', 'warmup'];
export const SIZE_OPTIONS: readonly OptionName[] = ['message-size', 'sizes'];
export const VALIDATION_OPTIONS: readonly OptionName[] = ['validation', 'validation-warmup'];

export const MICROSECONDS = { unit: 'us', scale: 1e6 };
export const MEGABYTES = { unit: 'MB/s', scale: 1e-6 };
export const LATENCY_STATISTICS = { tailName: 'Lat(us)', precision: 3, ...MICROSECONDS };
export const BANDWIDTH_STATISTICS = { tailName: 'BW(MB/s)', precision: 2, ...MEGABYTES };
