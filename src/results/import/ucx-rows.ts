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

/** A row of a table; undefined where the line is none. */
export function tableRowOf(words: readonly string[]): UcxRow | undefined {
  const isProgress = words[0] === '[thread' && /^\d+\]$/.test(words[1] ?? '');
  const rest = isProgress ? words.slice(2) : words[0] === 'Final:' ? words.slice(1) : words;
  const labelled = rest === words ? labelOf(words) : undefined;
  const cells = labelled === undefined ? rest : rest.slice(1);
  const count = numbersAt(cells);
  if (count !== ALONE && count !== SEVERAL) return undefined;
  const numbers = cells.slice(0, count);
  const [iterations = '', ...figures] = numbers;
  const [percentile, , latency = '', , bandwidth = '', , rate = ''] =
    count === ALONE ? figures : [undefined, '', figures[0], '', figures[1], '', figures[2]];
  return rowOf({
    ...{ stage: isProgress ? 'progress' : 'final', label: labelled ?? '', several: count === SEVERAL },
    ...{ iterations, percentile, latency, bandwidth, rate, all: numbers, info: cells.slice(count).join(' ') },
  });
}

/** The first word is a label where it is no number, or where there is a number too many. */
function labelOf(words: readonly string[]): string | undefined {
  const [first = ''] = words;
  if (!cellOf(first)) return first;
  const count = numbersAt(words);
  return count === ALONE + 1 || count === SEVERAL + 1 ? first : undefined;
}

function numbersAt(words: readonly string[]): number {
  const end = words.findIndex((word) => !cellOf(word));
  return end < 0 ? words.length : end;
}

/** Columns of the CSV: how many labels come first, and the percentile. */
export interface CsvHead {
  readonly labels: number;
  readonly percent: number;
  readonly cells: number;
}

export function csvHeadOf(text: string): CsvHead | undefined {
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
  const several = average === '';
  const all = [iterations, ...figures].filter((cell) => cell !== '');
  if (!all.every((cell) => cellOf(cell))) return undefined;
  return rowOf({
    ...{ stage: progress === undefined ? 'final' : 'progress', label, several, all, info: '' },
    ...{ iterations, percentile: percentile === '' ? undefined : percentile, latency, bandwidth, rate },
  });
}

function csvCells(text: string): string[] {
  return [...text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.trim(),
  );
}

interface Shown extends Pick<UcxRow, 'stage' | 'label' | 'several' | 'info'> {
  readonly iterations: string;
  readonly percentile: string | undefined;
  readonly latency: string;
  readonly bandwidth: string;
  readonly rate: string;
  readonly all: readonly string[];
}

function rowOf({ iterations, percentile, latency, bandwidth, rate, all, ...row }: Shown): UcxRow | undefined {
  const n = numberOf(iterations, { base: '' });
  if (n === null) return undefined;
  const special = (word: string): Cell['kind'] | undefined => cellOf(word)?.kind;
  return {
    ...row,
    iterations: n,
    percentile: percentile === undefined ? null : numberOf(percentile, UNITS.microseconds),
    latency: numberOf(latency, UNITS.microseconds),
    bandwidth: numberOf(bandwidth, UNITS.mebibytes),
    rate: numberOf(rate, UNITS.perSecond),
    flaws: all.filter((word) => special(word) === 'nan' || special(word) === 'infinite'),
    isNaN: special(latency) === 'nan',
    shown: { bandwidth, rate },
  };
}

function numberOf(word: string, unit: Unit): number | null {
  const cell = cellOf(word);
  return cell?.kind === 'number' ? valueOf(cell.text, unit) : null;
}
