/** What all forms of a comparison's text say alike: heads, cells, shapes. */
import type { Comparison, SeriesComparison } from './compare.js';
import type { RowComparison } from './compare-rows.js';
import type { CurveSegment, CurveShape } from './curve-types.js';
import { SATURATED } from './curve.js';
import type { Difference } from './differences.js';
import type { Series } from './series.js';
import { betterWords, bytes, column, number, probability, scaled, scaleOf, sizeRange, type Scale } from './units.js';

export interface Table {
  readonly heads: readonly string[];
  /** One list of cells for each row. */
  readonly rows: readonly (readonly string[])[];
}

/** Longer labels have a letter in the heads of tables. */
const LONGEST_HEAD = 12;

export function headOf(label: string, letter: string): string {
  return label.length <= LONGEST_HEAD ? label : letter;
}

/** `osu_bw: bandwidth in MB/s, higher is better`, and whether nothing but ratios is known. */
export function titleText({ title, a: { series }, rows }: SeriesComparison): string {
  const { figure, better } = series;
  const { unit } = scaleOf(series);
  const medians = rows.some(({ basis }) => basis !== 'figures') ? 'medians of ' : '';
  const only = rows.every(({ ratioOnly }) => ratioOnly) ? '; ratio only' : '';
  return `${title}: ${medians}${figure} in ${unit}, ${betterWords(better)}${only}`;
}

export function tableOf({ a: { series }, rows }: SeriesComparison, labels: readonly [string, string]): Table {
  const scale = scaleOf(series);
  const intervals = rows.some(({ interval }) => interval !== null);
  const tests = rows.some(({ p }) => p !== null);
  const counts = rows.some(({ basis }) => basis === 'launches' || basis === 'samples');
  const mixed = rows.some(({ ratioOnly }) => !ratioOnly);
  const values = column(
    rows.flatMap(({ a, b }) => [a.value, b.value]),
    scale,
  );
  const cells = (row: RowComparison, index: number): string[] => [
    row.size === null ? '-' : String(row.size),
    values[2 * index] ?? '',
    values[2 * index + 1] ?? '',
    ...(counts ? [countText(row)] : []),
    row.ratio === null ? '-' : ratioText(row.ratio),
    ...(intervals ? [row.interval ? `${ratioText(row.interval.low)}..${ratioText(row.interval.high)}` : '-'] : []),
    ...(tests ? [row.p === null ? '-' : probability(row.p)] : []),
    mixed && row.ratioOnly ? `${row.verdict} (ratio only)` : row.verdict,
  ];
  return {
    heads: [
      ...['bytes', ...labels, ...(counts ? ['n'] : []), 'ratio', ...(intervals ? ['95 % CI'] : [])],
      ...(tests ? ['p'] : []),
      'verdict',
    ],
    rows: rows.map(cells),
  };
}

function countText({ a, b, basis }: RowComparison): string {
  if (basis === 'figures' || basis === 'medians') return '-';
  return a.n === b.n ? String(a.n) : `${a.n}/${b.n}`;
}

export function ratioText(ratio: number): string {
  return ratio >= 100 ? ratio.toFixed(0) : ratio.toFixed(3);
}

/** Nothing of a single row. */
export function meanTexts({ rows, geometricMean }: SeriesComparison): string[] {
  const known = rows.filter(({ ratio }) => ratio !== null).length;
  if (geometricMean === null || known < 2) return [];
  return [`geometric mean of ${known} ratios: ${ratioText(geometricMean)}`];
}

export function differenceText({ what, text, tests }: Difference): string {
  const subject = what === '' ? text : `${what}${what === 'command line' ? ':' : ''} ${text}`;
  return tests.length === 0 ? subject : `${subject} (${shortened(tests)})`;
}

const MOST_NAMED = 3;

function shortened(tests: readonly string[]): string {
  return tests.length <= MOST_NAMED
    ? tests.join('; ')
    : `${tests.slice(0, MOST_NAMED - 1).join('; ')} and ${tests.length - MOST_NAMED + 1} more tests`;
}

/** `B against A: 0.87 times as fast ...; 3 improved, ...` */
export function overallText({ a, b, series, performance, verdicts }: Comparison): string {
  const counts = Object.entries(verdicts).flatMap(([verdict, count]) => (count > 0 ? [`${count} ${verdict}`] : []));
  const rows = `rows: ${counts.join(', ')}`;
  if (performance === null) return `${b.label} against ${a.label}: ${rows}`;
  const over = series.length === 1 ? 'geometric mean' : `geometric mean of ${series.length} tests`;
  return `${b.label} is ${ratioText(performance)} times as fast as ${a.label} (${over}); ${rows}`;
}

/** Sentences on a curve of some points; nothing of fewer. */
export function shapeTexts(series: Series, shape: CurveShape): string[] {
  const scale = scaleOf({ test: series.test, unit: 'B/s' });
  const { peak, segments, switches, dips, latencies } = shape;
  if (segments.length === 0 && latencies.length === 0) return [];
  const known = latencies.map(
    ({ size, seconds, measured }) => `${micro(seconds)} us at ${bytes(size)}${measured ? '' : ' (by the fit)'}`,
  );
  return [
    ...(known.length > 0 ? [`latency ${known.join(', ')}`] : []),
    ...(peak && segments.length > 0 ? [peakText(shape, peak, scale)] : []),
    ...(segments.length > 0 ? [`fit: ${segments.map((segment) => segmentText(segment, scale)).join('; ')}`] : []),
    ...(switches.length > 0
      ? [
          `switches: ${switches.map(({ at, before, kind }) => `${kind} between ${sizeRange([before, at], 'and')}`).join('; ')}`,
        ]
      : []),
    ...(dips.length > 0
      ? [`dips: ${dips.map(({ at, drop }) => `-${(drop * 100).toFixed(0)} % at ${bytes(at)}`).join('; ')}`]
      : []),
  ];
}

function peakText(
  { saturation, saturated, halfBandwidth }: CurveShape,
  peak: NonNullable<CurveShape['peak']>,
  scale: Scale,
): string {
  const full =
    saturation === null
      ? ''
      : `, ${SATURATED * 100} % of it from ${bytes(saturation)}${saturated ? '' : ' (its largest size)'}`;
  const half = halfBandwidth === null ? '' : `, half of it at ${number(halfBandwidth).replace(/\.\d+$/, '')} bytes`;
  return `peak ${scaled(peak.value, scale)} ${scale.unit} at ${bytes(peak.size)}${full}${half}`;
}

function segmentText({ from, to, latency, bandwidth, error }: CurveSegment, scale: Scale): string {
  const start = `${micro(latency)} us`;
  const line = bandwidth === null ? start : `${start} + size / ${scaled(bandwidth, scale)} ${scale.unit}`;
  return `${sizeRange([from, to])}: ${line} (off by ${(error * 100).toFixed(1)} %)`;
}

const micro = (seconds: number): string => number(seconds * 1e6);
