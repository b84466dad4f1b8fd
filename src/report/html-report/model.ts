/** From records to what a report shows. */
import { curveShape, type CurveShape } from '../../analysis/curve.js';
import { factsOf } from '../../analysis/facts.js';
import { pointsOf, seriesOf, titleOf, type Launch, type Series } from '../../analysis/series.js';
import { bytes, change, microseconds, number, scaleOf } from '../../analysis/units.js';
import type { ResultRecord, RowRecord } from '../../results/types.js';
import { histogramOf } from './histogram.js';
import { textTable } from './text-table.js';
import type { Report, ReportFact, ReportMark, ReportPanel, ReportPoint, ReportRun, ReportSeries } from './types.js';

/** A record, and the file that it stands in. */
export interface Source {
  readonly file: string;
  readonly record: ResultRecord;
}

export interface ReportRequest {
  readonly title: string;
  readonly version: string;
  readonly made: Date;
  readonly sources: readonly Source[];
}

export function reportOf({ title, version, made, sources }: ReportRequest): Report {
  const labels = labelsOf(sources);
  return {
    title,
    version,
    made: made.toISOString(),
    runs: sources.map((source, index) => runOf(source, labels[index] ?? '')),
    panels: panelsOf(sources),
    facts: factTable(sources),
  };
}

