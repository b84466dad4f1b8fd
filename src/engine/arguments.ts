import type { AdvanceOptions, Program } from './types.js';

/** `value` if it is a whole number of at least `least` that JavaScript counts exactly; throws a RangeError naming `what` if not. */
export function wholeNumber(value: number, what: string, least = 0): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new RangeError(`${what} must be a whole number of at least ${least}, not ${String(value)}`);
}

/** Checked options of `advance`, with the defaults filled in. */
export interface CheckedAdvance {
  readonly iterations: number;
  readonly perSample: number;
  readonly leadIn: number;
  readonly samples: Float64Array | undefined;
  /** Samples that will be written. */
  readonly count: number;
  readonly close: boolean;
}

/** Checks the options of `advance`; throws RangeError or TypeError in one sentence. */
export function checkAdvance(options: AdvanceOptions): CheckedAdvance {
  const iterations = wholeNumber(options.iterations, 'iterations', 1);
  const perSample = wholeNumber(options.perSample ?? 1, 'perSample', 1);
  const leadIn = wholeNumber(options.leadIn ?? 0, 'leadIn');
  if (iterations % perSample !== 0) {
    throw new RangeError(`perSample (${perSample}) must divide iterations (${iterations})`);
  }
  const count = options.samples === undefined ? 0 : iterations / perSample;
  checkSamples(options.samples, count);
  return { iterations, perSample, leadIn, samples: options.samples, count, close: options.close === true };
}

/** Throws unless `samples` is a Float64Array with room for `count` samples, or absent. */
export function checkSamples(samples: Float64Array | undefined, count: number): void {
  if (samples === undefined) return;
  if (!(samples instanceof Float64Array)) throw new TypeError('samples must be a Float64Array');
  if (samples.length >= count) return;
  throw new RangeError(`samples has room for ${samples.length} samples, and this call writes ${count}`);
}

/** Throws for a program in which nothing runs between two iterations. A rank that only joins barriers has no timed part. */
export function requireOperations({ timed, untimed }: Program): void {
  if (timed.length + (untimed?.before?.length ?? 0) + (untimed?.after?.length ?? 0) > 0) return;
  throw new TypeError('a program needs at least one operation, timed or untimed');
}
