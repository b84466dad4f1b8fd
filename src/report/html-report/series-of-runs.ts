/** Which series of which runs share a chart. */
import { kindOf } from '../../analysis/figures.js';
import type { CurveKind } from '../../analysis/curve-types.js';
import { mainFigure } from '../../analysis/figures.js';
import { differingNames, seriesOf, titleOf, wordsOf, type Series } from '../../analysis/series.js';
import { testOf } from '../../analysis/tests.js';
import type { ResultRecord, RowRecord } from '../../results/types.js';
import { groupsBy } from '../plot/panels.js';
import type { Run } from './runs.js';

/** A series of a run, with its name in its chart. */
export interface Member {
  /** Index of the run. */
  readonly run: number;
  readonly series: Series;
  readonly name: string;
}

export interface Chart {
  readonly title: string;
  readonly members: readonly Member[];
  /** Whether they are steps of one thing, as windows. */
  readonly ordinal: boolean;
}

export interface Choice {
  /** Only this kind of figure; undefined = each test's own. */
  readonly kind?: CurveKind | undefined;
  /** Tests that do the same through different layers share a chart. */
  readonly together?: boolean | undefined;
}

interface Entry {
  readonly run: number;
  readonly label: string;
  readonly series: Series;
}

/** In the order of the records. */
export function chartsOf(runs: readonly Run[], { kind, together = false }: Choice): Chart[] {
  const entries = runs.flatMap(({ label, records }, run) =>
    seriesOfKind(records, kind).map((series) => ({ run, label, series })),
  );
  const keyOf = ({ series: { test, unit } }: Entry): string =>
    JSON.stringify(together ? [test.operation, unit] : [test.name, unit]);
  return [...groupsBy(entries, keyOf).values()].flatMap((group) => chartsOfTest(group));
}

/** Figures of one name make series: records are asked one kind at a time. */
function seriesOfKind(records: readonly ResultRecord[], kind: CurveKind | undefined): Series[] {
  if (kind === undefined) return seriesOf(records);
  const byFigure = groupsBy(records, (record) => figureOfKind(record, kind) ?? '');
  return [...byFigure].flatMap(([figure, members]) => (figure === '' ? [] : seriesOf(members, figure)));
}

/** The main figure where it is of that kind, else the first that is. */
function figureOfKind(record: ResultRecord, kind: CurveKind): string | undefined {
  for (const row of record.rows) {
    const main = mainFigure(testOf(record, row), row);
    const names = [...(main === undefined ? [] : [main]), ...Object.keys(row.figures)];
    const found = names.find((name) => isOf(row, name, kind));
    if (found !== undefined) return found;
  }
  return undefined;
}

function isOf({ figures }: RowRecord, name: string, kind: CurveKind): boolean {
  const figure = figures[name];
  return figure !== undefined && figure.value !== null && kindOf(figure.unit) === kind;
}

/**
 * One chart where each run has one series. Where a single run has several they are steps in one chart; where several runs
 * have several, each step has a chart, with one line for each run.
 */
function chartsOfTest(entries: readonly Entry[]): Chart[] {
  const all = entries.map(({ series }) => series);
  const tests = new Set(all.map(({ test }) => test.name));
  if (tests.size > 1) return [togetherChart(entries)];
  const [first] = all;
  const title = first?.test.name ?? '';
  const runs = new Set(entries.map(({ run }) => run));
  if (runs.size === entries.length) return [{ title, members: entries.map(byLabel), ordinal: false }];
  if (runs.size === 1) return [{ title, members: entries.map(byStep(all)), ordinal: true }];
  const steps = groupsBy(entries, ({ series }) => titleOf(series, all));
  return [...steps].map(([name, members]) => ({ title: name, members: members.map(byLabel), ordinal: false }));
}

const byLabel = ({ run, series, label }: Entry): Member => ({ run, series, name: label });

const byStep =
  (all: readonly Series[]) =>
  ({ run, series, label }: Entry): Member => {
    const words = differingNames(all).map((name) => wordsOf(name, series.parameters[name]));
    const name = words.filter((word) => word !== '').join(', ');
    return { run, series, name: name === '' ? label : name };
  };

function togetherChart(entries: readonly Entry[]): Chart {
  const all = entries.map(({ series }) => series);
  const [first] = all;
  const what = first?.unit === 's' ? 'latency' : 'throughput';
  const labels = new Set(entries.map(({ label }) => label));
  const members = entries.map(({ run, series, label }) => {
    const title = titleOf(series, all);
    return { run, series, name: labels.size > 1 ? `${label}: ${title}` : title };
  });
  return { title: `${first?.test.operation ?? ''} ${what}`, members, ordinal: false };
}
