/** Rows of ucx_perftest, of its tables and its CSV. MB are 2^20 bytes. */
import { UNITS, cellOf, valueOf, type Cell, type Unit } from './cells.js';

/** What a row shows. A figure that it hasn't, or that is no number, is null. */
export interface UcxRow {
  readonly stage: 'progress' | 'final';
  /** Names of the batch's lines; empty without a batch. */
  readonly label: string;
  readonly iterations: number;
  readonly percentile: number | null;
  readonly latency: number | null;
  readonly bandwidth: number | null;
  readonly rate: number | null;
  /** Several threads or clients together. */
  readonly several: boolean;
  /** UCX's words on how it sent. */
  readonly info: string;
  readonly flaws: readonly string[];
  readonly isNaN: boolean;
  /** As much as the figures may be away from what was measured, for a size that is found from them. */
  readonly shown: { readonly bandwidth: string; readonly rate: string };
}

const ALONE = 8;
const SEVERAL = 4;

/** Where the figures stand after the iterations, in rows of one and of several. */
const PLACES = {
  [ALONE]: { percentile: 1, latency: 3, bandwidth: 5, rate: 7 },
  [SEVERAL]: { percentile: 0, latency: 1, bandwidth: 2, rate: 3 },
} as const;

/** A row of a table; undefined where the line is none. */
export function tableRowOf(words: readonly string[]): UcxRow | undefined {
  const [first = ''] = words;
  const isProgress = first === '[thread' && /^\d+\]$/.test(words[1] ?? '');
  const isFinal = first === 'Final:';
  const cells = words.map(cellOf);
  const begin = isProgress ? 2 : isFinal || isLabel(cells) ? 1 : 0;
  const count = numbersFrom(cells, begin);
  if (count !== ALONE && count !== SEVERAL) return undefined;
  const { percentile, latency, bandwidth, rate } = PLACES[count];
  return rowOf({
    stage: isProgress ? 'progress' : 'final',
    label: begin === 1 && !isFinal ? first : '',
    several: count === SEVERAL,
    info: words.slice(begin + count).join(' '),
    iterations: cells[begin],
    percentile: percentile === 0 ? undefined : cells[begin + percentile],
    latency: cells[begin + latency],
    bandwidth: cells[begin + bandwidth],
    rate: cells[begin + rate],
    cells: cells.slice(begin, begin + count),
  });
}

/** The first word is a label where it is no number, or where there is a number too many. */
function isLabel(cells: readonly (Cell | undefined)[]): boolean {
  const count = numbersFrom(cells, 0);
  return count === 0 || count === ALONE + 1 || count === SEVERAL + 1;
}

function numbersFrom(cells: readonly (Cell | undefined)[], begin: number): number {
  let end = begin;
  while (cells[end]) end++;
  return end - begin;
}

/** Columns of the CSV: how many labels come first, and the percentile. */
export interface CsvHead {
  readonly labels: number;
  readonly percent: number;
  readonly cells: number;
}

export function csvHeadOf(text: string): CsvHead | undefined {
  if (!text.includes('_percentile_lat')) return undefined;
  const cells = text.split(',').map((cell) => cell.trim());
  const labels = cells.indexOf('iterations');
  const [, percent] = /^([\d.]+)_percentile_lat$/.exec(cells[labels + 1] ?? '') ?? [];
  return percent === undefined ? undefined : { labels, percent: Number(percent), cells: cells.length };
}

/** A row of the CSV; undefined where the line is none of its form. */
export function csvRowOf(text: string, { labels, cells: width }: CsvHead): UcxRow | undefined {
  const cells = csvCells(text);
  const short = labels + SEVERAL;
  if (cells.length !== width && cells.length !== short) return undefined;
  const label = cells.slice(0, labels).join('/');
  const [first = '', ...figures] = cells.slice(labels);
  const [, progress, iterations = first] = /^(\[thread \d+\]\s*)(\d+)$/.exec(first) ?? [];
  const [percentile, average, latency = '', , bandwidth = '', , rate = ''] =
    cells.length === short ? ['', '', figures[0], '', figures[1], '', figures[2]] : figures;
  const shown = [iterations, ...figures].filter((cell) => cell !== '').map(cellOf);
  if (shown.includes(undefined)) return undefined;
  return rowOf({
    stage: progress === undefined ? 'final' : 'progress',
    label,
    several: average === '',
    info: '',
    iterations: cellOf(iterations),
    percentile: cellOf(percentile),
    latency: cellOf(latency),
    bandwidth: cellOf(bandwidth),
    rate: cellOf(rate),
    cells: shown,
  });
}

function csvCells(text: string): string[] {
  return [...text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.trim(),
  );
}

interface Shown extends Pick<UcxRow, 'stage' | 'label' | 'several' | 'info'> {
  readonly iterations: Cell | undefined;
  readonly percentile: Cell | undefined;
  readonly latency: Cell | undefined;
  readonly bandwidth: Cell | undefined;
  readonly rate: Cell | undefined;
  /** All that the row has. */
  readonly cells: readonly (Cell | undefined)[];
}

function rowOf({ stage, label, several, info, iterations, percentile, latency, bandwidth, rate, cells }: Shown) {
  const n = numberOf(iterations, { base: '' });
  if (n === null) return undefined;
  const row: UcxRow = {
    stage,
    label,
    several,
    info,
    iterations: n,
    percentile: numberOf(percentile, UNITS.microseconds),
    latency: numberOf(latency, UNITS.microseconds),
    bandwidth: numberOf(bandwidth, UNITS.mebibytes),
    rate: numberOf(rate, UNITS.perSecond),
    flaws: cells.filter(isNoFigure).map(({ text }) => text),
    isNaN: latency?.kind === 'nan',
    shown: { bandwidth: bandwidth?.text ?? '', rate: rate?.text ?? '' },
  };
  return row;
}

const isNoFigure = (cell: Cell | undefined): cell is Cell => cell?.kind === 'nan' || cell?.kind === 'infinite';

function numberOf(cell: Cell | undefined, unit: Unit): number | null {
  return cell?.kind === 'number' ? valueOf(cell.text, unit) : null;
}
