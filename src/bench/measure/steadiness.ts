/**
 * What samples say in the order in which they were measured: whether they drift, how far one resembles the next, how sure
 * their median is, and a verdict. docs/analysis.md states all of it in words.
 */
import type { Ordered } from './ordered.js';
import { intervalOf, median, medianInterval } from './robust.js';
import { mannKendall } from './trend.js';
import type { Drift, MedianInterval, Verdict } from './types.js';

/** Blocks of samples one after the other, whose medians are compared: an even number. */
export const BLOCKS = 40;
/** With fewer samples nothing is said of their order. */
export const FEWEST_IN_ORDER = 10;
/** A trend is one where samples in random order would show it less often than this. */
export const DRIFT_P = 0.01;
/** And where the last quarter differs from the first by this part of the median. */
export const DRIFT_CHANGE = 0.02;
/** A median that is sure to no better than this part of itself is noisy, */
export const NOISE = 0.02;
/** and so is a row whose mean lies this part of the median away from it. */
export const MEAN_OFF = 0.1;

/**
 * Levels of `BLOCKS` blocks in order of time, 1 being usual; of fewer where a series has fewer samples. A series has its
 * medians of the blocks, as parts of their median, and the level of a block is the median over the series. Null where
 * samples are too few, or medians are 0 or infinite.
 */
export function blockLevels(series: readonly Float64Array[]): number[] | null {
  const shortest = series.reduce((least, { length }) => Math.min(least, length), Infinity);
  const blocks = Math.min(BLOCKS, shortest);
  if (series.length === 0 || blocks < FEWEST_IN_ORDER) return null;
  const all = series.map((one) => levelsOf(one, blocks));
  const levels = Array.from({ length: blocks }, (_, block) => median(all.map((own) => own[block] ?? NaN)));
  return levels.every(Number.isFinite) ? levels : null;
}

function levelsOf(values: Float64Array, blocks: number): number[] {
  const bound = (block: number): number => Math.floor((values.length * block) / blocks);
  const medians = Array.from({ length: blocks }, (_, block) => median(values.subarray(bound(block), bound(block + 1))));
  const usual = median(medians);
  return medians.map((one) => one / usual);
}

/** The change from the first quarter of the blocks to the last, and its p-value. */
export function driftOf(levels: readonly number[]): Drift {
  const quarter = Math.round(levels.length / 4);
  const change = median(levels.slice(-quarter)) - median(levels.slice(0, quarter));
  return { change, p: mannKendall(levels).p };
}

/**
 * The coefficient of autocorrelation at lag 1, of samples that are brought to `low` and `high` where they are beyond: one
 * outlier would hide all else. Null of fewer than `FEWEST_IN_ORDER`, and where they are all equal.
 */
export function autocorrelation(series: readonly Float64Array[], low: number, high: number): number | null {
  if (countOf(series) < FEWEST_IN_ORDER) return null;
  let products = 0;
  let squares = 0;
  for (const values of series) {
    const mean = meanWithin(values, low, high);
    let before = 0;
    for (const [index, value] of values.entries()) {
      const distance = Math.min(Math.max(value, low), high) - mean;
      squares += distance * distance;
      if (index > 0) products += before * distance;
      before = distance;
    }
  }
  return squares > 0 && Number.isFinite(products / squares) ? products / squares : null;
}

function meanWithin(values: Float64Array, low: number, high: number): number {
  let mean = 0;
  let index = 0;
  for (const value of values) mean += (Math.min(Math.max(value, low), high) - mean) / ++index;
  return mean;
}

/**
 * How far the median may be off, as a part of it: half of the width of its interval, or of that of the levels of the
 * blocks where this is wider. The latter counts a block as one sample, and so holds for samples that resemble each other;
 * of many blocks two neighbours are taken as one, so that only what lasts for longer than both is still missed.
 */
export function uncertaintyOf(ordered: Ordered, levels: readonly number[] | null): number | null {
  const centre = ordered.median();
  const interval = intervalOf(ordered);
  if (!interval || !(centre > 0) || !Number.isFinite(centre)) return null;
  const ofLevels = levels && medianInterval(levels.length === BLOCKS ? pairs(levels) : levels);
  return Math.max(halfWidth(interval) / centre, ofLevels ? halfWidth(ofLevels) : 0);
}

/** The means of every two neighbours. */
function pairs(levels: readonly number[]): number[] {
  return levels.flatMap((level, index) => (index % 2 === 0 ? [(level + (levels[index + 1] ?? NaN)) / 2] : []));
}

const halfWidth = ({ low, high }: MedianInterval): number => (high - low) / 2;

export interface Evidence {
  readonly drift: Drift | null;
  readonly uncertainty: number | null;
  readonly median: number;
  /** What all samples together come to: the mean of times, and of rates the harmonic mean. */
  readonly overall: number;
}

/** Drifting before noisy before steady; null where samples are too few to tell. */
export function verdictOf({ drift, uncertainty, median: centre, overall }: Evidence): Verdict | null {
  if (drift && drift.p < DRIFT_P && Math.abs(drift.change) >= DRIFT_CHANGE) return 'drifting';
  if (uncertainty === null || !drift) return null;
  const off = Math.abs(overall - centre) / centre;
  return uncertainty > NOISE || !(off <= MEAN_OFF) ? 'noisy' : 'steady';
}

function countOf(series: readonly Float64Array[]): number {
  return series.reduce((sum, { length }) => sum + length, 0);
}
