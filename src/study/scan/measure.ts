/** A scan's measurements: osu_mbw_mr on the first so many pairs of the ranks, again and again. */
import { median } from '../../bench/measure/robust.js';
import { SampleStore } from '../../bench/measure/samples.js';
import type { Statistics } from '../../bench/measure/types.js';
import { countsOf, figuresOf } from '../programs.js';
import type { Field, Pair, Part, Summary } from '../types.js';
import type { ScanOptions } from './options.js';

const PROGRAM = 'osu_mbw_mr';

/** What is measured in one line of the table. */
export interface Setting {
  readonly size: number;
  readonly window: number;
  readonly pairs: number;
}

export interface PairRate {
  readonly pair: Pair;
  /** Messages per second. */
  readonly rate: number;
}

/** One line of the table. */
export interface Cell extends Setting {
  readonly iterations: number;
  readonly warmup: number;
  /** Messages per second of all pairs together: the median of the repeats, and their ends. */
  readonly rate: number;
  readonly lowest: number;
  readonly highest: number;
  /** Of each pair: the median of the repeats. */
  readonly rates: readonly PairRate[];
  /** Of the bandwidth that single windows of a pair would give all of them, as osu_mbw_mr has it. */
  readonly statistics: Statistics;
}

/** The pairs of so many ranks, as osu_mbw_mr forms them: with block placement each is between two halves of the nodes. */
export function pairsAmong(ranks: number): Pair[] {
  const half = Math.floor(ranks / 2);
  return Array.from({ length: half }, (_, rank) => [rank, rank + half] as const);
}

/** The part on which osu_mbw_mr would run if it were started on these pairs alone. */
export function partOf({ size, window, pairs }: Setting, all: readonly Pair[], options: ScanOptions): Part {
  const taken = all.slice(0, pairs);
  const counts = countsOf(PROGRAM, size);
  return {
    ...{ program: PROGRAM, size, window, layer: options.layer },
    ...{ iterations: options.iterations ?? counts.iterations, warmup: options.warmup ?? counts.warmup },
    ranks: [...taken.map(([first]) => first), ...taken.map(([, second]) => second)],
  };
}

/** Puts together what the repeats of one setting gave. */
class Repeats {
  readonly #part: Part;
  readonly #setting: Setting;
  readonly #rates: number[] = [];
  /** Of each pair's first rank, by repeat. */
  readonly #pairRates = new Map<number, number[]>();
  readonly #store: SampleStore;
  #iterations = 0;

  constructor(setting: Setting, part: Part) {
    this.#part = part;
    this.#setting = setting;
    const { pairs } = setting;
    const bandwidth = (seconds: number): number =>
      figuresOf(part, pairs, { seconds: [seconds], iterations: 1 })['bandwidth']?.value ?? NaN;
    this.#store = new SampleStore({ convert: bandwidth });
  }

  measure(field: Field): void {
    const { summaries, samples } = field.run({ kind: 'parts', parts: [this.#part], samples: true });
    this.#add(summaries);
    for (const [rank, seconds] of samples) this.#store.add(seconds, seconds.length, rank);
  }

  #add(summaries: readonly Summary[]): void {
    const { pairs } = this.#setting;
    const iterations = summaries[0]?.iterations ?? 0;
    const timed = { seconds: summaries.map(({ seconds }) => seconds), iterations };
    this.#rates.push(figuresOf(this.#part, pairs, timed)['rate']?.value ?? NaN);
    this.#iterations += iterations;
    for (const { rank, seconds } of summaries) {
      const known = this.#pairRates.get(rank) ?? [];
      this.#pairRates.set(rank, [...known, (this.#setting.window * iterations) / seconds]);
    }
  }

  cell(all: readonly Pair[]): Cell {
    const [iterations, rates] = [this.#iterations, this.#rates];
    const rateOf = ([first]: Pair): number => median(this.#pairRates.get(first) ?? []);
    return {
      ...{
        ...this.#setting,
        iterations,
        warmup: this.#part.warmup,
        statistics: this.#store.statistics({ tail: 'low' }),
      },
      ...{ rate: median(rates), lowest: Math.min(...rates), highest: Math.max(...rates) },
      rates: all.slice(0, this.#setting.pairs).map((pair) => ({ pair, rate: rateOf(pair) })),
    };
  }
}

/**
 * One line for each number of pairs. The repeats go up and down the numbers in turn: what changes with time must not look
 * like what changes with the pairs.
 */
export function measureGroup(
  field: Field,
  { size, window }: Pick<Setting, 'size' | 'window'>,
  counts: readonly number[],
  options: ScanOptions,
): Cell[] {
  const all = pairsAmong(field.size);
  const group = counts.map((pairs) => {
    const setting = { size, window, pairs };
    return new Repeats(setting, partOf(setting, all, options));
  });
  for (let repeat = 0; repeat < options.repeats; repeat++)
    for (const one of repeat % 2 === 0 ? group : [...group].reverse()) one.measure(field);
  return group.map((one) => one.cell(all));
}
