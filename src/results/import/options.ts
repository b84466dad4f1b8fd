/** The options of a command line, by the names that the tool gives them. */
import type { OptionShape } from '../../cli/getopt.js';
import type { Json } from '../types.js';

export interface GivenOptions {
  /** By `--long` or `-l` name; true where there is no value, a list where it is given again. */
  readonly named: Readonly<Record<string, Json>>;
  readonly others: readonly string[];
}

interface Scan {
  readonly args: readonly string[];
  readonly shapes: readonly OptionShape[];
  readonly named: Record<string, Json>;
  readonly others: string[];
  at: number;
}

/** Reads by the tool's table; an option that isn't in there has as its value what stands behind `=`, or nothing. */
export function givenOptions(args: readonly string[], shapes: readonly OptionShape[]): GivenOptions {
  const scan: Scan = { args, shapes, named: {}, others: [], at: 0 };
  while (scan.at < args.length) {
    const word = args[scan.at++] ?? '';
    if (word.startsWith('--') && word.length > 2) takeLong(scan, word.slice(2));
    else if (word.startsWith('-') && word.length > 1) takeLetters(scan, word.slice(1));
    else scan.others.push(word);
  }
  return { named: scan.named, others: scan.others };
}

function takeLong(scan: Scan, text: string): void {
  const [name = '', ...rest] = text.split('=');
  const shape = scan.shapes.find(({ name: own, long = [own] }) => long.includes(name));
  const glued = text.includes('=') ? rest.join('=') : undefined;
  put(scan, shape ? shownName(shape) : `--${name}`, glued ?? (shape?.argument === 'required' ? next(scan) : undefined));
}

function takeLetters(scan: Scan, letters: string): void {
  for (let at = 0; at < letters.length; at++) {
    const shape = scan.shapes.find(({ short }) => short === letters[at]);
    if (!shape) {
      put(scan, `-${letters.slice(at)}`, undefined);
      return;
    }
    const rest = letters.slice(at + 1);
    if (shape.argument !== 'none' && (rest !== '' || shape.argument === 'optional')) {
      put(scan, shownName(shape), rest === '' ? undefined : rest);
      return;
    }
    put(scan, shownName(shape), shape.argument === 'required' ? next(scan) : undefined);
  }
}

const next = (scan: Scan): string | undefined => scan.args[scan.at++];

/** The long name, or the letter where there is no long one. */
function shownName({ name, long = [name], short }: OptionShape): string {
  return long[0] === undefined ? `-${short}` : `--${long[0]}`;
}

function put({ named }: Scan, name: string, value: string | undefined): void {
  const before = named[name];
  const now = value ?? true;
  if (before === undefined) named[name] = now;
  else named[name] = [...(Array.isArray(before) ? (before as Json[]) : [before]), now];
}

/** The value of an option that was given once. */
export function wordGiven({ named }: GivenOptions, name: string): string | undefined {
  const value = named[name];
  return typeof value === 'string' ? value : undefined;
}

/** A whole number that was given, possibly with K or M behind it. */
export function numberGiven(given: GivenOptions, name: string): number | undefined {
  const [, digits, suffix = ''] = /^(\d+)([KkMm]?)$/.exec(wordGiven(given, name) ?? '') ?? [];
  if (digits === undefined) return undefined;
  const times = { '': 1, k: 2 ** 10, m: 2 ** 20 }[suffix.toLowerCase() as '' | 'k' | 'm'];
  return Number(digits) * times;
}
