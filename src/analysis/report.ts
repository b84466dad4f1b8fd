/** All that `fabricbench compare` says, as data. */
import { WrongUse } from '../cli/commands/command.js';
import { compareViews, type Comparison } from './compare.js';
import type { Rules } from './compare-rows.js';
import { checkExpectations, type Expectation, type Finding } from './expect.js';
import type { Side } from './sides.js';
import { ownStatements, sideStatements, type Statement } from './statements/index.js';
import { viewOf, type View } from './views.js';
import { warningsOf } from './warnings.js';

export interface CompareOptions extends Rules {
  /** Another figure than each test's own. */
  readonly figure?: string | undefined;
  readonly expectations?: readonly Expectation[];
}

export interface Report {
  readonly threshold: number;
  readonly views: readonly View[];
  /** Of every other side with the first. */
  readonly comparisons: readonly Comparison[];
  /** Sentences for each comparison, and those of the sides by themselves. */
  readonly statements: readonly Statement[];
  readonly findings: readonly Finding[];
  readonly warnings: readonly string[];
}

/** @throws WrongUse where sides have nothing in common, or no rows at all */
export function reportOf(sides: readonly Side[], options: CompareOptions): Report {
  const views = sides.map((side) => viewOf(side, options.figure));
  for (const view of views) if (view.entries.length === 0) throw new WrongUse(emptyText(view, options.figure));
  const [first, ...others] = views;
  const comparisons = first ? others.map((view) => compareViews(first, view, options)) : [];
  for (const comparison of comparisons) if (comparison.series.length === 0) throw new WrongUse(nothingText(comparison));
  return {
    ...{ threshold: options.threshold, views, comparisons },
    statements: [
      ...comparisons.flatMap((comparison) => sideStatements(comparison, options)),
      ...ownStatements(views, options),
    ],
    findings: checkExpectations(options.expectations ?? [], sides),
    warnings: warningsOf(sides, comparisons),
  };
}

function emptyText({ side }: View, figure: string | undefined): string {
  const what = figure === undefined ? 'no rows that could be compared' : `no row with a figure named ${figure}`;
  return `${side.label} has ${what}: ${side.files.join(', ')}`;
}

function nothingText({ a, b, onlyA, onlyB }: Comparison): string {
  const names = (entries: Comparison['onlyA']): string => [...new Set(entries.map(({ title }) => title))].join(', ');
  return `${a.label} and ${b.label} have no test and size in common: ${names(onlyA)} / ${names(onlyB)}`;
}
