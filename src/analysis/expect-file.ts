/** Reads the file of `--expect`: YAML or JSON, short (by benchmark, size and figure) or as a list. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { WrongUse } from '../cli/commands/command.js';
import type { Json } from '../results/types.js';
import type { Expectation } from './expect.js';

type Fields = Readonly<Record<string, unknown>>;

/** @throws WrongUse in one sentence: what is wrong, and where */
export function readExpectations(file: string): Expectation[] {
  return parseExpectations(readText(file), file);
}

export function parseExpectations(text: string, file: string): Expectation[] {
  const found = all(parsed(text, file), file);
  if (found.length === 0) throw new WrongUse(`${file} expects nothing`);
  return found;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new WrongUse(`${file} can't be read: ${(error as Error).message}`);
  }
}

/** JSON is YAML too. */
function parsed(text: string, file: string): unknown {
  // Beside this file in the sources, and beside the program in dist.
  const { parse } = createRequire(import.meta.filename)('./yaml.js') as typeof import('./yaml.js');
  try {
    return parse(text, { maxAliasCount: 100 }) as unknown;
  } catch (error) {
    const [first = ''] = (error as Error).message.split('\n');
    throw new WrongUse(`${file} is neither YAML nor JSON: ${first.replace(/:$/, '')}`);
  }
}

function all(document: unknown, file: string): Expectation[] {
  if (Array.isArray(document)) return document.map((entry, index) => fromList(entry, `${file}: entry ${index + 1}`));
  const benchmarks = fieldsOf(document, `${file} is no table of benchmarks`);
  return Object.entries(benchmarks).flatMap(([benchmark, sizes]) =>
    Object.entries(fieldsOf(sizes, `${file}: ${benchmark} is no table of sizes`)).flatMap(([size, figures]) => {
      const place = `${file}: ${benchmark}, size ${size}`;
      return Object.entries(fieldsOf(figures, `${place} is no table of figures`)).map(([figure, tuple]) => ({
        ...{ benchmark, size: sizeOf(size, place), figure, where: {} },
        ...referenceOf(tuple, `${place}, ${figure}`),
      }));
    }),
  );
}

function fieldsOf(value: unknown, problem: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new WrongUse(problem);
  return value as Fields;
}

const OWN_FIELDS: ReadonlySet<string> = new Set(['benchmark', 'size', 'figure', 'value', 'lower', 'upper', 'unit']);

function fromList(entry: unknown, place: string): Expectation {
  const fields = fieldsOf(entry, `${place} is no table`);
  const { benchmark, size = null, figure, value, lower = null, upper = null, unit } = fields;
  if (typeof benchmark !== 'string') throw new WrongUse(`${place} names no benchmark`);
  if (typeof figure !== 'string') throw new WrongUse(`${place} names no figure`);
  const where = Object.entries(fields).filter(([name]) => !OWN_FIELDS.has(name));
  return {
    ...{ benchmark, figure, size: size === null ? null : sizeOf(plain(size), place) },
    ...referenceOf([value, lower, upper, unit], place),
    where: Object.fromEntries(where) as Record<string, Json>,
  };
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const SUFFIXES: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

/** Bytes, with K, M, G (binary); `-` for rows without a size. */
function sizeOf(text: string, place: string): number | null {
  if (text === '-') return null;
  const [, digits, suffix = ''] = /^(\d+)([KMG]?)$/i.exec(text) ?? [];
  if (digits === undefined) throw new WrongUse(`${place}: "${text}" is no size: bytes, with K, M or G, or -`);
  return Number(digits) * (SUFFIXES[suffix.toUpperCase()] ?? 1);
}

type Reference = Pick<Expectation, 'value' | 'lower' | 'upper' | 'unit' | 'factor' | 'baseUnit'>;

function referenceOf(tuple: unknown, place: string): Reference {
  if (!Array.isArray(tuple) || tuple.length !== 4)
    throw new WrongUse(`${place}: a reference has four parts: value, lower, upper, unit`);
  const [value, lower, upper, unit] = tuple as unknown[];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new WrongUse(`${place}: its value is no number`);
  const { factor, baseUnit } = unitOf(unit, place);
  return {
    value: value * factor,
    lower: boundOf(lower, { place, name: 'lower', factor: value === 0 ? factor : 1 }),
    upper: boundOf(upper, { place, name: 'upper', factor: value === 0 ? factor : 1 }),
    ...{ unit: String(unit), factor, baseUnit },
  };
}

function boundOf(value: unknown, of: { place: string; name: 'lower' | 'upper'; factor: number }): number | null {
  if (value === null || value === undefined) return null;
  const right = typeof value === 'number' && Number.isFinite(value) && (of.name === 'lower' ? value <= 0 : value >= 0);
  if (!right)
    throw new WrongUse(
      `${of.place}: its ${of.name} bound must be ${of.name === 'lower' ? 'a number up to 0, as -0.05' : 'a number from 0 on, as 0.1'}, or null`,
    );
  return value * of.factor;
}

const PREFIXES: Readonly<Record<string, number>> = {
  ...{ '': 1, K: 1e3, k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};
const TIMES: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, us: 1e-6, usec: 1e-6, ns: 1e-9 };

/** MB/s are 10^6 bytes a second here, and MiB/s 2^20, whatever a program calls them. */
function unitOf(unit: unknown, place: string): { factor: number; baseUnit: string } {
  if (typeof unit === 'string') {
    const time = TIMES[unit.replace('µ', 'u')];
    if (time !== undefined) return { factor: time, baseUnit: 's' };
    if (unit === '%') return { factor: 1, baseUnit: '%' };
    const [, prefix = '', base] = /^((?:[KMGT]i?|k)?)(B|b|bit|msg|messages)?\/s(?:ec)?$/.exec(unit) ?? [];
    const factor = PREFIXES[prefix];
    if (base !== undefined && factor !== undefined) return rateOf(base, factor);
    if (unit === '1/s') return { factor: 1, baseUnit: '1/s' };
  }
  throw new WrongUse(
    `${place}: its unit must be one of s, ms, us, ns, B/s, MB/s, MiB/s, GB/s, Gb/s, msg/s, Mmsg/s, 1/s, %`,
  );
}

function rateOf(base: string, factor: number): { factor: number; baseUnit: string } {
  if (base === 'B') return { factor, baseUnit: 'B/s' };
  if (base === 'b' || base === 'bit') return { factor: factor / 8, baseUnit: 'B/s' };
  return { factor, baseUnit: '1/s' };
}
