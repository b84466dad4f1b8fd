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

/** `control`: alone again, which shows by how much measurements differ that should not. */
export const STATES = ['isolated', 'congested', 'control'] as const;
export type State = (typeof STATES)[number];

/** By how many times something grew over its isolated neighbour: the median of the rounds. */
export interface Factor {
  readonly value: number;
  /** Null below 6 rounds. */
  readonly interval: MedianInterval | null;
}

export interface Compared {
  /** Seconds, of all rounds together. */
  readonly isolated: number;
  readonly congested: number;
  readonly factor: Factor;
  readonly control: Factor;
}

/** What a victim suffers from an aggressor. */
export interface Impact {
  readonly victim: VictimName;
  readonly aggressor: AggressorName;
  /** Iterations and warm-up of a rank of the victim in one measurement. */
  readonly iterations: number;
  readonly warmup: number;
  /** Seconds, of all rounds. */
  readonly statistics: Readonly<Record<State, Statistics>>;
  /** Null where a measurement has too few samples for it. */
  readonly measures: Readonly<Record<Measure, Compared | null>>;
  /** Bytes per second that all aggressors moved while the victim was measured; null where they don't say. */
  readonly traffic: number | null;
}

/** Whoever comes first changes with the rounds: what changes with time shall not look like what changes with traffic. */
export function orderOf(round: number): readonly State[] {
  const at = round % STATES.length;
  return [...STATES.slice(at), ...STATES.slice(0, at)];
}

interface Measured {
  readonly seconds: Float64Array[];
  readonly traffic: number | null;
}

function victimPart(victim: VictimName, { victims }: Roles, options: CongestOptions): Part {
  const { program, iterations: usual } = VICTIMS[victim];
  const { iterations = usual, size } = options;
  const { warmup = Math.ceil(iterations / 10) } = options;
  return { program, ranks: victims, size, window: 1, iterations, warmup };
}

/** Of the ranks whose times are known; those of the others are alike. */
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
  return { seconds, traffic: trafficOf(background, result) };
}

/** Statistics of each measurement, and of all of a state. */
class Collection {
  readonly #all = Object.fromEntries(STATES.map((state) => [state, new SampleStore()])) as Record<State, SampleStore>;
  readonly #rounds: Record<State, Statistics[]> = { isolated: [], congested: [], control: [] };

  add(state: State, { seconds }: Measured): void {
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
    const [isolated, congested] = [statistics.isolated[measure], statistics.congested[measure]];
    if (fewest < NEEDED[measure] || typeof isolated !== 'number' || typeof congested !== 'number') return null;
    return {
      ...{ isolated, congested },
      factor: this.#factor('congested', measure),
      control: this.#factor('control', measure),
    };
  }

  #factor(state: State, measure: Measure): Factor {
    const ratios = this.#rounds[state].map(
      (one, round) => (one[measure] ?? NaN) / (this.#rounds.isolated[round]?.[measure] ?? NaN),
    );
    return { value: median(ratios), interval: medianInterval(ratios) };
  }
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
  const { statistics } = collection;
  const compared = MEASURES.map((measure) => [measure, collection.compare(measure, statistics)]);
  return {
    ...{ victim, aggressor, iterations: part.iterations, warmup: part.warmup, statistics },
    measures: Object.fromEntries(compared) as Impact['measures'],
    traffic: traffic.length === 0 ? null : median(traffic),
  };
}
