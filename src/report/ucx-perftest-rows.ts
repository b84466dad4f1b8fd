/** Rows of ucx_perftest: of its table, of its CSV. Bytes and seconds in; MB of 2^20 bytes and microseconds out. */
import type { UcxFigures, UcxTextOptions } from './ucx-perftest-types.js';

const MICRO = 1e6;
const MB = 2 ** 20;

export interface RowFormat {
  readonly thousands: boolean;
}

/** What `--stats` shows, in this order; `n` is a number of samples and the others are times. */
const STATISTICS = ['min', 'median', 'p90', 'p99', 'max', 'sd', 'n'] as const;

/** One thread's row, without newline. */
export function singleRow(label: string, figures: UcxFigures, { thousands }: RowFormat): string {
  const { iterations, percentile, latency, bandwidth, rate } = figures;
  return [
    label.padEnd(10) + count(iterations, thousands).padStart(18),
    percentile === null ? ' '.repeat(10) : time(percentile).padStart(10),
    time(latency.average).padStart(9),
    time(latency.overall).padStart(9),
    megabytes(bandwidth.average).padStart(11),
    megabytes(bandwidth.overall).padStart(10),
    count(rate.average, thousands).padStart(11),
    count(rate.overall, thousands).padStart(11),
  ].join(' ');
}

/** The row of several threads or pairs together, which has what is known of all of them. */
export function severalRow(label: string, figures: UcxFigures, { thousands }: RowFormat): string {
  const { iterations, latency, bandwidth, rate } = figures;
  return [
    label.padEnd(10) + count(iterations, thousands).padStart(18),
    time(latency.overall).padStart(29),
    megabytes(bandwidth.overall).padStart(22),
    // The peer's column stands a little further right with separators.
    count(rate.overall, thousands).padStart(thousands ? 24 : 23),
  ].join(' ');
}

/** Times in microseconds after the names of the statistics. */
export function statisticsLine(statistics: NonNullable<UcxFigures['statistics']>): string {
  const parts = STATISTICS.filter((name) => name in statistics).map(
    (name) => `${name} ${statisticText(name, statistics[name])}`,
  );
  return `Samples:  ${parts.join(', ')} (usec)`;
}

export function csvHeader({ batchFiles, percentile, stats }: UcxTextOptions): string {
  const rank = percentileText(percentile);
  return [
    ...batchFiles.map(csvCell),
    ...[
      'iterations',
      `${rank}_percentile_lat`,
      'avg_lat',
      'overall_lat',
      'avg_bw',
      'overall_bw',
      'avg_mr',
      'overall_mr',
    ],
    ...(stats ? STATISTICS : []),
  ].join(',');
}

/** As many cells as the header has, empty where nothing is known. */
export function csvRow(
  { batchFiles, stats }: UcxTextOptions,
  labels: readonly string[],
  { iterations, percentile, latency, bandwidth, rate, statistics }: UcxFigures,
  several = false,
): string {
  const average = (text: string): string => (several ? '' : text);
  return [
    ...batchFiles.map((_, index) => csvCell(labels[index] ?? '')),
    count(iterations, false).padStart(4),
    average(percentile === null ? '' : time(percentile)),
    average(time(latency.average)),
    time(latency.overall),
    average(megabytes(bandwidth.average)),
    megabytes(bandwidth.overall),
    average(count(rate.average, false)),
    count(rate.overall, false),
    ...(stats ? STATISTICS.map((name) => statisticText(name, statistics?.[name], '')) : []),
  ].join(',');
}

/** One decimal, or all that were given. */
export function percentileText(percentile: number): string {
  const shortest = String(percentile);
  const decimals = shortest.split('.')[1]?.length ?? 0;
  return decimals > 1 ? shortest : percentile.toFixed(1);
}

function statisticText(name: (typeof STATISTICS)[number], value: number | null | undefined, unknown = '-'): string {
  if (value === null || value === undefined) return unknown;
  return name === 'n' ? count(value, false) : time(value);
}

function csvCell(text: string): string {
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function time(seconds: number): string {
  return fixed(seconds * MICRO, 3);
}

function megabytes(bytesPerSecond: number): string {
  return fixed(bytesPerSecond / MB, 2);
}

function count(value: number, thousands: boolean): string {
  const text = fixed(value, 0);
  return thousands ? text.replace(/\B(?=(\d{3})+$)/g, ',') : text;
}

/** As printf prints it, also what is no number: a time of 0 makes a bandwidth of inf. */
function fixed(value: number, decimals: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return value.toFixed(decimals);
}
