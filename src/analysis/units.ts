/** Figures as people read them. */
import type { Better } from './figures.js';
import type { Series } from './series.js';

export interface Scale {
  /** As it stands in a table's head: `us`, `MB/s`. */
  readonly unit: string;
  /** From base units. */
  readonly factor: number;
}

const KIB = 2 ** 10;
const MIB = 2 ** 20;

/** As the program itself prints: MB/s of OSU are 10^6 bytes a second, those of perftest and UCX 2^20. */
export function scaleOf({ unit, test: { program } }: Pick<Series, 'unit' | 'test'>): Scale {
  if (unit === 's') return { unit: 'us', factor: 1e6 };
  if (unit === '1/s') return { unit: '1/s', factor: 1 };
  if (unit !== 'B/s') return { unit, factor: 1 };
  const binary = program.startsWith('ib_') || program === 'ucx_perftest';
  return binary ? { unit: 'MiB/s', factor: 1 / MIB } : { unit: 'MB/s', factor: 1e-6 };
}

/** Three digits and more. */
export function number(value: number): string {
  return value.toFixed(digitsOf(value));
}

function digitsOf(value: number): number {
  const size = Math.abs(value);
  if (size >= 1000) return 0;
  if (size >= 100) return 1;
  if (size >= 1 || size === 0) return 2;
  return Math.min(2 - Math.floor(Math.log10(size)), 12);
}

export function scaled(value: number, scale: Scale): string {
  return number(value * scale.factor);
}

/** Of a column, all with as many decimals as its smallest needs; more than two are of no use above 10. */
export function column(values: readonly number[], scale: Scale): string[] {
  const shown = values.map((value) => value * scale.factor);
  const least = Math.min(...shown.map(Math.abs).filter((value) => value > 0), Infinity);
  const digits = least < 10 && scale.unit === 'us' ? Math.max(3, digitsOf(least)) : scale.unit === '1/s' ? 0 : 2;
  return shown.map((value) => value.toFixed(digits));
}

/** `512 bytes`, `4 KiB`. */
export function bytes(size: number): string {
  if (size >= MIB && size % (MIB / 4) === 0) return `${size / MIB} MiB`;
  if (size >= 4 * KIB && size % KIB === 0) return `${size / KIB} KiB`;
  const whole = Math.round(size);
  return whole === 1 ? '1 byte' : `${whole} bytes`;
}

/** `2 to 512 bytes`, `4 KiB to 8 MiB`, `8 bytes`. */
export function sizeRange(sizes: readonly number[], between = 'to'): string {
  const [first, last] = [sizes[0] ?? 0, sizes.at(-1) ?? 0];
  if (first === last) return bytes(first);
  const [from, to] = [bytes(first), bytes(last)];
  const unit = / \w+$/.exec(to)?.[0].replace(/s$/, '') ?? '';
  const bare = from.replace(/s$/, '').endsWith(unit) ? from.replace(/ \w+$/, '') : from;
  return `${bare} ${between} ${to}`;
}

/** A ratio as a change: `+10 %`, `-0.4 %`. */
export function change(ratio: number): string {
  const percent = (ratio - 1) * 100;
  if (percent >= 900) return `x ${number(ratio)}`;
  return `${signed(percent, Math.abs(percent) < 9.95 ? 1 : 0)} %`;
}

/** With its sign; without one where all digits shown are 0. */
export function signed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  if (Number(text) === 0) return Math.abs(value).toFixed(digits).replace('-', '');
  return value > 0 ? `+${text}` : text;
}

/** A difference of times: `+0.16 us`. */
export function microseconds(seconds: number): string {
  const value = seconds * 1e6;
  const size = Math.abs(value);
  return `${signed(value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3)} us`;
}

export function betterWords(better: Better | undefined): string {
  return better === undefined ? 'neither way is better' : `${better} is better`;
}

export function probability(p: number): string {
  if (p < 0.001) return '<0.001';
  return p.toFixed(3);
}
