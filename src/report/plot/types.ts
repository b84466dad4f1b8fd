/** What plots are made of: the rows of a run with the times of their iterations, and panels made of them. */
import type { RowRecord, StatusRecord } from '../../results/types.js';
import type { OsuTable, RunHead, Sink } from '../types.js';
import type { Envelope } from './envelope.js';

/** What `-G` asks for: text after the table, NAME.svg, NAME.html. */
export type Graph = 'tty' | 'svg' | 'html';

/** What plots a run makes, and where they go. */
export interface PlotRequest {
  readonly graphs: readonly Graph[];
  /** Program, e.g. `osu_bw`: files are named after it. */
  readonly name: string;
  /** Of the run's sections; with several, each has an SVG of its own. */
  readonly datatypes: readonly string[];
  /** Where files go; default the current directory. */
  readonly folder?: string;
}

export interface PlotOptions extends PlotRequest {
  readonly table: OsuTable;
  /** Takes the text plots. */
  readonly sink: Sink;
}

export interface PlotRow {
  readonly record: RowRecord;
  /** Times of the iterations as they were measured, in seconds; undefined where no samples came. */
  readonly times: Envelope | undefined;
}

export interface PlotSection {
  readonly datatype: string | undefined;
  readonly rows: readonly PlotRow[];
}

/** A run as far as it went. */
export interface PlotRun {
  readonly head: RunHead;
  readonly table: OsuTable;
  readonly sections: readonly PlotSection[];
  readonly warnings: readonly string[];
  readonly status: StatusRecord;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** One figure of one row, in the shown unit. */
export interface Point {
  /** Bytes; null where the row has no size. */
  readonly size: number | null;
  readonly value: number;
  readonly median?: number;
  /** 95 % confidence interval of the median. */
  readonly interval?: Interval;
  /** From the best sample to what 99 % of them keep to. */
  readonly spread?: Interval;
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
}

/** Figures that share an axis. */
export interface Panel {
  readonly title: string;
  /** As the table's header has it, e.g. `us`. */
  readonly unit: string;
  /** Lines over the message size, or bars where there are not two sizes to join. */
  readonly kind: 'lines' | 'bars';
  readonly series: readonly Series[];
  /** Whether the series are steps of one thing, such as windows, and not different things. */
  readonly ordinal: boolean;
  /** What `size` of a point is, where it isn't the message size. */
  readonly over?: Over;
}

/** A horizontal axis of something that is counted. */
export interface Over {
  /** With a capital, e.g. `Pairs`. */
  readonly title: string;
  readonly text: (value: number) => string;
}

/** Times of the iterations of one row. */
export interface TimesPanel {
  readonly title: string;
  readonly times: Envelope;
}
