/** The shape of a curve over message sizes, in plain data: bytes, seconds, bytes per second. */

export type CurveKind = 'latency' | 'bandwidth' | 'rate';

export interface CurvePoint {
  /** Bytes. */
  readonly size: number;
  /** Seconds for `latency`, bytes per second for `bandwidth`, messages per second for `rate`. */
  readonly value: number;
}

/** A piece of the curve that one line explains: a message of s bytes takes latency + s / bandwidth. */
export interface CurveSegment {
  /** Sizes of its first and last point. */
  readonly from: number;
  readonly to: number;
  readonly points: number;
  /** Seconds; negative where the line of a later piece is steep. */
  readonly latency: number;
  /** Bytes per second; null where the time doesn't grow with the size. */
  readonly bandwidth: number | null;
  /** Root of the mean squared relative error of the times. */
  readonly error: number;
}

/** Where the line of the sizes before no longer holds. */
export interface CurveSwitch {
  /** The last size before it, and the first one after it. */
  readonly before: number;
  readonly at: number;
  /** `jump`: the lines of both sides don't meet. `slope`: they do, and the time goes on at another pace. */
  readonly kind: 'jump' | 'slope';
  /** What the new line says of size `at`, against what the one before foretells: 0.5 = half as much time again. */
  readonly change: number;
}

/** Bandwidth (size by time) that falls although messages grow. */
export interface CurveDip {
  /** The last size before it, and the first one in it. */
  readonly before: number;
  readonly at: number;
  /** Bytes per second at `before`. */
  readonly from: number;
  /** Where it is lowest; `value` in bytes per second. */
  readonly lowest: CurvePoint;
  /** 1 - lowest / from. */
  readonly drop: number;
  /** The first size at which the bandwidth is back; null where it isn't. */
  readonly until: number | null;
}

export interface CurveLatency {
  readonly size: number;
  readonly seconds: number;
  /** False: read from the first segment's line. */
  readonly measured: boolean;
}

export interface CurveShape {
  readonly kind: CurveKind;
  /** Points that could be used. */
  readonly points: number;
  /** The best bandwidth (for latencies: size by time), in bytes per second. */
  readonly peak: CurvePoint | null;
  /** The smallest size that has 95 % of the peak; null below three sizes. */
  readonly saturation: number | null;
  /** Whether larger sizes were measured. If not, the curve may climb on beyond them. */
  readonly saturated: boolean;
  /** N1/2: the size that has half of the peak, interpolated; null where the smallest size has more. */
  readonly halfBandwidth: number | null;
  /** At 0, 1 and 8 bytes; of latencies only. */
  readonly latencies: readonly CurveLatency[];
  readonly segments: readonly CurveSegment[];
  readonly switches: readonly CurveSwitch[];
  readonly dips: readonly CurveDip[];
}
