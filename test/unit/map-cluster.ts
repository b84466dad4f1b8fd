/** Simulated clusters for tests of maps: links whose figures a model draws, with faults that are planted, on a clock of their own. */
import type { Effort } from '../../src/study/map/budget.js';
import { FIGURES_PER_LINK, type Meter } from '../../src/study/map/meter.js';
import { linksOf, type Round } from '../../src/study/map/schedule.js';
import { seeded } from './random.js';

export interface Fault {
  /** Which messages it concerns; both directions are asked for. */
  hits(from: number, to: number): boolean;
  /** Factors: of the latency, of the jitter, of the bandwidth. */
  readonly latency?: number;
  readonly jitter?: number;
  readonly bandwidth?: number;
}

export interface Cluster {
  readonly nodes: number;
  readonly seed?: number;
  /** Half a round trip, seconds. */
  readonly latency?: number;
  /** Bytes per second. */
  readonly bandwidth?: number;
  /** Relative standard deviation of a figure. */
  readonly noise?: number;
  /** How often a figure is spoilt by something else, and by what factor. */
  readonly spikes?: { readonly share: number; readonly factor: number };
  readonly faults?: readonly Fault[];
  /** Factor of the latency between two nodes that the network itself makes. */
  readonly distance?: (from: number, to: number) => number;
  /** Seconds of a round beside its messages. */
  readonly overhead?: number;
}

export interface SimulatedMeter extends Meter {
  /** Links measured so far. */
  readonly measured: number;
  /** Rounds measured so far. */
  readonly rounds: number;
}

export const EFFORT: Effort = {
  ...{ latencySize: 8, latencyIterations: 100, latencyWarmup: 10 },
  ...{ size: 1 << 20, window: 16, windows: 5, windowWarmup: 1 },
};

export const slowLink = (a: number, b: number, factors: Omit<Fault, 'hits'>): Fault => ({
  ...factors,
  hits: (from, to) => (from === a && to === b) || (from === b && to === a),
});

export const slowDirection = (a: number, b: number, bandwidth: number): Fault => ({
  bandwidth,
  hits: (from, to) => from === a && to === b,
});

export const slowHost = (host: number, factors: Omit<Fault, 'hits'>): Fault => ({
  ...factors,
  hits: (from, to) => from === host || to === host,
});

/** Normal deviates by Box and Muller. */
function normal(random: () => number): () => number {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export function simulatedMeter(cluster: Cluster): SimulatedMeter {
  const {
    nodes,
    seed = 1,
    latency = 2e-6,
    bandwidth = 1e10,
    noise = 0.03,
    spikes,
    faults = [],
    overhead = 1e-3,
  } = cluster;
  const random = seeded(seed);
  const deviate = normal(random);
  const noisy = (): number => {
    const spoilt = spikes && random() < spikes.share ? spikes.factor : 1;
    return Math.exp(noise * deviate()) * spoilt;
  };
  const factor = (name: 'latency' | 'jitter' | 'bandwidth', from: number, to: number): number =>
    faults.reduce((all, fault) => (fault.hits(from, to) ? all * (fault[name] ?? 1) : all), 1);
  const distance = cluster.distance ?? (() => 1);
  let [seconds, measured, count] = [0, 0, 0];
  const link = (out: Float64Array, at: number, from: number, to: number, both: boolean, effort: Effort): number => {
    const half = latency * distance(from, to) * factor('latency', from, to) * noisy();
    const jitter = 1 + 0.05 * factor('jitter', from, to) * noisy();
    const there = (bandwidth * factor('bandwidth', from, to)) / noisy();
    const back = both ? (bandwidth * factor('bandwidth', to, from)) / noisy() : NaN;
    out[at] = effort.latencyIterations > 0 ? half : NaN;
    out[at + 1] = effort.latencyIterations > 0 ? jitter : NaN;
    out[at + 2] = effort.windows > 0 ? there : NaN;
    out[at + 3] = effort.windows > 0 ? back : NaN;
    const bytes = effort.size * effort.window * (effort.windows + effort.windowWarmup);
    const pings =
      effort.latencyIterations > 0 ? 2 * half * jitter * (effort.latencyIterations + effort.latencyWarmup) : 0;
    return pings + (effort.windows > 0 ? bytes / there + (both ? bytes / back : 0) : 0);
  };
  const one = (round: Round, effort: Effort, out: number[]): void => {
    const links = linksOf(round, nodes);
    const own = new Float64Array(FIGURES_PER_LINK);
    let slowest = 0;
    for (let at = 0; at < links.length; at += 2) {
      const took = link(own, 0, links[at] ?? 0, links[at + 1] ?? 0, round.kind !== 'shift', effort);
      slowest = Math.max(slowest, took);
      for (const value of own) out.push(value);
      measured += 1;
    }
    seconds += overhead + slowest;
    count += 1;
  };
  return {
    nodes,
    now: () => seconds,
    measure: (rounds, effort) => {
      const out: number[] = [];
      for (const round of rounds) one(round, effort, out);
      return Float64Array.from(out);
    },
    get measured() {
      return measured;
    },
    get rounds() {
      return count;
    },
  };
}
