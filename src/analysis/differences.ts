/** In what two sides differ besides their figures: machines, libraries, settings, places of ranks, options. */
import type { Json, ResultRecord } from '../results/types.js';
import { pairText, wordDifferences, NOT_THERE } from './pair-text.js';
import { factsOf } from './facts.js';
import type { Matched } from './match.js';
import { wordsOf, type Series } from './series.js';

export interface Difference {
  /** What differs: `MPI`, `rank 1 on core`, `option window`. */
  readonly what: string;
  /** Both values, in the shortest form. */
  readonly text: string;
  /** The tests that it concerns; none = all. */
  readonly tests: readonly string[];
}

/** First those of the environment, then those of single tests; what several tests have in common is told once. */
export function differencesOf(
  a: readonly ResultRecord[],
  b: readonly ResultRecord[],
  pairs: readonly Matched[],
): Difference[] {
  const everywhere = differingFacts(factsOfAll(a), factsOfAll(b));
  const single = pairs.flatMap(({ a: { title, series }, b: other }) =>
    seriesDifferences(series, other.series).map((text) => ({ text, title })),
  );
  return [...everywhere, ...together(single, pairs.length)];
}

type Facts = ReadonlyMap<string, string>;

/** Values that differ between the records of one side are told together. */
function factsOfAll(records: readonly ResultRecord[]): Facts {
  const all = new Map<string, Set<string>>();
  for (const record of records)
    for (const [name, value] of factsOf(record)) all.set(name, (all.get(name) ?? new Set<string>()).add(value));
  return new Map([...all].map(([name, values]) => [name, [...values].join(', ')]));
}

function differingFacts(a: Facts, b: Facts): Difference[] {
  const names = [...new Set([...a.keys(), ...b.keys()])];
  return names.flatMap((what) => {
    const [left = NOT_THERE, right = NOT_THERE] = [a.get(what), b.get(what)];
    return left === right ? [] : [{ what, text: pairText(left, right), tests: [] }];
  });
}

interface Single {
  readonly text: { readonly what: string; readonly text: string };
  readonly title: string;
}

function together(all: readonly Single[], tests: number): Difference[] {
  const byText = new Map<string, { text: Single['text']; titles: string[] }>();
  for (const { text, title } of all) {
    const key = JSON.stringify(text);
    const entry = byText.get(key) ?? { text, titles: [] };
    entry.titles.push(title);
    byText.set(key, entry);
  }
  return [...byText.values()].map(({ text, titles }) => ({ ...text, tests: titles.length === tests ? [] : titles }));
}

function seriesDifferences(a: Series, b: Series): Single['text'][] {
  return [
    ...(a.test.layer === b.test.layer ? [] : [{ what: 'layer', text: `${a.test.layer} / ${b.test.layer}` }]),
    ...(a.figure === b.figure ? [] : [{ what: 'figure', text: `${a.figure} / ${b.figure}` }]),
    ...parameterDifferences(a, b),
    ...optionDifferences(a, b),
    ...commandDifferences(a, b),
  ];
}

function parameterDifferences({ parameters: a }: Series, { parameters: b }: Series): Single['text'][] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return names.flatMap((name) => {
    const [left, right] = [a[name], b[name]].map((value) => wordsOf(name, value));
    if (left === right) return [];
    const text = pairText(
      left === '' ? `${name} ${NOT_THERE}` : (left ?? ''),
      right === '' ? NOT_THERE : (right ?? ''),
    );
    return [{ what: '', text }];
  });
}

/** The first launch stands for all of a series: launches are made alike. */
function firstRecord({ rows }: Series): ResultRecord | undefined {
  return rows[0]?.launches[0]?.record;
}

/** Options that say where results go, not what is measured; and those that each row names. */
const OUTPUT = /^(json|samples|graph|stats|csv|markdown|outJson|outJsonFile|papi|reportBinding|help|version)\b/;

/** Options of a run that say what is measured, by their paths. Those of imported runs are their command lines once more. */
export function statedOptions({
  options,
  imported,
}: Pick<ResultRecord['run'], 'options' | 'imported'>): Map<string, string> {
  const all = [...flattened(imported ? {} : options)];
  return new Map(all.filter(([name]) => !OUTPUT.test(name)));
}

function optionDifferences(a: Series, b: Series): Single['text'][] {
  const [left, right] = [a, b].map((series) => {
    const run = firstRecord(series)?.run;
    return run ? statedOptions(run) : new Map<string, string>();
  });
  const names = [...new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])].sort();
  return names.flatMap((name) => {
    const [one = NOT_THERE, other = NOT_THERE] = [left?.get(name), right?.get(name)];
    if (one === other || name in a.parameters) return [];
    return [{ what: 'option', text: `${name} ${pairText(one, other)}` }];
  });
}

/** Leaves by their path; a list of plain values is one leaf. */
function flattened(value: Json, path = '', into = new Map<string, string>()): Map<string, string> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isObject) {
    for (const [name, inner] of Object.entries(value)) flattened(inner, path === '' ? name : `${path}.${name}`, into);
  } else if (value !== null) {
    into.set(path, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return into;
}

/** Of runs that others made: all that is known of their options. */
function commandDifferences(a: Series, b: Series): Single['text'][] {
  const [left, right] = [firstRecord(a)?.run, firstRecord(b)?.run];
  if (!left?.imported || !right?.imported) return [];
  return wordDifferences(left.commandLine, right.commandLine).map((text) => ({ what: 'command line', text }));
}
