/**
 * A curve as few straight pieces: time = latency + size / bandwidth in each.
 *
 * Each piece is the line with the least sum of squared relative errors that doesn't fall. Where pieces begin is found by
 * dynamic programming, and how many there are by the Bayesian information criterion (docs/compare.md).
 */
import type { CurveSegment } from './curve-types.js';

/** A message of `size` bytes takes `seconds`, more than 0. */
export interface TimedSize {
  readonly size: number;
  readonly seconds: number;
}

/** Fewer points than this prove no line. */
const LEAST_POINTS = 3;
const MOST_SEGMENTS = 6;
/** Beyond this the number of pairs of borders takes too long. */
const MOST_POINTS = 400;
/** Relative errors below this are rounding and noise, and no reason for another piece. */
const NOISE = 0.01;
/** Latency, bandwidth and border. */
const PARAMETERS = 3;

interface Line {
  readonly latency: number;
  /** Seconds per byte. */
  readonly perByte: number;
}

/** Sums over the points of a piece, from which its line follows. With x = 1 / t and z = size / t, t is fitted by 1. */
class Sums {
  #n = 0;
  #x = 0;
  #z = 0;
  #xx = 0;
  #xz = 0;
  #zz = 0;

  add({ size, seconds }: TimedSize): void {
    const x = 1 / seconds;
    const z = size / seconds;
    this.#n += 1;
    this.#x += x;
    this.#z += z;
    this.#xx += x * x;
    this.#xz += x * z;
    this.#zz += z * z;
  }

  line(): Line {
    const determinant = this.#xx * this.#zz - this.#xz * this.#xz;
    if (determinant > 1e-12 * this.#xx * this.#zz) {
      const perByte = (this.#z * this.#xx - this.#x * this.#xz) / determinant;
      if (perByte >= 0) return { latency: (this.#x * this.#zz - this.#z * this.#xz) / determinant, perByte };
    }
    return { latency: this.#x / this.#xx, perByte: 0 };
  }

  /** Of the relative errors of that line. */
  squares({ latency, perByte }: Line): number {
    return Math.max(0, this.#n - latency * this.#x - perByte * this.#z);
  }
}

/** What every piece costs, as a table: of the points from `start` up to `end` (without it) at `start * (n + 1) + end`. */
function costsOf(points: readonly TimedSize[]): Float64Array {
  const n = points.length;
  const costs = new Float64Array(n * (n + 1)).fill(Infinity);
  for (let start = 0; start <= n - LEAST_POINTS; ++start) {
    const sums = new Sums();
    for (let end = start; end < n; ++end) {
      sums.add(points[end] as TimedSize);
      if (end + 1 - start >= LEAST_POINTS) costs[start * (n + 1) + end + 1] = sums.squares(sums.line());
    }
  }
  return costs;
}

/** For every number of points: what they cost at least in so many pieces, and where the last of these begins. */
interface Best {
  readonly squares: Float64Array;
  readonly starts: Int32Array;
}

/** `points` by ascending size, each size once. No pieces where there are fewer than three points. */
export function segmentsOf(points: readonly TimedSize[]): CurveSegment[] {
  const used = thinned(points);
  if (used.length < LEAST_POINTS) return [];
  const costs = costsOf(used);
  const most = Math.min(MOST_SEGMENTS, Math.floor(used.length / LEAST_POINTS));
  const tables: Best[] = [];
  for (let count = 1; count <= most; ++count) tables.push(bestTable(costs, used.length, count, tables.at(-1)));
  return cut(used, tables.slice(0, bestCount(tables, used.length)));
}

/** The cheapest way for every number of points in `count` pieces; `before` has one piece less. */
function bestTable(costs: Float64Array, n: number, count: number, before: Best | undefined): Best {
  const best: Best = { squares: new Float64Array(n + 1).fill(Infinity), starts: new Int32Array(n + 1) };
  const earlier = before?.squares ?? new Float64Array(1);
  for (let end = LEAST_POINTS * count; end <= n; ++end) {
    const last = before ? end - LEAST_POINTS : 0;
    let least = Infinity;
    for (let start = LEAST_POINTS * (count - 1); start <= last; ++start) {
      const squares = (earlier[start] as number) + (costs[start * (n + 1) + end] as number);
      if (squares >= least) continue;
      least = squares;
      best.starts[end] = start;
    }
    best.squares[end] = least;
  }
  return best;
}

function bestCount(tables: readonly Best[], n: number): number {
  const criteria = tables.map(({ squares }, index) => {
    const least = squares[n] ?? Infinity;
    return n * Math.log(least / n + NOISE ** 2) + (PARAMETERS * (index + 1) - 1) * Math.log(n);
  });
  return criteria.indexOf(Math.min(...criteria)) + 1;
}

function cut(points: readonly TimedSize[], tables: readonly Best[]): CurveSegment[] {
  const segments: CurveSegment[] = [];
  let end = points.length;
  for (const { starts } of tables.toReversed()) {
    const start = starts[end] ?? 0;
    segments.unshift(segmentOf(points.slice(start, end)));
    end = start;
  }
  return segments;
}

function segmentOf(points: readonly TimedSize[]): CurveSegment {
  const sums = new Sums();
  for (const point of points) sums.add(point);
  const line = sums.line();
  const { latency, perByte } = line;
  return {
    from: points[0]?.size ?? 0,
    to: points.at(-1)?.size ?? 0,
    points: points.length,
    latency,
    bandwidth: perByte > 0 ? 1 / perByte : null,
    error: Math.sqrt(sums.squares(line) / points.length),
  };
}

/** Seconds that a piece's line foretells for a size. */
export function foretold({ latency, bandwidth }: CurveSegment, size: number): number {
  return latency + (bandwidth === null ? 0 : size / bandwidth);
}

function thinned(points: readonly TimedSize[]): readonly TimedSize[] {
  if (points.length <= MOST_POINTS) return points;
  const step = (points.length - 1) / (MOST_POINTS - 1);
  return Array.from({ length: MOST_POINTS }, (_, index) => points[Math.round(index * step)]).filter(
    (point) => point !== undefined,
  );
}
