/** Heads of columns in any spacing, and rows below them. */
import { UNITS, cellOf, countOf, valueOf, type Unit } from './cells.js';
import type { Line } from './lines.js';
import type { Verdict } from '../../bench/measure/types.js';
import type { Figure } from '../types.js';

/** Values of a row's statistics; `low` and `high` are the ends of the median's interval, `samples` is their number. */
export type StatisticName =
  | 'min'
  | 'max'
  | 'median'
  | 'mean'
  | 'sd'
  | 'mad'
  | `p${1 | 5 | 10 | 25 | 75 | 90 | 95 | 99 | 999}`
  | 'low'
  | 'high'
  | 'samples'
  | 'outliers'
  | 'autocorrelation'
  | 'uncertainty';

export type Column =
  | { readonly kind: 'size' }
  | { readonly kind: 'iterations' }
  | { readonly kind: 'validation' }
  | { readonly kind: 'verdict' }
  /** What has no place in a record. */
  | { readonly kind: 'unkept' }
  | { readonly kind: 'figure'; readonly name: string; readonly unit: Unit; readonly unknown?: true }
  | { readonly kind: 'percentile'; readonly percent: number; readonly unit: Unit }
  | { readonly kind: 'statistic'; readonly name: StatisticName; readonly unit: Unit }
  | { readonly kind: 'parameter'; readonly name: string };

/** A head as it stands in the text, sticky; and its column. */
export interface Heading {
  readonly pattern: RegExp;
  readonly column: (match: RegExpExecArray) => Column;
}

/** A heading of these words, with any blanks between them, and none needed before a bracket. */
export function heading(text: string, column: Column | Heading['column']): Heading {
  const words = text.split(/\s+|(?=\()/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const source = words.join('\\s*');
  return {
    pattern: new RegExp(`${source}(?=\\s|$)`, 'iy'),
    column: typeof column === 'function' ? column : () => column,
  };
}

/** The columns of a line of heads. What no heading knows becomes a figure of that name. */
export function columnsOf(text: string, headings: readonly Heading[]): Column[] {
  const columns: Column[] = [];
  let unknown = '';
  const keepUnknown = (): void => {
    if (unknown !== '') columns.push({ kind: 'figure', name: unknown, unit: unitIn(unknown), unknown: true });
    unknown = '';
  };
  for (let at = 0; at < text.length;) {
    const blanks = /\s*/y;
    blanks.lastIndex = at;
    const gap = blanks.exec(text)?.[0].length ?? 0;
    at += gap;
    if (gap > 1) keepUnknown();
    if (at === text.length) break;
    const found = match(text, at, headings);
    if (found) {
      keepUnknown();
      columns.push(found.column);
      at = found.end;
    } else {
      const word = /\S+/y;
      word.lastIndex = at;
      const [next = ''] = word.exec(text) ?? [];
      unknown = unknown === '' ? next : `${unknown} ${next}`;
      at += next.length;
    }
  }
  keepUnknown();
  return columns;
}

function match(text: string, at: number, headings: readonly Heading[]): { column: Column; end: number } | undefined {
  for (const { pattern, column } of headings) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) return { column: column(found), end: pattern.lastIndex };
  }
  return undefined;
}

/** The unit that a head names in brackets, as far as it is one of those that tables have. */
export function unitIn(head: string): Unit {
  const [, name = head] = /[[(]([^\])]*)[\])]/.exec(head) ?? [];
  if (/^(?:us|usec)$/i.test(name)) return UNITS.microseconds;
  if (/^ms$/i.test(name)) return UNITS.milliseconds;
  if (/^cycles$/i.test(name)) return UNITS.cycles;
  if (/^MB\/s(?:ec)?$|^Mbytes\/sec$/i.test(name)) return UNITS.megabytes;
  if (/^MiB\/s(?:ec)?$/i.test(name)) return UNITS.mebibytes;
  if (/^Gb\/s(?:ec)?$/i.test(name)) return UNITS.gigabits;
  if (/^Mpps$/i.test(name)) return UNITS.millions;
  if (/^(?:Messages|Msg)\/s(?:ec)?$/i.test(name)) return UNITS.perSecond;
  return name === '%' ? UNITS.percent : { base: '' };
}

