/** A map from beginning to end, whoever measures: pilot, plan, rounds, screening, repeats, verdict. */
import {
  FEWEST_ROUNDS,
  planMap,
  roundSeconds,
  type Effort,
  type Pilot,
  type Plan,
  type PlanRequest,
} from './budget.js';
import { FALSE_ALARMS, judged, trialsOf, type Trial } from './confirm.js';
import { eachLink, FIGURES_PER_LINK, type Meter } from './meter.js';
import { KINDS, type FigureName } from './figures.js';
import { fitModel } from './model.js';
import type { Levels } from './places.js';
import { excessOf, turnFor, type Lookup, type Turn } from './repeats.js';
import { linksOf, roundsFor, shiftRounds, shifts, tournament, tournamentRounds, type Round } from './schedule.js';
import { screen, type Family } from './screen.js';
import { Store } from './store.js';
import { findingsOf, unsettledOf, type Finding, type Grids } from './verdict.js';

export interface SurveyOptions {
  /** All nodes talk at once. */
  readonly congested: boolean;
  /** Partners of each node; undefined = all. */
  readonly sample: number | undefined;
  /** Seconds. */
  readonly timeLimit: number;
  /** What is worth telling, as a share: 0.1 = 10 % worse than expected. */
  readonly effect: number;
  readonly wanted: Effort;
  readonly fixed: NonNullable<PlanRequest['fixed']>;
  readonly seed: number;
  readonly levels: Levels;
  /** Hears what has been measured, now and then and before the repeats. */
  readonly measured?: (progress: Progress) => void;
}

/** What is known while it measures. */
export interface Progress {
  readonly rounds: number;
  readonly of: number;
  readonly effort: Effort;
  readonly pairs: number;
  readonly grids: Grids;
}

/** What was tested of a figure, and how much of it stood out. */
export type FamilySummary = Pick<Family, 'subject' | 'threshold' | 'tests' | 'beyond' | 'common'> & {
  readonly figure: FigureName;
  /** Suspects that were measured again. */
  readonly suspects: number;
};

export interface Survey {
  readonly nodes: number;
  readonly grids: Grids;
  readonly plan: Plan;
  /** Rounds really measured; fewer than planned where the clock ended them. */
  readonly rounds: number;
  /** Pairs of nodes that they measured. */
  readonly pairs: number;
  /** Seconds of all of it. */
  readonly seconds: number;
  /** Too few nodes to tell who is to blame. */
  readonly tooFew: boolean;
  readonly families: readonly FamilySummary[];
  readonly findings: readonly Finding[];
  /** Of whom it never became sure, because the time was over. */
  readonly unsettled: readonly Finding[];
  /** Bound of the chance that a map without a fault accuses anybody. */
  readonly falseAlarms: number;
}

/** With three nodes every fault of a link may as well be one of a host. */
export const FEWEST_NODES = 4;
const PILOT_ROUNDS = 3;
const PILOT = { latencyIterations: 10, latencyWarmup: 2, windows: 2, windowWarmup: 1 };
/** Of the time that is left after the pilot; the rest is for repeats. */
const SHARE_OF_ROUNDS = 0.75;
/** No round begins after this share of the limit. */
const SHARE_BEFORE_REPEATS = 0.9;
/** Seconds. */
const BETWEEN_PROGRESS = 5;
/** To tell of thousands of nodes takes seconds, in which all wait: so many times that pass between. */
const TIMES_BETWEEN_PROGRESS = 20;
const PARTNERS = 8;
/** Turns of repeats have chance of their own. */
const NEXT_TURN = 104729;

export function survey(meter: Meter, options: SurveyOptions): Survey {
  return new Surveyor(meter, options).run();
}

class Surveyor {
  readonly #began: number;
  readonly #store: Store;
  #tellFrom = 0;

  constructor(
    private readonly meter: Meter,
    private readonly options: SurveyOptions,
  ) {
    this.#began = meter.now();
    const { wanted } = options;
    this.#store = new Store(meter.nodes, { latency: wanted.latencyIterations > 0, bandwidth: wanted.windows > 0 });
  }

