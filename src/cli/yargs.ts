/**
 * The last step of option parsing: yargs' parser over canonical argv. Only the parser of yargs is used: its front end
 * looks for package.json and locale files when it starts, which must not happen on thousands of ranks, and prints and
 * exits by itself, which only rank 0 may.
 */
import { Parser } from 'yargs/helpers';
import type { GetoptResult, GivenOption } from './getopt.js';
import type { Checked } from './values.js';

export type Parsers = Readonly<Record<string, (text: string) => Checked<unknown>>>;

type ValueOf<Parse> = Parse extends (text: string) => Checked<infer Value> ? Value : never;

/** Every value given, by option, in the order of argv. */
export type Given<P extends Parsers> = { readonly [Name in keyof P]?: readonly ValueOf<P[Name]>[] };

export interface BadValue {
  readonly option: GivenOption;
  readonly reason: string;
}

/** Parses what getopt found. The first value (in the order of argv) that a parser refuses ends it. */
export function parseGiven<P extends Parsers>(found: GetoptResult, parsers: P): Given<P> | BadValue {
  const checked = runYargs(found, parsers);
  return firstBad(found, checked) ?? (mapValues(checked) as Given<P>);
}

/** Tells the two results of `parseGiven` apart. */
export function isBadValue<P extends Parsers>(result: Given<P> | BadValue): result is BadValue {
  return 'reason' in result && typeof result.reason === 'string';
}

type CheckedLists = Readonly<Record<string, readonly Checked<unknown>[]>>;

function runYargs(found: GetoptResult, parsers: Parsers): CheckedLists {
  const names = [...new Set(found.options.map(({ name }) => name))];
  const { argv, error } = Parser.detailed(canonicalArgv(found), {
    array: names,
    string: names,
    coerce: Object.fromEntries(
      names.map((name) => [name, (texts: string[]) => texts.map((text) => check(parsers, name, text))]),
    ),
    configuration: {
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    },
  });
  if (error) throw error;
  return Object.fromEntries(names.map((name) => [name, argv[name] as readonly Checked<unknown>[]]));
}

/** One unambiguous form. The outer quotes are the parser's: it strips one pair, so that the user's own survive. */
function canonicalArgv({ options, positionals }: GetoptResult): string[] {
  return [...options.map(({ name, value }) => `--${name}="${value ?? ''}"`), '--', ...positionals];
}

function check(parsers: Parsers, name: string, text: string): Checked<unknown> {
  const parse = parsers[name];
  if (!parse) throw new Error(`no parser for --${name}`);
  return parse(text);
}

function firstBad(found: GetoptResult, checked: CheckedLists): BadValue | undefined {
  const seen = new Map<string, number>();
  for (const option of found.options) {
    const index = seen.get(option.name) ?? 0;
    seen.set(option.name, index + 1);
    const result = checked[option.name]?.[index];
    if (result && !result.ok) return { option, reason: result.reason };
  }
  return undefined;
}

function mapValues(checked: CheckedLists): Record<string, unknown[]> {
  const values = (list: readonly Checked<unknown>[]) => list.flatMap((result) => (result.ok ? [result.value] : []));
  return Object.fromEntries(Object.entries(checked).map(([name, list]) => [name, values(list)]));
}
