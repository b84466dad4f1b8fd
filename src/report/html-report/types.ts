/** What a report's page is drawn from: plain data, in base units, small enough to be embedded. */

export interface ReportRun {
  readonly name: string;
  readonly layer: string;
  /** What tells it from the others: its label, or the file's name. */
  readonly label: string;
  readonly file: string;
  readonly started: string;
  readonly host: string;
  readonly status: string;
  readonly warnings: readonly string[];
  readonly commandLine: string;
  /** Its rows as text, to copy. */
  readonly table: string;
}

/** Of all samples, in bins of equal width on a logarithmic scale. */
export interface ReportHistogram {
  /** One more than counts. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
}

export interface ReportPoint {
  /** Bytes; null where the test has no size. */
  readonly size: number | null;
  readonly value: number;
  readonly n: number;
  /** Of the median, at 95 %. */
  readonly interval?: readonly [low: number, high: number];
  readonly median?: number;
  /** Name and value, e.g. `99 %`. */
  readonly quantiles?: readonly (readonly [string, number])[];
  readonly verdict?: string;
  readonly histogram?: ReportHistogram;
}

export interface ReportMark {
  readonly size: number;
  readonly value: number;
  readonly text: string;
}

export interface ReportSeries {
  /** Index into the report's runs. */
  readonly run: number;
  readonly title: string;
  readonly points: readonly ReportPoint[];
  /** Where protocols seem to switch, and where the curve dips. */
  readonly marks: readonly ReportMark[];
  /** What the curve's shape says, in words. */
  readonly shape: readonly string[];
}

export interface ReportPanel {
  readonly title: string;
  /** Base unit of its values: s, B/s, 1/s. */
  readonly base: string;
  /** As shown, and the factor from base units. */
  readonly unit: string;
  readonly factor: number;
  /** Whether it is drawn over message sizes. */
  readonly sized: boolean;
  readonly series: readonly ReportSeries[];
}

export interface ReportFact {
  readonly name: string;
  /** For each run. */
  readonly values: readonly string[];
  readonly differs: boolean;
}

export interface Report {
  readonly title: string;
  readonly version: string;
  readonly made: string;
  readonly runs: readonly ReportRun[];
  readonly panels: readonly ReportPanel[];
  readonly facts: readonly ReportFact[];
}
