/** The shape of a curve over message sizes: where it saturates, switches protocols, dips, and what lines explain it. */
import type {
  CurveDip,
  CurveKind,
  CurveLatency,
  CurvePoint,
  CurveSegment,
  CurveShape,
  CurveSwitch,
} from './curve-types.js';
import { foretold, segmentsOf, type TimedSize } from './segments.js';

export type { CurveDip, CurveKind, CurveLatency, CurvePoint, CurveSegment, CurveShape, CurveSwitch };

/** Share of the peak from which a curve counts as saturated. */
export const SATURATED = 0.95;
/** A fall of the bandwidth by less than this may be noise. */
const DIP = 0.1;
/** A time that differs by less than this from what the line before foretells may be noise. */
const SWITCH = 0.1;
const ASKED_LATENCIES = [0, 1, 8];
/** Fewer sizes have no shape. */
const LEAST_SIZES = 3;

/** Points may be unordered, several for one size (their median counts), and few; what can't be used is left out. */
export function curveShape(points: readonly CurvePoint[], kind: CurveKind): CurveShape {
  const times = timesOf(points, kind);
  const bandwidths = times.filter(({ size }) => size > 0).map(({ size, seconds }) => ({ size, value: size / seconds }));
  const peak = best(bandwidths);
  const segments = segmentsOf(times);
  return {
    kind,
    points: times.length,
    peak,
    ...saturation(bandwidths, peak),
    halfBandwidth: halfBandwidth(bandwidths, peak),
    latencies: kind === 'latency' ? latenciesAt(times, segments) : [],
    segments,
    switches: switchesOf(times, segments),
    dips: dipsOf(bandwidths),
  };
}

/** Seconds for a message of each size, by ascending size. */
export function timesOf(points: readonly CurvePoint[], kind: CurveKind): TimedSize[] {
  const bySize = new Map<number, number[]>();
  for (const { size, value } of points) {
    const seconds = kind === 'latency' ? value : kind === 'rate' ? 1 / value : size / value;
    if (!(size >= 0 && seconds > 0 && Number.isFinite(seconds) && Number.isFinite(size / seconds))) continue;
    const others = bySize.get(size);
    if (others) others.push(seconds);
    else bySize.set(size, [seconds]);
  }
  return [...bySize].map(([size, all]) => ({ size, seconds: middle(all) })).sort((a, b) => a.size - b.size);
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? NaN;
  return (at(Math.floor((sorted.length - 1) / 2)) + at(Math.ceil((sorted.length - 1) / 2))) / 2;
}

function best(bandwidths: readonly CurvePoint[]): CurvePoint | null {
  return bandwidths.reduce<CurvePoint | null>((top, point) => (top && top.value >= point.value ? top : point), null);
}

function saturation(
  bandwidths: readonly CurvePoint[],
  peak: CurvePoint | null,
): Pick<CurveShape, 'saturation' | 'saturated'> {
  if (!peak || bandwidths.length < LEAST_SIZES) return { saturation: null, saturated: false };
  const full = bandwidths.find(({ value }) => value >= SATURATED * peak.value)?.size ?? null;
  return { saturation: full, saturated: full !== null && full < (bandwidths.at(-1)?.size ?? full) };
}

/** Along a straight line of size and bandwidth, both on logarithmic scales. */
function halfBandwidth(bandwidths: readonly CurvePoint[], peak: CurvePoint | null): number | null {
  const half = (peak?.value ?? 0) / 2;
  const index = bandwidths.findIndex(({ value }) => value >= half);
  const [below, above] = [bandwidths[index - 1], bandwidths[index]];
  if (!below || !above) return null;
  const share = Math.log(half / below.value) / Math.log(above.value / below.value);
  return below.size * (above.size / below.size) ** share;
}

function latenciesAt(times: readonly TimedSize[], segments: readonly CurveSegment[]): CurveLatency[] {
  const [first] = segments;
  return ASKED_LATENCIES.flatMap((size): CurveLatency[] => {
    const point = times.find((time) => time.size === size);
    if (point) return [{ size, seconds: point.seconds, measured: true }];
    return first && size <= first.to ? [{ size, seconds: foretold(first, size), measured: false }] : [];
  });
}

/** Borders of pieces that are more than noise. */
function switchesOf(times: readonly TimedSize[], segments: readonly CurveSegment[]): CurveSwitch[] {
  return segments.slice(1).flatMap((segment, index) => {
    const previous = segments[index];
    if (!previous) return [];
    const inside = times.filter(({ size }) => size >= segment.from && size <= segment.to);
    const misses = inside.map(({ size, seconds }) => Math.abs(seconds / foretold(previous, size) - 1));
    const jump = jumpBetween(previous, segment);
    if (jump <= SWITCH && middle(misses) <= SWITCH) return [];
    const change = foretold(segment, segment.from) / foretold(previous, segment.from) - 1;
    return [{ before: previous.to, at: segment.from, kind: jump > SWITCH ? 'jump' : 'slope', change } as const];
  });
}

/** How far two lines are apart between their pieces, relative to the first; 0 where they meet there. */
function jumpBetween(first: CurveSegment, second: CurveSegment): number {
  const [before, at] = [first.to, second.from].map((size) => foretold(second, size) / foretold(first, size) - 1);
  if (before === undefined || at === undefined || before > 0 !== at > 0) return 0;
  return Math.min(Math.abs(before), Math.abs(at));
}

/** A dip begins where the bandwidth is more than 10 % below the best so far, and ends where it no longer is. */
function dipsOf(bandwidths: readonly CurvePoint[]): CurveDip[] {
  const dips: CurveDip[] = [];
  let top = 0;
  let inside: CurvePoint[] = [];
  let before: CurvePoint | undefined;
  const close = (until: number | null): void => {
    if (before && inside.length > 0) dips.push(dipOf(before, inside, until));
    inside = [];
  };
  for (const point of bandwidths) {
    if (point.value < (1 - DIP) * top) {
      inside.push(point);
      continue;
    }
    close(point.size);
    top = Math.max(top, point.value);
    before = point;
  }
  close(null);
  return dips;
}

function dipOf(before: CurvePoint, inside: readonly CurvePoint[], until: number | null): CurveDip {
  const lowest = inside.reduce((low, point) => (point.value < low.value ? point : low));
  return {
    before: before.size,
    at: inside[0]?.size ?? lowest.size,
    from: before.value,
    lowest,
    drop: 1 - lowest.value / before.value,
    until,
  };
}
