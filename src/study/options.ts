/** The options of studies: rows, of which the parser is made and a command line can be made again. */
import type { Argv } from 'yargs';
import { parseBind, parseMembind } from '../binding/spec.js';
import type { BindSpec, MemorySpec } from '../binding/types.js';
import { WrongUse, type Given } from '../cli/commands/command.js';
import { DEFAULT_WATCHDOG } from '../cli/osu-defaults.js';
import { parseDecimal, parseInteger, parseList, type Checked } from '../cli/values.js';
import { WATCHDOG_LIMIT } from '../engine/watchdog.js';

export interface OptionRow {
  readonly name: string;
  readonly describe: string;
  /** A letter that stands for it. */
  readonly alias?: string;
  /** Takes no value. */
  readonly flag?: true;
}

/** What all studies take, as the benchmarks have it. */
export interface CommonOptions {
  readonly bind: BindSpec;
  readonly overlap: boolean;
  readonly membind: MemorySpec | undefined;
  readonly reportBinding: boolean;
  /** FILE, or `-` for stdout. */
  readonly json: string | undefined;
  /** Seconds; 0 = off. */
  readonly watchdog: number;
}

export const COMMON_ROWS: readonly OptionRow[] = [
  { name: 'json', describe: 'write the record here, kept up to date; - is stdout, and the table then goes to stderr' },
  {
    name: 'bind',
    describe: 'bind each rank: near:DEV, far:DEV, numa:N, spread, compact, or cores by local rank as 0,1',
  },
  { name: 'overlap', describe: 'with --bind: ranks may share cores', flag: true },
  { name: 'membind', describe: 'take memory from this NUMA node alone, or (local) from that of the core' },
  { name: 'report-binding', describe: 'say where each rank runs', flag: true },
  {
    name: 'watchdog',
    describe: `end after so many seconds in which nothing moves (default ${DEFAULT_WATCHDOG}; 0: never)`,
  },
];

export function declareRows(parser: Argv, rows: readonly OptionRow[]): Argv {
  return rows.reduce<Argv>((all, { name, describe, flag, alias }) => {
    const named = alias === undefined ? { describe } : { describe, alias };
    return all.option(name, flag ? { ...named, type: 'boolean' } : { ...named, type: 'string', requiresArg: true });
  }, parser);
}

/** The last text given for an option; undefined where it isn't. */
export function textOf(given: Given, name: string): string | undefined {
  const value = given[name];
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  if (last === '') throw new WrongUse(`--${name} is empty`);
  return typeof last === 'string' ? last : undefined;
}

/** What was given of these rows, as words. */
export function wordsOf(given: Given, rows: readonly OptionRow[]): string[] {
  return rows.flatMap(({ name, flag }) => {
    if (flag) return given[name] === true ? [`--${name}`] : [];
    const text = textOf(given, name);
    return text === undefined ? [] : [`--${name}=${text}`];
  });
}

/** A value, or `WrongUse` with the reason why there is none. */
export function orRefuse<T>(name: string, checked: Checked<T>): T {
  if (checked.ok) return checked.value;
  throw new WrongUse(`--${name}: ${checked.reason}`);
}

function parsed<T>(given: Given, name: string, parse: (text: string) => Checked<T>): T | undefined {
  const text = textOf(given, name);
  return text === undefined ? undefined : orRefuse(name, parse(text));
}

function watchdogOf(given: Given): number {
  const text = textOf(given, 'watchdog');
  if (text === undefined) return DEFAULT_WATCHDOG;
  const seconds = parseDecimal(text, 0, WATCHDOG_LIMIT);
  if (seconds === undefined) throw new WrongUse(`--watchdog ${text}: give seconds from 0 to ${WATCHDOG_LIMIT}`);
  return seconds;
}

export function readCommon(given: Given): CommonOptions {
  return {
    bind: parsed(given, 'bind', parseBind) ?? { kind: 'keep' },
    overlap: given['overlap'] === true,
    membind: parsed(given, 'membind', parseMembind),
    reportBinding: given['report-binding'] === true,
    json: textOf(given, 'json'),
    watchdog: watchdogOf(given),
  };
}

/** A parser of whole numbers from `least`. */
export const atLeast =
  (least: number) =>
  (text: string): number | undefined =>
    parseInteger(text, least);

/** A whole number from `least`; throws `WrongUse` for anything else. */
export function numberOf(given: Given, name: string, least: number): number | undefined {
  const text = textOf(given, name);
  if (text === undefined) return undefined;
  const value = parseInteger(text, least);
  if (value === undefined) throw new WrongUse(`--${name} ${text}: give a whole number from ${least}`);
  return value;
}

/** Values between commas, each once; throws `WrongUse` in the words of `form`. */
export function listOf<T>(
  given: Given,
  name: string,
  parse: (text: string) => T | undefined,
  form: string,
): readonly T[] | undefined {
  const text = textOf(given, name);
  if (text === undefined) return undefined;
  const values = parseList(text, parse);
  if (values === undefined) throw new WrongUse(`--${name} ${text}: give ${form}`);
  return [...new Set(values)];
}
