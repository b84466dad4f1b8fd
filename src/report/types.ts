/** The reporter seam: how results leave. Reporters turn a run into text and hand it to a sink; they live on rank 0 only. */
import type { StatsColumn } from '../cli/stats-columns.js';
import type { EnvironmentRecord, RankRecord, RowRecord, RunRecord, StatusRecord } from '../results/types.js';

/** Where text goes. `write` returns when all of it is written, and throws a `SinkError` when it can't be. */
export interface Sink {
  write(text: string): void;
}

/** What is known when a run begins. */
export interface RunHead {
  readonly run: RunRecord;
  readonly environment: EnvironmentRecord;
  readonly ranks: readonly RankRecord[];
}

/** One part of a table: with `-T all` there is one section per datatype. */
export interface Section {
  readonly datatype?: string;
  /** Ranks that took part, where parts differ in that (`--comm-size`). */
  readonly ranks?: number;
}

export interface Reporter {
  begin(head: RunHead): void;
  section(section: Section): void;
  /** Raw durations of the row that is being measured, chunk by chunk, before that row is reported. */
  samples?(rank: number, seconds: Float64Array): void;
  row(row: RowRecord): void;
  warning?(text: string): void;
  /** Puts right what is known better now (e.g. the transports really used). */
  amend?(changes: Partial<RunHead>): void;
  /** Called after failures too; a second call adds nothing. */
  end(status: StatusRecord): void;
}

/** One figure's column. The shown number is value x scale, with `precision` decimals, right-aligned in `width`. */
export interface OsuColumn {
  /** Name among the row's figures. */
  readonly figure: string;
  readonly header: string;
  /** From the record's unit to the shown one: 1e6 for seconds to us, 1e-6 for B/s to MB/s. */
  readonly scale: number;
  /** Default 18. */
  readonly width?: number;
  /** Default 2. */
  readonly precision?: number;
  /** Only there when this option says so. */
  readonly optional?: 'print-rate' | 'full' | 'per-repetition';
  /** Heading of its matrix under `-V`; default `header`. */
  readonly matrixHeading?: string;
}

/** The table of one osu_* benchmark: what its suite row says, options already applied. */
export interface OsuTable {
  /** Title without version, e.g. `OSU MPI Latency Test`. */
  readonly title: string;
  /** Lines before everything else, without newline (e.g. `# Number of Sender threads: 1 `). */
  readonly preamble?: readonly string[];
  /** Whether a blank line comes before the title. */
  readonly leadingBlank: boolean;
  /** Lines directly after the title, without newline (e.g. `# [ pairs: 1 ] [ window size: 64 ]`). */
  readonly notes?: readonly string[];
  /** Whether sections print `# Datatype: X.` */
  readonly datatypeLine: boolean;
  /** Whether rows begin with the message size; barriers don't. */
  readonly sizeColumn: boolean;
  /** In order; extremes and iterations of `-f` are columns like any other. */
  readonly columns: readonly OsuColumn[];
  /** Shows the row's iterations (width 12) after the figures. */
  readonly iterations?: boolean;
  /** Shows Pass or Fail. */
  readonly validation?: boolean;
  /** Percentiles of `-z`, in order; from the row's statistics. */
  readonly percentiles?: readonly number[];
  /** Unit part of tail headers, e.g. `Lat(us)` or `BW(MB/s)`; and how statistics are shown. */
  readonly statistics: {
    /** `P50 Tail ` is put before it. */
    readonly tailName: string;
    /** In brackets after the names of `--stats`, e.g. `us`. */
    readonly unit: string;
    readonly scale: number;
    /** Decimals of the `--stats` columns. */
    readonly precision: number;
  };
  /** Shows the bytes that really move (`-D`). */
  readonly transmitSize?: boolean;
  /** Adds these columns of `--stats`. */
  readonly stats?: readonly StatsColumn[];
  /** Only for `-V`: windows across, sizes down, one matrix per entry, the first printed while measuring. */
  readonly matrix?: {
    readonly windows: readonly number[];
    readonly parts: readonly { readonly heading: string; readonly figure: string; readonly scale: number }[];
  };
}