/** A row as its cells say it. */
export interface ReadRow {
  readonly size: number | null;
  /** 0 where the table doesn't say it. */
  readonly n: number;
  readonly figures: Readonly<Record<string, Figure>>;
  readonly parameters: Readonly<Record<string, number>>;
  readonly percentiles: readonly { readonly percent: number; readonly value: number | null }[];
  readonly statistics: Readonly<Partial<Record<StatisticName, number | null>>>;
  readonly passed?: boolean;
  readonly verdict?: Verdict;
  /** What is wrong with single cells, in words. */
  readonly flaws: readonly string[];
  /** Whether the figure that the table is of is NaN. */
  readonly isNaN: boolean;
}

/** A row of these columns, or what keeps the line from being one, in words. */
export function rowOf({ words }: Pick<Line, 'words'>, columns: readonly Column[]): ReadRow | string {
  if (words.length !== columns.length)
    return `the row has ${words.length} cells, and its table has ${columns.length} columns`;
  const row = new RowReader();
  for (const [index, column] of columns.entries()) {
    const problem = row.take(words[index] ?? '', column);
    if (problem !== undefined) return problem;
  }
  return row;
}

const VERDICTS: readonly Verdict[] = ['steady', 'noisy', 'drifting'];

class RowReader implements ReadRow {
  size: number | null = null;
  n = 0;
  readonly figures: Record<string, Figure> = {};
  readonly parameters: Record<string, number> = {};
  readonly percentiles: { percent: number; value: number | null }[] = [];
  readonly statistics: Partial<Record<StatisticName, number | null>> = {};
  passed?: boolean;
  verdict?: Verdict;
  readonly flaws: string[] = [];
  isNaN = false;

  /** What is wrong with the cell, in words, where it makes no row. */
  take(word: string, column: Column): string | undefined {
    switch (column.kind) {
      case 'validation':
        if (/^pass/i.test(word)) this.passed = true;
        else if (/^fail/i.test(word)) this.passed = false;
        return undefined;
      case 'verdict':
        return this.#verdict(word);
      case 'unkept':
        return cellOf(word) ? undefined : `${word} is no number`;
      case 'size':
      case 'iterations':
      case 'parameter':
        return this.#count(word, column);
      default:
        return this.#figure(word, column);
    }
  }

  #verdict(word: string): string | undefined {
    const verdict = VERDICTS.find((one) => one === word);
    if (verdict) this.verdict = verdict;
    return verdict || word === '-' ? undefined : `${word} is no verdict`;
  }

  #count(word: string, column: Extract<Column, { kind: 'size' | 'iterations' | 'parameter' }>): string | undefined {
    const value = countOf(word);
    if (value === undefined) return `${word} is no whole number`;
    if (column.kind === 'size') this.size = value;
    else if (column.kind === 'iterations') this.n = value;
    else this.parameters[column.name] = value;
    return undefined;
  }

  #figure(word: string, column: Extract<Column, { unit: Unit }>): string | undefined {
    const cell = cellOf(word);
    if (!cell) return `${word} is no number`;
    const value = cell.kind === 'number' ? valueOf(cell.text, column.unit) : null;
    if (value !== null && !Number.isFinite(value)) return `${word} is no number that can be kept`;
    if (cell.kind === 'nan' || cell.kind === 'infinite') this.flaws.push(word);
    if (column.kind === 'percentile') this.percentiles.push({ percent: column.percent, value });
    else if (column.kind === 'statistic') this.statistics[column.name] = value;
    else {
      if (cell.kind === 'nan' && Object.keys(this.figures).length === 0) this.isNaN = true;
      this.figures[column.name] = { value, unit: column.unit.base };
    }
    return undefined;
  }
}