  run(): Survey {
    const { nodes } = this.meter;
    const rounds = this.#schedule();
    const plan = this.#planned(rounds);
    const measured = this.#measureAll(rounds.slice(0, plan.rounds), plan.effort);
    const { grids } = this.#store;
    const pairs = pairsIn(grids);
    const tooFew = nodes < FEWEST_NODES;
    const families = tooFew ? [] : this.#screen();
    const trials = this.#repeat(families, plan.effort);
    return {
      ...{ nodes, grids, plan, rounds: measured, pairs, tooFew },
      families: families.map(summaryOf),
      findings: findingsOf(trials, grids),
      unsettled: unsettledOf(trials, grids),
      falseAlarms: FALSE_ALARMS,
      seconds: this.#spent(),
    };
  }

  #spent(): number {
    return this.meter.now() - this.#began;
  }

  #schedule(): Round[] {
    const { congested, sample, seed } = this.options;
    const { nodes } = this.meter;
    if (congested) return shifts(nodes, sample ?? shiftRounds(nodes));
    return tournament(nodes, sample ?? tournamentRounds(nodes), seed);
  }

  /** A few rounds with few messages tell what all will take. What they give is measured again. */
  #planned(rounds: readonly Round[]): Plan {
    const { wanted, timeLimit, fixed } = this.options;
    const effort = pilotOf(wanted);
    const tried = rounds.slice(0, PILOT_ROUNDS);
    const began = this.meter.now();
    const figures = this.meter.measure(tried, effort);
    const seconds = (this.meter.now() - began) / Math.max(1, tried.length);
    const pilot = pilotFrom(figures, effort, seconds, this.options.congested ? 1 : 2);
    const limit = Math.max(0, timeLimit - this.#spent()) * SHARE_OF_ROUNDS;
    return planMap({ rounds: rounds.length, limit, pilot, wanted, fixed });
  }

  /** Returns how many rounds there was time for. */
  #measureAll(rounds: readonly Round[], effort: Effort): number {
    const last = this.options.timeLimit * SHARE_BEFORE_REPEATS;
    let done = 0;
    for (const round of rounds) {
      if (done >= FEWEST_ROUNDS && this.#spent() > last) break;
      this.#measure([round], effort, (a, b, figures) => {
        this.#store.take(a, b, figures);
      });
      done += 1;
      if (done === rounds.length || this.meter.now() >= this.#tellFrom) this.#tell(done, rounds.length, effort);
    }
    return done;
  }

  #tell(rounds: number, of: number, effort: Effort): void {
    const began = this.meter.now();
    const { grids } = this.#store;
    this.options.measured?.({ rounds, of, effort, pairs: pairsIn(grids), grids });
    const ended = this.meter.now();
    this.#tellFrom = ended + Math.max(BETWEEN_PROGRESS, TIMES_BETWEEN_PROGRESS * (ended - began));
  }

  #measure(rounds: readonly Round[], effort: Effort, take: (a: number, b: number, own: Float64Array) => void): void {
    const { nodes } = this.meter;
    const figures = this.meter.measure(rounds, effort);
    eachLink(
      nodes,
      rounds.map((round) => linksOf(round, nodes)),
      figures,
      take,
    );
  }

  #screen(): Family[] {
    const { effect, levels } = this.options;
    const partners = Math.min(PARTNERS, this.meter.nodes - 1);
    return Object.entries(this.#store.grids).flatMap(([name, grid]) => {
      const kind = KINDS[name as FigureName];
      const model = fitModel(grid, kind, levels.levelOf, levels.count);
      return screen(grid, kind, model, { effect, partners });
    });
  }

  /** Measures suspects again and again, until nobody is left or the time is over. */
  #repeat(families: readonly Family[], effort: Effort): Trial[] {
    let trials = trialsOf(families);
    for (let turns = 0; trials.some(({ state }) => state === 'open'); turns++) {
      if (turns > 0 && this.#spent() > this.options.timeLimit) break;
      trials = this.#turn(trials, families.length, effort, this.options.seed + NEXT_TURN * (turns + 1));
    }
    return trials;
  }

  #turn(trials: readonly Trial[], families: number, effort: Effort, seed: number): Trial[] {
    const { nodes } = this.meter;
    const turn = turnFor(trials, { nodes, partners: Math.min(PARTNERS, nodes - 1), seed });
    const seen = new Map<string, number>();
    this.#measure(this.#roundsOf(turn), effort, (a, b, own) => {
      this.#store.takeAgain(a, b, own);
      noteSeen(seen, a, b, own);
    });
    const lookup: Lookup = (figure, from, to) => seen.get(keyOf(figure, from, to)) ?? NaN;
    return trials.map((trial) => {
      if (trial.state !== 'open') return trial;
      const excess = excessOf(trial, lookup, turn);
      return !Number.isNaN(excess) ? judged(trial, excess, families) : { ...trial, state: 'cleared' };
    });
  }

  /** Where all talk at once a link is seen again in the shift that it belongs to. */
  #roundsOf({ pairs }: Turn): Round[] {
    if (!this.options.congested) return roundsFor(pairs);
    const { nodes } = this.meter;
    const distances = new Set(pairs.flatMap(([a, b]) => [(b - a + nodes) % nodes, (a - b + nodes) % nodes]));
    return [...distances].map((by) => ({ kind: 'shift', by }));
  }
}

