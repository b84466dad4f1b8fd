/** How the figures of ib_* are computed. Nothing here is ever infinite or NaN: what can't be told is null. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import { inReportUnit } from '../../report/perftest-text.js';
import type { BandwidthFigures, LatencyFigures } from '../../report/perftest-types.js';
import { SampleStore } from '../measure/samples.js';
import type { PerftestTest } from '../suites/perftest.js';

/** Percentiles of a latency row. */
export const LATENCY_PERCENTILES: readonly number[] = [99, 99.9];
const MILLION = 1e6;

/** Whether something took time that can be divided by. */
function isTime(seconds: number): boolean {
  return seconds > 0 && Number.isFinite(seconds);
}

/** A store for durations of iterations: it keeps those of one way, half of a ping-pong's. */
export function latencyStore({ trips }: Pick<PerftestTest, 'trips'>, limit?: number): SampleStore {
  return new SampleStore({ convert: (seconds) => seconds / trips, ...(limit !== undefined && { limit }) });
}

/**
 * A row of a latency test from all its samples: the worst one is the maximum, the typical one is the median, and
 * percentiles are samples by nearest rank, whatever their number. `store` has one-way times (`latencyStore`).
 */
export function latencyFigures(size: number, iterations: number, store: SampleStore): LatencyFigures {
  const { min, max, median, mean, sd, percentiles } = store.statistics({ percentiles: LATENCY_PERCENTILES });
  const [p99 = null, p999 = null] = percentiles.map(({ value }) => value);
  return { size, iterations, min, max, typical: median, average: mean, stdev: sd, p99, p999 };
}

export interface TimedLatency {
  readonly size: number;
  /** Iterations that ended between the margins. */
  readonly iterations: number;
  /** Between the margins. */
  readonly seconds: number;
  /** One-way times, where they were kept. */
  readonly store?: SampleStore;
  /** Percent. */
  readonly cpuUtil?: number;
}

/** A row of a latency test with `-D`: the average is the time of one way, the rate is of whole iterations. */
export function timedLatencyFigures(
  { size, iterations, seconds, store, cpuUtil }: TimedLatency,
  { trips }: Pick<PerftestTest, 'trips'>,
): LatencyFigures {
  const known = iterations > 0 && isTime(seconds);
  const nothing = { min: null, max: null, typical: null, stdev: null, p99: null, p999: null };
  return {
    ...(store && store.count > 0 ? latencyFigures(size, iterations, store) : nothing),
    ...{ size, iterations },
    average: known ? seconds / (trips * iterations) : null,
    tps: isTime(seconds) ? iterations / seconds : null,
    ...(cpuUtil !== undefined && { cpuUtil }),
  };
}

export interface Stream {
  readonly size: number;
  /** Of all queue pairs; with `-D` those that completed between the margins. */
  readonly messages: number;
  /** From the first posting to the last completion, or between the margins. */
  readonly seconds: number;
  /** Seconds per message of the best window (`bestWindow`), where it was looked for. */
  readonly bestWindow?: number | null;
  /** Percent. */
  readonly cpuUtil?: number;
}

/** A row of a bandwidth test. A peak is never below the average: a window of all messages is one of the windows. */
export function bandwidthFigures({ size, messages, seconds, bestWindow, cpuUtil }: Stream): BandwidthFigures {
  const rate = isTime(seconds) ? messages / seconds : null;
  const fastest = bestWindow !== undefined && bestWindow !== null && isTime(bestWindow) ? 1 / bestWindow : null;
  return {
    ...{ size, iterations: messages },
    peak: fastest === null ? null : size * fastest,
    average: rate === null ? null : size * rate,
    messageRate: rate,
    ...(cpuUtil !== undefined && { cpuUtil }),
  };
}

/** `-b`: both directions together. Iterations and the processors' load stay this side's. */
export function sumOfDirections(local: BandwidthFigures, remote: BandwidthFigures): BandwidthFigures {
  return {
    ...local,
    peak: sum(local.peak, remote.peak),
    average: sum(local.average, remote.average),
    messageRate: sum(local.messageRate, remote.messageRate),
  };
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

/** Several pairs at once: each figure and the iterations are those of all together. */
export function aggregateFigures(pairs: readonly [BandwidthFigures, ...BandwidthFigures[]]): BandwidthFigures {
  const [first, ...others] = pairs;
  return others.reduce<BandwidthFigures>(
    (total, pair) => ({ ...sumOfDirections(total, pair), iterations: total.iterations + pair.iterations }),
    first,
  );
}

/** Seconds of `-D` that count. */
export function sampleSeconds({ seconds, margin }: NonNullable<PerftestOptions['duration']>): number {
  return Math.max(seconds - 2 * margin, 0);
}

type Limits = Pick<PerftestOptions, 'gbits' | 'limitBw' | 'limitMsgRate'>;

/** What `-w` and `-y` say about a row: a sentence for each limit that was missed; a figure that isn't known misses it. */
export function missedLimits({ gbits, limitBw, limitMsgRate }: Limits, figures: BandwidthFigures): string[] {
  const { size, average, messageRate } = figures;
  const bandwidth = average === null ? null : inReportUnit(average, gbits);
  const millions = messageRate === null ? null : messageRate / MILLION;
  const unit = gbits ? 'Gb/s' : 'MiB/s';
  return [
    ...missed(`The bandwidth at ${size} bytes`, bandwidth, limitBw, unit),
    ...missed(`The message rate at ${size} bytes`, millions, limitMsgRate, 'million messages/s'),
  ];
}

function missed(what: string, value: number | null, limit: number | undefined, unit: string): string[] {
  if (limit === undefined || (value !== null && value >= limit)) return [];
  const shown = value === null ? 'not known' : `${Number(value.toPrecision(6))} ${unit}`;
  return [`${what} is ${shown}, below the limit of ${limit} ${unit}`];
}

/** Why a row shows zeros, where its time was too short to be told. */
export function zeroTimeNote(figures: BandwidthFigures | LatencyFigures): string | undefined {
  if (figures.average !== null) return undefined;
  return `No time was measured at ${figures.size} bytes, so that its row shows 0: give a larger -n or -D`;
}
