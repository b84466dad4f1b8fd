/**
 * argv as getopt_long reads it: clusters (`-cV`), glued arguments (`-i100`), optional arguments that must be glued
 * (`-z50,90`, `--tail-lat=50,90`), unambiguous prefixes of long names, permuted positionals, `--`. No parser library
 * knows optional arguments this way, so this comes first, and what it gives has one form for any parser behind it.
 */

export interface OptionShape {
  /** Identifies the option, and is its long name (without dashes) where `long` names no others. */
  readonly name: string;
  /** Long names, without dashes, the first being the one to show. */
  readonly long?: readonly string[];
  /** One character. */
  readonly short?: string;
  readonly argument: 'none' | 'required' | 'optional';
}

export interface GivenOption {
  readonly name: string;
  /** As it was typed, without its argument: `-m`, `--message-size`. */
  readonly given: string;
  /** Undefined where the option takes none, or where an optional one was left out. */
  readonly value?: string;
}

export type GetoptProblem =
  | { readonly kind: 'unknown' | 'missing' | 'unexpected'; readonly given: string }
  | { readonly kind: 'ambiguous'; readonly given: string; readonly candidates: readonly string[] };

export interface GetoptResult {
  readonly options: readonly GivenOption[];
  readonly positionals: readonly string[];
  /** The first thing that can't be read; scanning stopped there, and `options` holds what came before. */
  readonly problem?: GetoptProblem;
}

interface Scan {
  readonly shapes: readonly OptionShape[];
  readonly argv: readonly string[];
  next: number;
  readonly options: GivenOption[];
}

export function longNames({ name, long }: OptionShape): readonly string[] {
  return long ?? [name];
}

/** Reads argv (without interpreter and script) by the table of options. */
export function getopt(argv: readonly string[], shapes: readonly OptionShape[]): GetoptResult {
  const scan: Scan = { shapes, argv, next: 0, options: [] };
  const positionals: string[] = [];
  for (let word = take(scan); word !== undefined; word = take(scan)) {
    if (word === '--') {
      positionals.push(...argv.slice(scan.next));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      positionals.push(word);
      continue;
    }
    const problem = word.startsWith('--') ? readLong(scan, word.slice(2)) : readCluster(scan, word.slice(1));
    if (problem) return { options: scan.options, positionals, problem };
  }
  return { options: scan.options, positionals };
}

function take(scan: Scan): string | undefined {
  return scan.argv[scan.next++];
}

function readLong(scan: Scan, text: string): GetoptProblem | undefined {
  const equals = text.indexOf('=');
  const typed = equals < 0 ? text : text.slice(0, equals);
  const glued = equals < 0 ? undefined : text.slice(equals + 1);
  const given = `--${typed}`;
  const matches = matchLong(scan.shapes, typed);
  const shape = matches[0];
  if (!shape) return { kind: 'unknown', given };
  if (matches.length > 1) return { kind: 'ambiguous', given, candidates: matches.map(shownLong(typed)) };
  if (shape.argument === 'none' && glued !== undefined) return { kind: 'unexpected', given };
  const value = shape.argument === 'required' ? (glued ?? take(scan)) : glued;
  return record(scan, shape, given, value);
}

function matchLong(shapes: readonly OptionShape[], typed: string): readonly OptionShape[] {
  const exact = shapes.find((shape) => longNames(shape).includes(typed));
  return exact ? [exact] : shapes.filter((shape) => longNames(shape).some((name) => name.startsWith(typed)));
}

/** The long name that begins as it was typed. */
function shownLong(typed: string): (shape: OptionShape) => string {
  return (shape) => `--${longNames(shape).find((name) => name.startsWith(typed)) ?? shape.name}`;
}

function readCluster(scan: Scan, cluster: string): GetoptProblem | undefined {
  for (let at = 0; at < cluster.length; ++at) {
    const given = `-${cluster[at]}`;
    const shape = scan.shapes.find(({ short }) => short === cluster[at]);
    if (!shape) return { kind: 'unknown', given };
    if (shape.argument === 'none') {
      scan.options.push({ name: shape.name, given });
      continue;
    }
    const glued = at + 1 < cluster.length ? cluster.slice(at + 1) : undefined;
    return record(scan, shape, given, shape.argument === 'required' ? (glued ?? take(scan)) : glued);
  }
  return undefined;
}

function record(scan: Scan, shape: OptionShape, given: string, value: string | undefined): GetoptProblem | undefined {
  if (shape.argument === 'required' && value === undefined) return { kind: 'missing', given };
  scan.options.push({ name: shape.name, given, ...(value !== undefined && { value }) });
  return undefined;
}
