/** A map in a record: a row for each figure, and beside them hosts and findings. Nothing grows with the number of pairs. */
import type { Json, JsonObject, RowRecord, StudyRecord } from '../../results/types.js';
import type { Effort } from './budget.js';
import type { FigureName } from './figures.js';
import { hostMedians, summariesOf, SHOWN, type FigureSummary } from './summary.js';
import type { FamilySummary, Progress, Survey } from './survey.js';
import type { Finding, Grids } from './verdict.js';

/** Digits of figures of hosts. */
const DIGITS = 5;
/** Jitter is the mean in per cent of the median. */
const UNITS: Readonly<Record<FigureName, { readonly unit: string; readonly factor: number }>> = {
  latency: { unit: 's', factor: 1 },
  jitter: { unit: '%', factor: 100 },
  bandwidth: { unit: 'B/s', factor: 1 },
};

const known = (value: number): number | null => (Number.isFinite(value) ? value : null);
const short = (value: number): number | null => known(Number(value.toPrecision(DIGITS)));

/** The median over all links is the figure itself. */
export function rowOf(summary: FigureSummary, effort: Effort, nodes: number): RowRecord {
  const { figure, links } = summary;
  const streams = figure === 'bandwidth';
  const { unit, factor } = UNITS[figure];
  const value = (one: number) => ({ value: known(factor * one), unit });
  return {
    parameters: {
      size: streams ? effort.size : effort.latencySize,
      datatype: 'MPI_CHAR',
      ...(streams ? { window: effort.window } : {}),
      ...{ figure, nodes, links },
    },
    n: streams ? effort.windows : effort.latencyIterations,
    warmup: streams ? effort.windowWarmup : effort.latencyWarmup,
    figures: {
      [figure]: value(summary.median),
      ...{ best: value(summary.best), worst10: value(summary.worst10) },
      ...{ worst1: value(summary.worst1), worst: value(summary.worst) },
    },
    statistics: null,
  };
}

export function rowsOf({ grids, plan, nodes }: Survey): RowRecord[] {
  return summariesOf(grids).map((summary) => rowOf(summary, plan.effort, nodes));
}

/** Names and ranks of nodes in the order in which they are shown and counted. */
export interface Roster {
  readonly names: readonly string[];
  readonly ranks: readonly number[];
}

function findingRecord({ kind, nodes, evidence }: Finding, names: readonly string[]): JsonObject {
  return {
    ...{ kind, nodes: nodes.map((node) => names[node] ?? String(node)) },
    evidence: evidence.map(({ measured, expected, factor, ...rest }) => ({
      ...rest,
      ...{ measured: short(measured), expected: short(expected), factor: short(factor) },
    })),
  };
}

function familyRecord({ threshold, ...rest }: FamilySummary): JsonObject {
  return { ...rest, threshold: short(Math.exp(threshold)) };
}

function hostsRecord(grids: Grids): JsonObject {
  const entries = SHOWN.filter((figure) => grids[figure]).map((figure): [string, Json] => {
    const { out, into } = hostMedians(grids, figure);
    return [figure, into ? { out: out.map(short), into: into.map(short) } : { out: out.map(short) }];
  });
  return Object.fromEntries(entries);
}

/** What an interrupted map leaves: medians by node of the rounds so far, and no verdict. */
export function progressRecord(progress: Progress, { names, ranks }: Roster): StudyRecord {
  const { rounds, of, pairs, effort, grids } = progress;
  return {
    ...{ kind: 'map', nodes: [...names], ranks: [...ranks], rounds, roundsOfAll: of },
    ...{ pairs, effort: { ...effort }, hosts: hostsRecord(grids) },
  };
}

export function studyRecord(survey: Survey, roster: Roster): StudyRecord {
  const { plan, seconds, families, findings, unsettled, falseAlarms, tooFew } = survey;
  const { names } = roster;
  return {
    ...progressRecord({ ...survey, of: plan.of, effort: plan.effort }, roster),
    ...{ seconds: short(seconds), judged: !tooFew, falseAlarms, families: families.map(familyRecord) },
    findings: findings.map((one) => findingRecord(one, names)),
    unsettled: unsettled.map((one) => findingRecord(one, names)),
  };
}
