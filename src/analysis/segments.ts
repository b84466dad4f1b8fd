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
  /** Sum of the squared relative errors. */
  readonly squares: number;
}

/** Sums over the points of a piece, from which its line follows. With x = 1 / t and z = size / t, t is fitted by 1. */
class Sums {
  n = 0;
  #x = 0;
  #z = 0;
  #xx = 0;
  #xz = 0;
  #zz = 0;

  add({ size, seconds }: TimedSize): void {
    const x = 1 / seconds;
    const z = size / seconds;
    this.n += 1;
    this.#x += x;
    this.#z += z;
    this.#xx += x * x;
    this.#xz += x * z;
    this.#zz += z * z;
  }

  line(): Line {
    const determinant = this.#xx * this.#zz - this.#xz * this.#xz;
    if (determinant > 1e-12 * this.#xx * this.#zz) {
      const latency = (this.#x * this.#zz - this.#z * this.#xz) / determinant;
      const perByte = (this.#z * this.#xx - this.#x * this.#xz) / determinant;
      if (perByte >= 0) return this.#line(latency, perByte);
    }
    return this.#line(this.#x / this.#xx, 0);
  }

  #line(latency: number, perByte: number): Line {
    return { latency, perByte, squares: Math.max(0, this.n - latency * this.#x - perByte * this.#z) };
  }
}

/** Lines for all pieces that begin at a point: index by the number of points, less one. */
function linesFrom(points: readonly TimedSize[], start: number): Line[] {
  const sums = new Sums();
  return points.slice(start).map((point) => {
    sums.add(point);
    return sums.line();
  });
}

/** What the first `end` points cost at least in so many pieces, and where the last of them begins. */
interface Best {
  readonly squares: number;
  readonly start: number;
}

/** `points` by ascending size, each size once. No pieces where there are fewer than three points. */
export function segmentsOf(points: readonly TimedSize[]): CurveSegment[] {
  const used = thinned(points);
  if (used.length < LEAST_POINTS) return [];
  const lines = used.map((_, start) => linesFrom(used, start));
  const most = Math.min(MOST_SEGMENTS, Math.floor(used.length / LEAST_POINTS));
  const tables: Best[][] = [];
  for (let count = 1; count <= most; ++count) tables.push(bestTable(lines, tables.at(-1)));
  return cut(used, lines, tables.slice(0, bestCount(tables, used.length)));
}

/** The cheapest way for every number of points with one more piece than `before` has. */
function bestTable(lines: readonly (readonly Line[])[], before: readonly Best[] | undefined): Best[] {
  const none: Best = { squares: before ? Infinity : 0, start: 0 };
  return [none, ...lines.map((_, last) => bestEnd(lines, last + 1, before))];
}

function bestEnd(lines: readonly (readonly Line[])[], end: number, before: readonly Best[] | undefined): Best {
  let best: Best = { squares: Infinity, start: 0 };
  for (let start = before ? LEAST_POINTS : 0; start <= (before ? end - LEAST_POINTS : 0); ++start) {
    const squares = (before?.[start]?.squares ?? 0) + (lines[start]?.[end - start - 1]?.squares ?? Infinity);
    if (end - start >= LEAST_POINTS && squares < best.squares) best = { squares, start };
  }
  return best;
}

function bestCount(tables: readonly (readonly Best[])[], n: number): number {
  const criteria = tables.map((table, index) => {
    const squares = table[n]?.squares ?? Infinity;
    return n * Math.log(squares / n + NOISE ** 2) + (PARAMETERS * (index + 1) - 1) * Math.log(n);
  });
  return criteria.indexOf(Math.min(...criteria)) + 1;
}

function cut(
  points: readonly TimedSize[],
  lines: readonly (readonly Line[])[],
  tables: readonly (readonly Best[])[],
): CurveSegment[] {
  const segments: CurveSegment[] = [];
  let end = points.length;
  for (const table of tables.toReversed()) {
    const start = table[end]?.start ?? 0;
    const line = lines[start]?.[end - start - 1];
    if (line) segments.unshift(segmentOf(points.slice(start, end), line));
    end = start;
  }
  return segments;
}

function segmentOf(points: readonly TimedSize[], { latency, perByte, squares }: Line): CurveSegment {
  return {
    from: points[0]?.size ?? 0,
    to: points.at(-1)?.size ?? 0,
    points: points.length,
    latency,
    bandwidth: perByte > 0 ? 1 / perByte : null,
    error: Math.sqrt(squares / points.length),
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
