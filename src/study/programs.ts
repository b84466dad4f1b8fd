/** The kernels that studies run: those of the osu_* programs, by their rows. */
import type { Figures } from '../bench/kernels/kernel.js';
import { countsFor } from '../bench/measure/counts.js';
import type { Counts } from '../bench/measure/types.js';
import type { RowTask } from '../bench/row.js';
import { programs } from '../bench/suites/index.js';
import type { MeasuringRow } from '../bench/suites/osu.js';
import { parseOsu } from '../cli/osu.js';
import type { OsuOptions } from '../cli/options.js';
import type { Work } from './types.js';

export function rowOf(program: string): MeasuringRow {
  const row = programs.get(program);
  if (!row || !('kernel' in row)) throw new Error(`there is no program ${program} that measures`);
  return row;
}

/** Iterations and warm-up that the program has by default for messages of this size. */
export function countsOf(program: string, size: number): Counts {
  return countsFor(rowOf(program).defaults.counts, size);
}

const defaults = new Map<string, OsuOptions>();

/** Of a program that is started without options. */
function defaultsOf(row: MeasuringRow): OsuOptions {
  const known = defaults.get(row.name);
  if (known) return known;
  const parsed = parseOsu([], row);
  if (parsed.kind !== 'run') throw new Error(`${row.name} does not start without options`);
  defaults.set(row.name, parsed.options);
  return parsed.options;
}

/** What a rank is to do; `barriers` of its part come before each timed part, as the program has them unless told. */
export function taskOf(
  work: Work,
  { pairs, barriers }: { readonly pairs: number; readonly barriers?: number },
): RowTask {
  const row = rowOf(work.program);
  const options = defaultsOf(row);
  return {
    ...{ kernel: row.kernel, barriers: barriers ?? row.barriers, pairs, options },
    ...{ size: work.size, window: work.window, warmup: work.warmup, datatype: options.datatypes[0] ?? 'MPI_CHAR' },
    ...{ layout: undefined, manyBuffers: false, validationWarmup: undefined, stamps: undefined },
  };
}

/** Times of the ranks that count. */
export interface Timed {
  readonly seconds: readonly number[];
  /** The same on all of them. */
  readonly iterations: number;
}

/** The figures of a program, as it computes them itself from the times of its ranks. */
export function figuresOf(work: Pick<Work, 'program' | 'size' | 'window'>, pairs: number, timed: Timed): Figures {
  const { seconds, iterations } = timed;
  const mean = seconds.reduce((sum, one) => sum + one, 0) / seconds.length;
  const { kernel } = rowOf(work.program);
  return kernel.figures({
    ...{ seconds: mean, least: Math.min(...seconds), most: Math.max(...seconds), iterations },
    ...{ size: work.size, window: work.window, pairs, calls: 1, parts: {}, earlier: {} },
  });
}

/** The value of the figure that the program is about: s, B/s or 1/s. */
export function mainFigure(work: Pick<Work, 'program' | 'size' | 'window'>, pairs: number, timed: Timed): number {
  const { figure } = rowOf(work.program);
  return figuresOf(work, pairs, timed)[figure]?.value ?? NaN;
}
