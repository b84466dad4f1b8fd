/**
 * Who looks bad at first sight: what stands out of a figure's noise by so much that it deserves to be measured again.
 * Nobody is accused here.
 */
import { MAD_TO_SD } from '../../bench/measure/robust.js';
import type { FigureKind } from './figures.js';
import type { PairGrid } from './grid.js';
import type { Model } from './model.js';
import { medianInPlace } from './select.js';
import { Sketch } from './sketch.js';

/** One test: a link's own part of a figure, or a host's as sender, as receiver, or as both. */
export interface Suspect {
  readonly kind: FigureKind;
  readonly subject: 'link' | 'host';
  readonly from: number;
  /** -1 of hosts. */
  readonly to: number;
  readonly way: 'both' | 'out' | 'into';
  /** By how much it was worse than expected: the logarithm of a factor. */
  readonly excess: number;
}

/** All tests of one sort on one figure. */
export interface Family {
  readonly kind: FigureKind;
  readonly subject: 'link' | 'host';
  readonly model: Model;
  /** Where standing out begins: the logarithm of a factor. */
  readonly threshold: number;
  readonly tests: number;
  /** Tests beyond the threshold. */
  readonly beyond: number;
  /** How likely something healthy is beyond it in one measurement: the share that was, with one more. */
  readonly chance: number;
  /** So many are beyond that it is how the network is, and no fault of a few. */
  readonly common: boolean;
  /** Those to be measured again: the worst. */
  readonly suspects: readonly Suspect[];
}

export interface ScreenOptions {
  /** What is worth telling, as a share: 0.1 = 10 % worse than expected. */
  readonly effect: number;
  /** Partners with whom a host is measured again. */
  readonly partners: number;
}

/** Standard deviations of the noise, as the median absolute deviation tells it, at which something stands out. */
const DEVIATIONS = 4;
/** A median of n values varies by so many times the standard deviation of one, divided by the root of n. */
const MEDIAN_EFFICIENCY = Math.sqrt(Math.PI / 2);
/** Means are moved by single messages: only where they rise by so much above the median something is wrong. */
const LEAST_JITTER = 0.5;
/** Shares beyond which a fault is a property, and numbers up to which it may be a fault in small maps. */
const FEW = { link: { share: 0.05, number: 3 }, host: { share: 0.125, number: 1 } } as const;
const MOST_SUSPECTS = 512;

/** Standard deviation of the links' own parts, as their median absolute deviation tells it. */
function noiseOf(grid: PairGrid, model: Model): number {
  const distances = new Sketch();
  grid.forEach((value, from, to) => {
    distances.add(Math.abs(model.rest(value, from, to)));
  });
  return distances.n === 0 ? 0 : MAD_TO_SD * distances.median();
}

const leastOf = (kind: FigureKind, { effect }: ScreenOptions): number =>
  Math.log1p(kind.name === 'jitter' ? Math.max(effect, LEAST_JITTER) : effect);

/** Keeps the worst without keeping all. */
class Worst {
  #kept: Suspect[] = [];

  add(suspect: Suspect): void {
    this.#kept.push(suspect);
    if (this.#kept.length >= 2 * MOST_SUSPECTS) this.#trim();
  }

  list(): readonly Suspect[] {
    this.#trim();
    return this.#kept;
  }

  #trim(): void {
    this.#kept = this.#kept.sort((one, other) => other.excess - one.excess).slice(0, MOST_SUSPECTS);
  }
}

type Counts = Pick<Family, 'kind' | 'subject' | 'model' | 'threshold' | 'tests' | 'beyond'>;

function familyOf(counts: Counts, suspects: readonly Suspect[]): Family {
  const { subject, kind, tests, beyond } = counts;
  const { share, number } = FEW[subject];
  // Of a link or host with a figure in each direction both may be bad.
  const directions = kind.symmetric ? 1 : 2;
  const common = beyond > Math.max(number * directions, share * tests);
  return { ...counts, chance: (beyond + 1) / (tests + 1), common, suspects: common ? [] : suspects };
}

function linkFamily(grid: PairGrid, kind: FigureKind, model: Model, options: ScreenOptions, noise: number): Family {
  const threshold = Math.max(DEVIATIONS * noise, leastOf(kind, options));
  const worst = new Worst();
  let [tests, beyond] = [0, 0];
  grid.forEach((value, from, to) => {
    tests += 1;
    const excess = model.rest(value, from, to);
    if (!(excess > threshold)) return;
    beyond += 1;
    worst.add({ kind, subject: 'link', from, to, way: kind.symmetric ? 'both' : 'out', excess });
  });
  return familyOf({ kind, subject: 'link', model, threshold, tests, beyond }, worst.list());
}

function spreadOf(parts: Float64Array): number {
  const distances = parts.map(Math.abs);
  return MAD_TO_SD * medianInPlace(distances, distances.length);
}

function hostFamily(nodes: number, kind: FigureKind, model: Model, options: ScreenOptions, noise: number): Family {
  const ways = kind.symmetric
    ? [{ way: 'both' as const, parts: model.out }]
    : [
        { way: 'out' as const, parts: model.out },
        { way: 'into' as const, parts: model.into },
      ];
  const repeated = (MEDIAN_EFFICIENCY * noise) / Math.sqrt(options.partners);
  const spread = Math.max(...ways.map(({ parts }) => spreadOf(parts)));
  const threshold = Math.max(DEVIATIONS * Math.hypot(spread, repeated), leastOf(kind, options));
  const suspects = ways.flatMap(({ way, parts }) =>
    Array.from(parts, (excess, from): Suspect => ({ kind, subject: 'host', from, to: -1, way, excess })).filter(
      ({ excess }) => excess > threshold,
    ),
  );
  const beyond = suspects.length;
  suspects.sort((one, other) => other.excess - one.excess);
  return familyOf({ kind, subject: 'host', model, threshold, tests: ways.length * nodes, beyond }, suspects);
}

/** The tests of one figure: of all its links, and of all hosts. */
export function screen(grid: PairGrid, kind: FigureKind, model: Model, options: ScreenOptions): Family[] {
  const noise = noiseOf(grid, model);
  return [linkFamily(grid, kind, model, options, noise), hostFamily(grid.nodes, kind, model, options, noise)];
}