function keyOf(figure: FigureName, from: number, to: number): string {
  const [a, b] = KINDS[figure].symmetric && from > to ? [to, from] : [from, to];
  return `${figure} ${a} ${b}`;
}

function noteSeen(seen: Map<string, number>, a: number, b: number, [latency, jitter, there, back]: Float64Array): void {
  const note = (figure: FigureName, from: number, to: number, value = NaN): void => {
    if (!Number.isNaN(value)) seen.set(keyOf(figure, from, to), value);
  };
  note('latency', a, b, latency);
  note('jitter', a, b, jitter);
  note('bandwidth', a, b, there);
  note('bandwidth', b, a, back);
}

function pilotOf(wanted: Effort): Effort {
  return {
    ...wanted,
    ...(wanted.latencyIterations > 0
      ? { latencyIterations: PILOT.latencyIterations, latencyWarmup: PILOT.latencyWarmup }
      : {}),
    ...(wanted.windows > 0 ? { windows: PILOT.windows, windowWarmup: PILOT.windowWarmup } : {}),
  };
}

/** Rounds last as long as their slowest link. */
function pilotFrom(figures: Float64Array, effort: Effort, seconds: number, ways: 1 | 2): Pilot {
  let [latency, slowest] = [0, Infinity];
  for (let at = 0; at < figures.length; at += FIGURES_PER_LINK) {
    const [half = NaN, jitter = NaN, there = NaN, back = NaN] = figures.subarray(at, at + FIGURES_PER_LINK);
    if (half * jitter > latency) latency = half * jitter;
    for (const rate of [there, back]) if (rate < slowest) slowest = rate;
  }
  const measured = { latency, byte: 1 / slowest, ways };
  return { ...measured, overhead: Math.max(0, seconds - roundSeconds(effort, { ...measured, overhead: 0 })) };
}

function pairsIn({ latency, bandwidth }: Grids): number {
  let pairs = 0;
  if (latency) latency.forEach(() => (pairs += 1));
  else
    bandwidth?.forEach(
      (_, from, to) => (pairs += from < to || bandwidth.at(to, from) !== bandwidth.at(to, from) ? 1 : 0),
    );
  return pairs;
}

function summaryOf({ kind, subject, threshold, tests, beyond, common, suspects }: Family): FamilySummary {
  return { figure: kind.name, ...{ subject, threshold, tests, beyond, common }, suspects: suspects.length };
}
