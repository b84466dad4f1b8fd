/** Cells of tables: numbers as programs print them, and the units that they are in. */
import type { Line } from './lines.js';

export interface Cell {
  readonly kind: 'number' | 'nan' | 'infinite' | 'unknown';
  /** As it stands in the table, of a number without commas. */
  readonly text: string;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const WITH_THOUSANDS = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const SPECIAL = /^[+-]?(nan|inf(?:inity)?)(?:\(.*\))?$/i;

/** Undefined where the word is no cell of figures. */
export function cellOf(word: string): Cell | undefined {
  if (NUMBER.test(word)) return { kind: 'number', text: word };
  if (WITH_THOUSANDS.test(word)) return { kind: 'number', text: word.replaceAll(',', '') };
  if (word === '-') return { kind: 'unknown', text: word };
  const special = SPECIAL.exec(word)?.[1];
  if (special === undefined) return undefined;
  return { kind: special.toLowerCase() === 'nan' ? 'nan' : 'infinite', text: word };
}

/** A whole number of bytes, iterations, and the like; undefined where it is none. */
export function countOf(word: string | undefined): number | undefined {
  const cell = word === undefined ? undefined : cellOf(word);
  const value = cell?.kind === 'number' ? Number(cell.text) : NaN;
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** How what is shown becomes what is stored: shown x 10^decimal x factor, in `base`. */
export interface Unit {
  readonly base: string;
  readonly decimal?: number;
  readonly factor?: number;
}

export const UNITS = {
  microseconds: { base: 's', decimal: -6 },
  milliseconds: { base: 's', decimal: -3 },
  cycles: { base: 'cycles' },
  megabytes: { base: 'B/s', decimal: 6 },
  mebibytes: { base: 'B/s', factor: 2 ** 20 },
  gigabits: { base: 'B/s', decimal: 9, factor: 1 / 8 },
  millions: { base: '1/s', decimal: 6 },
  perSecond: { base: '1/s' },
  percent: { base: '%' },
} as const satisfies Record<string, Unit>;

/** The decimal point is moved in the text, so that 1.71 us is the number 1.71e-6 and not one beside it. */
export function valueOf(text: string, { decimal = 0, factor = 1 }: Unit): number {
  if (decimal === 0) return Number(text) * factor;
  const at = text.search(/e/i);
  if (at < 0) return Number(`${text}e${decimal}`) * factor;
  return Number(`${text.slice(0, at)}e${Number(text.slice(at + 1)) + decimal}`) * factor;
}

const WORDS_IN_ROWS = /^(?:pass|passed|fail|failed|skipped|steady|noisy|drifting)$/i;
/** Fewer numbers after a word are prose. */
const MOST_WORDS_OF_PROSE = 4;

/** Whether a line looks like a row of some table: numbers, or a word with many numbers after it. */
export function looksLikeRow({ words, text }: Line): boolean {
  if (isCsvRow(text)) return true;
  const [first = '', ...others] = words[0] === '[thread' ? words.slice(1) : words;
  if (others.length === 0 || !others.every((word) => cellOf(word) ?? WORDS_IN_ROWS.test(word))) return false;
  return cellOf(first)?.kind === 'number' || others.length >= MOST_WORDS_OF_PROSE;
}

function isCsvRow(text: string): boolean {
  const cells = text.split(',');
  return cells.length >= 8 && cells.slice(-4).every((cell) => cellOf(cell.trim()));
}
