/** Measures one size of an ib_* test on one side of a pair. */
import { readFileSync } from 'node:fs';
import { engineClock } from '../../engine/clock.js';
import { nativeExecutor } from '../../engine/native-executor.js';
import { releaseOperations } from '../../engine/operations.js';
import { collect } from '../../engine/pace.js';
import { bind } from '../../verbs/index.js';
import { Job, type Tools } from './job.js';
import { differences, readCounters } from './machine.js';
import { measureBandwidth } from './measure-bandwidth.js';
import { measureChecked } from './measure-checked.js';
import { measureLatency } from './measure-latency.js';
import type { MeasureSize, SizeResult } from './types.js';

function measureJob(job: Job): SizeResult {
  const { kind, validate } = job.options;
  if (kind === 'lat') return measureLatency(job);
  return validate ? measureChecked(job) : measureBandwidth(job);
}

function withCounters(job: Job): SizeResult {
  const before = readCounters(job);
  const result = measureJob(job);
  return before.length > 0 ? { ...result, counters: differences(before, readCounters(job)) } : result;
}

/** Lets go of everything after a failure too; what that gives is not worth a word then. */
function attempt(job: Job, action: () => SizeResult): SizeResult {
  try {
    return action();
  } catch (error) {
    try {
      job.release();
    } catch {
      // The failure itself says more.
    }
    throw error;
  }
}

/** Measures with tools of its own; see `measure`. */
export function measureWith(tools: Tools): MeasureSize {
  return (side, size, progress) => {
    const job = new Job(tools, { side, size, progress });
    const result = attempt(job, () => withCounters(job));
    job.release();
    return job.warnings.length > 0 ? { ...result, warnings: job.warnings } : result;
  };
}

let shared: MeasureSize | undefined;

/**
 * See `MeasureSize`. With our own exchange both sides meet by barriers, barriers with progress, broadcasts of the client and
 * allgathers, each as often as the other side; with a stock perftest by two barriers of the pair: at the begin, once
 * receives are posted, and at the end.
 */
export const measure: MeasureSize = (side, size, progress) => {
  shared ??= measureWith({
    ...{ bind, executor: nativeExecutor, now: engineClock(), collect, release: releaseOperations },
    readText: (path) => readFileSync(path, 'utf8'),
  });
  return shared(side, size, progress);
};
