/** What a page of a report shows, as plain data: built where records are read, drawn there and again in the browser. */
import type { Verdict } from '../../bench/measure/types.js';
import type { CurveKind } from '../../analysis/curve-types.js';

/** One line of the legend: all records that go by one label. */
export interface PageRun {
  readonly label: string;
  /** Place in the palette. */
  readonly colour: number;
}

/** Values from best to worst that so many percent of the samples keep to, in shown units. */
export type Quantile = readonly [percent: number, value: number];

/** How samples are distributed, in shown units. */
export interface Distribution {
  /** Bins of equal width from `low` to `high`, and how many samples lie below and above. */
  readonly low: number;
  readonly high: number;
  readonly counts: readonly number[];
  readonly below: number;
  readonly above: number;
}

/** Samples in the order of measuring: extremes and mean of neighbouring ones, in shown units. */
export interface Course {
  readonly min: readonly number[];
  readonly mean: readonly number[];
  readonly max: readonly number[];
}

/** Statistics of the group's own figure, in shown units. */
export interface PointStatistics {
  readonly n: number;
  readonly median: number | null;
  /** 95 % confidence interval of the median. */
  readonly interval: readonly [low: number, high: number] | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  readonly quantiles: readonly Quantile[];
  readonly outliers: number | null;
  readonly verdict: Verdict | null;
  /** From the first quarter to the last, as a part of the median; null where there is no trend. */
  readonly drift: number | null;
  /** Whether the samples are whole launches. */
  readonly launches: boolean;
  readonly distribution?: Distribution;
  readonly course?: Course;
}

export interface PagePoint {
  /** Bytes; null where there is no size. */
  readonly size: number | null;
  /** Of a bar. */
  readonly name?: string;
  /** In the order of the group's figures, in shown units. */
  readonly figures: readonly (number | null)[];
  /** Iterations. */
  readonly n: number;
  readonly statistics: PointStatistics | null;
  /** Whether data that was checked was wrong. */
  readonly wrong?: true;
}

/** A protocol switch: between two sizes. */
export interface PageSwitch {
  readonly before: number;
  readonly at: number;
  readonly text: string;
}

export interface PageSeries {
  /** Index of the run. */
  readonly run: number;
  readonly name: string;
  /** Place in the palette; steps of one thing (windows) have a ramp instead. */
  readonly colour: number;
  readonly points: readonly PagePoint[];
  readonly switches: readonly PageSwitch[];
  /** What is known of the curve, by the heads of the group's table of shapes. */
  readonly shape: readonly string[];
}

export interface PageFigure {
  readonly name: string;
  /** As people write it: `µs`. */
  readonly unit: string;
}

/** What is drawn into one chart. */
export interface PageGroup {
  readonly id: string;
  readonly title: string;
  /** What the program calls itself, where that is known. */
  readonly subtitle: string;
  readonly kind: CurveKind | 'other';
  readonly better: 'lower' | 'higher' | null;
  /** `lines` over sizes, or `bars`. */
  readonly form: 'lines' | 'bars';
  /** The first is the group's own: statistics are of it. */
  readonly figures: readonly PageFigure[];
  readonly series: readonly PageSeries[];
  /** Whether series are steps of one thing. */
  readonly ordinal: boolean;
}

/** What the browser gets. */
export interface PageData {
  readonly runs: readonly PageRun[];
  readonly groups: readonly PageGroup[];
}

/** What is drawn of a group. */
export interface View {
  /** `median`, `min`, `p90`, `p99`, `max`, or `figure:` and its number. */
  readonly measure: string;
  readonly linear: boolean;
  /** From the best sample to what 99 % keep to. */
  readonly spread: boolean;
  readonly switches: boolean;
  /** Indices of series that are not drawn. */
  readonly hidden: readonly number[];
  /** Sizes that the chart goes from and to; undefined = all. */
  readonly zoom?: readonly [from: number, to: number];
}
