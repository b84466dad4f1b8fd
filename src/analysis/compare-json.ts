/** A comparison as JSON: everything that its text says, in base units and unrounded. */
import { toJsonText } from '../results/json.js';
import type { Comparison } from './compare.js';
import { SIGNIFICANCE } from './compare-rows.js';
import type { Report } from './report.js';
import type { Entry } from './views.js';

export const COMPARISON_SCHEMA = 'fabricbench-comparison-1';

export function compareJson({ threshold, views, comparisons, statements, findings, warnings }: Report): string {
  return `${toJsonText({
    schema: COMPARISON_SCHEMA,
    threshold,
    significance: SIGNIFICANCE,
    sides: views.map(({ side: { label, files }, entries }) => ({ label, files, tests: entries.map(entryOf) })),
    comparisons: comparisons.map(comparisonOf),
    statements,
    expectations: findings.map(({ expectation, side, value, within, text }) => {
      const { benchmark, size, figure } = expectation;
      const expected = { value: expectation.value, lower: expectation.lower, upper: expectation.upper };
      return { benchmark, size, figure, ...{ unit: expectation.baseUnit, expected, side, value, within, text } };
    }),
    warnings,
  })}\n`;
}

function entryOf({ title, series, shape }: Entry): object {
  const { test, parameters, figure, unit } = series;
  return { title, ...test, parameters, figure, unit, curve: shape };
}

function comparisonOf({ a, b, differences, series, onlyA, onlyB, performance, verdicts }: Comparison): object {
  return {
    a: a.label,
    b: b.label,
    differences,
    tests: series.map(({ title, a: { series: own }, rows, geometricMean }) => ({
      ...{ title, figure: own.figure, unit: own.unit, better: own.better ?? null, geometricMean },
      rows,
    })),
    onlyA: onlyA.map(({ title }) => title),
    onlyB: onlyB.map(({ title }) => title),
    performance,
    verdicts,
  };
}