/** Each run's label, or its file's; those that are alike get a number. */
export function labelsOf(sources: readonly Source[]): string[] {
  const named = sources.map(
    ({ file, record: { run } }) => run.label ?? file.replace(/^.*\//, '').replace(/\.\w+$/, ''),
  );
  const seen = new Map<string, number>();
  return named.map((name) => {
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return named.filter((other) => other === name).length > 1 ? `${name} #${nth}` : name;
  });
}

function runOf({ file, record }: Source, label: string): ReportRun {
  const { run, environment, status, warnings } = record;
  return {
    ...{ name: run.name, layer: run.layer, label, file, started: run.started, warnings },
    host: environment.hosts.map(({ name }) => name).join(' '),
    status: status.message === undefined ? status.state : `${status.state}: ${status.message}`,
    commandLine: run.commandLine.join(' '),
    table: textTable(record),
  };
}

interface Shown {
  readonly run: number;
  readonly series: Series;
}

/** Figures of one kind share a panel: what all layers measure alike, or what one test does. */
export function panelsOf(sources: readonly Source[]): ReportPanel[] {
  const panels = new Map<string, Shown[]>();
  for (const [run, { record }] of sources.entries())
    for (const series of [...seriesOf([record]), ...ratesOf(record)]) {
      const title = panelTitle(series);
      panels.set(title, [...(panels.get(title) ?? []), { run, series }]);
    }
  return [...panels].map(([title, shown]) => panelOf(title, shown));
}

/** Message rates are a figure of their own where streams are measured. */
function ratesOf(record: ResultRecord): Series[] {
  const streams = record.rows.filter(({ figures }) => 'bandwidth' in figures && 'rate' in figures);
  const all = streams.length > 0 ? seriesOf([{ ...record, rows: streams }], 'rate') : [];
  return all.filter(({ test }) => test.measures !== 'latency');
}

function panelTitle({ kind, test, figure, unit }: Series): string {
  if (figure === 'rate') return 'Message rate';
  if (kind === 'latency' && isPingPong(test.name)) return 'Latency';
  if (kind === 'bandwidth') return 'Bandwidth';
  return `${test.name}: ${figure}${kind === 'latency' ? '' : ` (${unit})`}`;
}

/** Tests whose times are those of one message. */
const isPingPong = (name: string): boolean => /_lat(?:ency)?(?:_|$)/.test(name);

function panelOf(title: string, shown: readonly Shown[]): ReportPanel {
  const [first] = shown;
  const scale = first ? scaleOf(first.series) : { unit: '', factor: 1 };
  const all = shown.map(({ series }) => series);
  const several = new Set(all.map(({ test }) => test.name)).size > 1;
  return {
    title,
    base: first?.series.unit ?? '',
    ...scale,
    sized: all.some(({ rows }) => rows.some(({ size }) => size !== null)),
    series: shown.map(({ run, series }) => shownSeries(run, series, titleWithin(shown, run, series, several), scale)),
  };
}

/** What tells a series from others of its run, and its test where the panel has several. */
function titleWithin(shown: readonly Shown[], run: number, series: Series, several: boolean): string {
  const own = shown.filter((other) => other.run === run).map((other) => other.series);
  const text = titleOf(series, own);
  return several ? text : text.replace(series.test.name, '').replace(/^, /, '');
}

function shownSeries(
  run: number,
  series: Series,
  title: string,
  scale: { unit: string; factor: number },
): ReportSeries {
  const points = series.rows.map(({ size, launches }) => pointOf(series, size, launches));
  const shape = series.kind && series.kind !== 'rate' ? curveShape(pointsOf(series), series.kind) : undefined;
  const shown = (value: number): string => `${number(value * scale.factor)} ${scale.unit}`;
  return {
    ...{ run, title, points },
    marks: shape ? marksOf(shape, points) : [],
    shape: shape ? [...basis(points), ...shapeWords(shape, shown)] : [],
  };
}

/** Points are drawn as the programs print them; what is said of a curve's shape goes by medians, which bad samples don't move. */
const basis = (points: readonly ReportPoint[]): string[] =>
  points.some(({ median, value }) => median !== undefined && median !== value) ? ['by medians'] : [];

function pointOf(series: Series, size: number | null, launches: readonly Launch[]): ReportPoint {
  const values = launches.map(({ value }) => value).sort((a, b) => a - b);
  const value = values[Math.floor((values.length - 1) / 2)] ?? NaN;
  const row = launches.find((launch) => launch.value === value)?.row ?? launches[0]?.row;
  if (!row) return { size, value, n: 0 };
  return { size, value, n: row.n, ...statisticsOf(row, series), ...distributionOf(row, series) };
}

type Statistical = Pick<ReportPoint, 'interval' | 'median' | 'quantiles' | 'verdict'>;

/** Only of the figure that is shown: statistics of bandwidths say nothing of rates. */
function statisticsOf({ statistics }: RowRecord, { figure, unit }: Series): Statistical {
  if (!statistics || statistics.unit !== unit || statistics.figure !== figure) return {};
  const { medianInterval, median, verdict, min, max, p90, p99 } = statistics;
  const asked = statistics.percentiles.map(({ percent, value }) => [`${percent} %`, value] as const);
  const all = [['min', min], ['median', median], ['90 %', p90], ['99 %', p99], ['max', max], ...asked] as const;
  const quantiles = all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return {
    ...(medianInterval ? { interval: [medianInterval.low, medianInterval.high] } : {}),
    ...(median === null ? {} : { median }),
    ...(quantiles.length > 0 ? { quantiles } : {}),
    ...(verdict ? { verdict } : {}),
  };
}

/** Samples are times of iterations: a distribution of what is shown where that is a time too. */
function distributionOf({ samples }: RowRecord, { unit }: Series): Pick<ReportPoint, 'histogram'> {
  if (!samples || unit !== 's') return {};
  const histogram = histogramOf(samples.flatMap(({ seconds }) => [...seconds]));
  return histogram ? { histogram } : {};
}

function marksOf({ switches, dips }: CurveShape, points: readonly ReportPoint[]): ReportMark[] {
  const marks = [
    ...switches.map(({ at, kind, change: by }) => ({
      size: at,
      text: `${kind === 'jump' ? 'jump' : 'change of slope'} at ${bytes(at)}: the time is ${change(1 + by)} off what smaller sizes foretell`,
    })),
    ...dips.map(({ before, lowest, drop }) => ({
      size: lowest.size,
      text: `dip: ${(drop * 100).toFixed(0)} % below the bandwidth at ${bytes(before)}`,
    })),
  ];
  return marks.flatMap((mark) => {
    const point = points.find(({ size }) => size === mark.size);
    return point ? [{ ...mark, value: point.value }] : [];
  });
}

function shapeWords(shape: CurveShape, shown: (value: number) => string): string[] {
  const { peak, saturation, saturated, halfBandwidth, latencies, switches, dips, kind } = shape;
  const peakWords = peak && kind === 'bandwidth' ? [`peak ${shown(peak.value)} at ${bytes(peak.size)}`] : [];
  return [
    ...latencies.map(
      ({ size, seconds, measured }) =>
        `${bytes(size)}: ${microseconds(seconds).replace('+', '')}${measured ? '' : ' (fitted)'}`,
    ),
    ...peakWords,
    ...(saturation !== null && kind === 'bandwidth'
      ? [`${saturated ? 'saturates' : 'still rising'} at ${bytes(saturation)}`]
      : []),
    ...(halfBandwidth !== null ? [`half of the bandwidth at ${bytes(halfBandwidth)}`] : []),
    ...(switches.length > 0 ? [`switches at ${switches.map(({ at }) => bytes(at)).join(', ')}`] : []),
    ...dips.map(({ before, at }) => `dips between ${bytes(before)} and ${bytes(at)}`),
  ];
}

/** What the runs were measured on; those that differ first. */
function factTable(sources: readonly Source[]): ReportFact[] {
  const all = sources.map(({ record }) => new Map(factsOf(record)));
  const names = [...new Set(all.flatMap((facts) => [...facts.keys()]))];
  const facts = names.map((name) => {
    const values = all.map((known) => known.get(name) ?? '');
    return { name, values, differs: new Set(values).size > 1 };
  });
  return [...facts.filter(({ differs }) => differs), ...facts.filter(({ differs }) => !differs)];
}
