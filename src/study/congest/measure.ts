/** A victim's measurements, alone and beside aggressors in turn. */
import { median, medianInterval } from '../../bench/measure/robust.js';
import { SampleStore } from '../../bench/measure/samples.js';
import type { MedianInterval, Statistics } from '../../bench/measure/types.js';
import { mainFigure } from '../programs.js';
import type { Field, Part, PartStep } from '../types.js';
import type { CongestOptions } from './options.js';
import { AGGRESSORS, bytesPerIteration, VICTIMS, type AggressorName, type Roles, type VictimName } from './roles.js';

/** What is compared: of the victim's times. */
export const MEASURES = ['mean', 'median', 'p99', 'p999', 'max'] as const;
export type Measure = (typeof MEASURES)[number];

/** Samples that a measure needs, of one measurement. */
const NEEDED: Readonly<Record<Measure, number>> = { mean: 1, median: 1, p99: 100, p999: 1000, max: 1 };

/** Of one measurement: congestion may make a victim very slow. */
const MOST_SECONDS = 2;

/** `control`: alone again, which shows by how much measurements differ that should not. */
export const STATES = ['isolated', 'congested', 'control'] as const;
export type State = (typeof STATES)[number];

/** How many times as long something takes: the median of the rounds. */
export interface Factor {
  readonly value: number;
  /** Null below 6 rounds. */
  readonly interval: MedianInterval | null;
}

export interface Compared {
  /** Seconds, of all rounds together; alone: the mean of both measurements without traffic. */
  readonly isolated: number;
  readonly congested: number;
  /** Congested over the mean of the two around it. */
  readonly factor: Factor;
  /** The two without traffic, one over the other. */
  readonly control: Factor;
}

/** What a victim suffers from an aggressor. */
export interface Impact {
  readonly victim: VictimName;
  readonly aggressor: AggressorName;
  readonly warmup: number;
  /** Iterations of a rank of the victim, of all rounds. */
  readonly iterations: Readonly<Record<State, number>>;
  /** Seconds, of all rounds. */
  readonly statistics: Readonly<Record<State, Statistics>>;
  /** Null where a measurement has too few samples for it. */
  readonly measures: Readonly<Record<Measure, Compared | null>>;
  /** Bytes per second that all aggressors moved while the victim was measured; null where they don't say. */
  readonly traffic: number | null;
}

/** The congested measurement stands between two others: what drifts with time cancels out. */
export function orderOf(round: number): readonly State[] {
  return round % 2 === 0 ? ['isolated', 'congested', 'control'] : ['control', 'congested', 'isolated'];
}

interface Measured {
  readonly iterations: number;
  readonly seconds: Float64Array[];
  readonly traffic: number | null;
}

function victimPart(victim: VictimName, { victims }: Roles, options: CongestOptions): Part {
  const { program, iterations: usual } = VICTIMS[victim];
  const { iterations = usual, size } = options;
  const { warmup = Math.ceil(iterations / 100) } = options;
  return { program, ranks: victims, size, window: 1, iterations, warmup, limit: MOST_SECONDS };
}

/** Of all ranks that send. */
function trafficOf(background: readonly Part[], result: ReturnType<Field['run']>): number | null {
  const rates = background.flatMap((part) =>
    result.summaries
      .filter(({ rank }) => part.ranks.includes(rank))
      .map(({ iterations, seconds }) => (bytesPerIteration(part) * iterations) / seconds),
  );
  return rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0);
}

function runOnce(field: Field, part: Part, background: readonly Part[]): Measured {
  const step: PartStep = { kind: 'parts', parts: [part, ...background], samples: true };
  const result = field.run(step);
  // From the duration of an iteration to the figure, which is half of a round trip: a factor.
  const scale = mainFigure(part, 1, { seconds: [1], iterations: 1 });
  const seconds = [...result.samples.values()].map((samples) => samples.map((one) => one * scale));
  const iterations = result.summaries.find(({ rank }) => part.ranks.includes(rank))?.iterations ?? 0;
  return { iterations, seconds, traffic: trafficOf(background, result) };
}

/** Statistics of each measurement, and of all of a state. */
class Collection {
  readonly #all = Object.fromEntries(STATES.map((state) => [state, new SampleStore()])) as Record<State, SampleStore>;
  readonly #rounds: Record<State, Statistics[]> = { isolated: [], congested: [], control: [] };
  readonly iterations: Record<State, number> = { isolated: 0, congested: 0, control: 0 };

  add(state: State, { seconds, iterations }: Measured): void {
    this.iterations[state] += iterations;
    const own = new SampleStore();
    seconds.forEach((samples, source) => {
      own.add(samples, samples.length, source);
      this.#all[state].add(samples, samples.length, source);
    });
    this.#rounds[state].push(own.statistics());
  }

  get statistics(): Record<State, Statistics> {
    const of = (state: State): Statistics => this.#all[state].statistics();
    return { isolated: of('isolated'), congested: of('congested'), control: of('control') };
  }

  compare(measure: Measure, statistics: Record<State, Statistics>): Compared | null {
    const fewest = Math.min(...STATES.flatMap((state) => this.#rounds[state].map(({ n }) => n)));
    const of = (state: State): number => statistics[state][measure] ?? NaN;
    if (fewest < NEEDED[measure] || STATES.some((state) => Number.isNaN(of(state)))) return null;
    const alone = this.#each('isolated', measure).map(
      (one, round) => (one + (this.#each('control', measure)[round] ?? NaN)) / 2,
    );
    return {
      isolated: (of('isolated') + of('control')) / 2,
      congested: of('congested'),
      factor: factorOf(this.#each('congested', measure), alone),
      control: factorOf(this.#each('control', measure), this.#each('isolated', measure)),
    };
  }

  #each(state: State, measure: Measure): number[] {
    return this.#rounds[state].map((one) => one[measure] ?? NaN);
  }
}

function factorOf(values: readonly number[], over: readonly number[]): Factor {
  const ratios = values.map((value, round) => value / (over[round] ?? NaN));
  return { value: median(ratios), interval: medianInterval(ratios) };
}

/** Measures the victim in rounds: alone, beside the aggressor, and alone again. */
export function measureImpact(
  field: Field,
  { victim, aggressor, roles }: { victim: VictimName; aggressor: AggressorName; roles: Roles },
  options: CongestOptions,
): Impact {
  const part = victimPart(victim, roles, options);
  const { aggressorSize: size, window } = options;
  const background = AGGRESSORS[aggressor].parts(roles.aggressors, { size, window });
  const collection = new Collection();
  const traffic: number[] = [];
  for (let round = 0; round < options.rounds; round++) {
    for (const state of orderOf(round)) {
      const measured = runOnce(field, part, state === 'congested' ? background : []);
      collection.add(state, measured);
      if (measured.traffic !== null) traffic.push(measured.traffic);
    }
  }
  const { statistics, iterations } = collection;
  const compared = MEASURES.map((measure) => [measure, collection.compare(measure, statistics)]);
  return {
    ...{ victim, aggressor, iterations, warmup: part.warmup, statistics },
    measures: Object.fromEntries(compared) as Impact['measures'],
    traffic: traffic.length === 0 ? null : median(traffic),
  };
}
