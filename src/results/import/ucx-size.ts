/** How large the messages of a row of ucx_perftest were, which its final rows don't say. */
import type { UcxRow } from './ucx-rows.js';

export interface FoundSize {
  /** Null where nothing tells. */
  readonly size: number | null;
  /** Where it isn't said, but follows from bandwidth and rate. */
  readonly computed?: true;
  /** What contradicts it, in words. */
  readonly doubt?: string;
}

/**
 * What is said outright; else the number that a batch calls its line, unless bandwidth and rate tell of another size
 * altogether; else what these two tell: one is the other times the size.
 */
export function sizeOf(row: UcxRow, said: number | undefined): FoundSize {
  if (said !== undefined) return { size: said };
  const computed = sizeFromFigures(row);
  const [, digits] = /(?:^|\/)(\d+)$/.exec(row.label) ?? [];
  const label = digits === undefined ? undefined : Number(digits);
  if (label === undefined) return computed ? { size: computed.size, computed: true } : { size: null };
  if (!computed || (label >= computed.low && label <= computed.high)) return { size: label };
  const contradiction = `bandwidth and rate of the row "${row.label}" are those of ${computed.size} bytes`;
  const isMeant = label * 2 > computed.size && label < computed.size * 2;
  return isMeant
    ? { size: label, doubt: contradiction }
    : { size: computed.size, computed: true, doubt: contradiction };
}

interface Range {
  readonly size: number;
  readonly low: number;
  readonly high: number;
}

const MEBI = 2 ** 20;

/** All sizes that round to what is shown, and the roundest of them. Rates of UCT's streams count one message too many. */
function sizeFromFigures({ shown, iterations }: UcxRow): Range | undefined {
  const [bandwidth, rate] = [boundsOf(shown.bandwidth), boundsOf(shown.rate)];
  if (!bandwidth || !rate || rate.low <= 0) return undefined;
  const low = Math.ceil((bandwidth.low * MEBI) / rate.high - 1e-9);
  const counted = 1 + 1 / Math.max(1, iterations);
  const high = Math.floor((bandwidth.high * MEBI * counted) / rate.low + 1e-9);
  const size = low <= high ? roundest(low, high) : Math.round((low + high) / 2);
  return { size, low, high };
}

function boundsOf(text: string): { low: number; high: number } | undefined {
  const plain = text.replaceAll(',', '');
  const value = Number(plain);
  if (plain === '' || !Number.isFinite(value)) return undefined;
  const point = plain.indexOf('.');
  const half = 0.5 / 10 ** (point < 0 ? 0 : plain.length - point - 1);
  return { low: Math.max(0, value - half), high: value + half };
}

/** Of the numbers from low to high, the one that the highest power of 2 divides, or the only one. */
function roundest(low: number, high: number): number {
  if (low === 0) return 0;
  for (let step = 2 ** Math.floor(Math.log2(high)); step > 1; step /= 2) {
    const first = Math.ceil(low / step) * step;
    if (first <= high) return first;
  }
  return low;
}
