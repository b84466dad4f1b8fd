/** How much of its time a core gives to a process: a fixed piece of work, done over and over, and how long it takes. */
import { compute } from '../engine/compute.js';
import { nativeExecutor } from '../engine/native-executor.js';
import type { Executor, Operation } from '../engine/types.js';
import type { NoiseRecord } from '../results/types.js';

/** Seconds that a piece of work takes undisturbed: far more than a read of the clock, and less than most interruptions. */
const PIECE_SECONDS = 5e-6;
/** How many are done in one native call: some 10 ms of work. */
const PIECES = 2000;
/** What a piece takes longer than the fastest one counts from here on, in seconds; below are caches and the clock. */
const THRESHOLD = 1e-6;

export interface NoiseOptions {
  /** How long to measure, in seconds. */
  readonly seconds: number;
  readonly executor?: Executor;
  readonly piece?: () => Operation;
}

/** Lost time, interruptions and the longest of them, from the seconds that each piece of work took. */
export function noiseOf(pieces: readonly Float64Array[]): NoiseRecord {
  const quantum = pieces.reduce((least, chunk) => chunk.reduce((a, b) => Math.min(a, b), least), Infinity);
  let [seconds, lost, longest, detours, n] = [0, 0, 0, 0, 0];
  for (const chunk of pieces) {
    n += chunk.length;
    for (const took of chunk) {
      seconds += took;
      const more = took - quantum;
      if (more < THRESHOLD) continue;
      lost += more;
      longest = Math.max(longest, more);
      ++detours;
    }
  }
  return { seconds, quantum, n, lost: lost / seconds, longest, detours, threshold: THRESHOLD };
}

/**
 * Measures this thread's core. It ends when the work has taken `seconds` on the whole, so that a core that is shared takes
 * no longer than one that isn't.
 */
export function measureNoise({
  seconds,
  executor = nativeExecutor,
  piece = () => compute(PIECE_SECONDS),
}: NoiseOptions): NoiseRecord {
  const run = executor.start({ timed: [piece()] });
  const pieces: Float64Array[] = [];
  run.warmUp(PIECES);
  for (let spent = 0; spent < seconds;) {
    const samples = new Float64Array(PIECES);
    spent += run.advance({ iterations: PIECES, samples }).seconds;
    pieces.push(samples);
  }
  run.finish();
  return noiseOf(pieces);
}
