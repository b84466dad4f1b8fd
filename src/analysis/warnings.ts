/** What a reader must know before he believes a comparison. */
import type { Comparison, SeriesComparison } from './compare.js';
import { SIGNIFICANCE, type RowComparison } from './compare-rows.js';
import { leastP } from './mann-whitney.js';
import type { Side } from './sides.js';
import { probability } from './units.js';

/** Fewer samples than this carry no claim, whatever a test says. */
const FEW_SAMPLES = 30;

export function warningsOf(sides: readonly Side[], comparisons: readonly Comparison[]): string[] {
  return [...new Set([...sides.flatMap(sideWarnings), ...comparisons.flatMap(comparisonWarnings)])];
}

function sideWarnings({ label, records, problems }: Side): string[] {
  const failures = new Set(records.map(({ status }) => status.message));
  const own = new Set(records.flatMap(({ warnings }) => warnings).filter((text) => !failures.has(text)));
  return [
    ...problems.map((text) => `not understood: ${text}`),
    ...[...own].map((text) => `${label}: ${text}`),
    ...records.flatMap(({ run, status, rows }) => [
      ...(status.state === 'failed' ? [`${label}: ${run.name} failed: ${status.message ?? 'no reason is given'}`] : []),
      ...(status.state === 'running' ? [`${label}: ${run.name} did not end, and its record may lack sizes`] : []),
      ...(rows.some(({ validation }) => validation?.passed === false)
        ? [`${label}: ${run.name} delivered wrong data, and its figures count for nothing`]
        : []),
    ]),
  ];
}

function comparisonWarnings({ a, b, onlyA, onlyB, series }: Comparison): string[] {
  const names = (entries: typeof onlyA): string => entries.map(({ title }) => title).join(', ');
  return [
    ...(onlyA.length > 0 ? [`only ${a.label} has ${names(onlyA)}`] : []),
    ...(onlyB.length > 0 ? [`only ${b.label} has ${names(onlyB)}`] : []),
    ...series.flatMap(powerlessWarning),
    ...evidenceWarnings(series.flatMap(({ rows }) => rows)),
  ];
}

function evidenceWarnings(rows: readonly RowComparison[]): string[] {
  const sampled = rows.filter(({ basis }) => basis === 'samples');
  const few = sampled.filter(({ a, b, verdict }) => claims(verdict) && Math.min(a.n, b.n) < FEW_SAMPLES);
  return [
    ...(few.length > 0
      ? [`${few.length} verdicts rest on fewer than ${FEW_SAMPLES} samples: too few to claim much`]
      : []),
    ...(sampled.length > 0
      ? [
          'samples are of single launches: their p-values say nothing about other launches, which may differ more; ' +
            'fabricbench run BENCHMARK --launches 10 makes each launch one sample',
        ]
      : []),
    ...chanceText(rows),
  ];
}

function claims(verdict: RowComparison['verdict']): boolean {
  return verdict === 'improved' || verdict === 'regressed' || verdict === 'changed';
}

function powerlessWarning({ title, rows }: SeriesComparison): string[] {
  const row = rows.find(({ basis, a, b }) => basis === 'launches' && leastP(a.n, b.n) >= SIGNIFICANCE);
  if (!row) return [];
  const least = probability(leastP(row.a.n, row.b.n));
  return [
    `${title}: ${row.a.n} launches against ${row.b.n} can't give a p-value below ${least}, so that verdicts are by the ` +
      'ratio only; 4 launches of each can',
  ];
}

/** Of many tests of what is equal, some find a difference. */
function chanceText(rows: readonly RowComparison[]): string[] {
  const tests = rows.filter(({ ratioOnly }) => !ratioOnly).length;
  const expected = Math.round(tests * SIGNIFICANCE);
  if (expected < 1) return [];
  return [`of ${tests} tests of equal things about ${expected} would have p below ${SIGNIFICANCE} by chance`];
}
