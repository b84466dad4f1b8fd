/** Signals to `fabricbench run` end the job that it runs, and all that would follow. */
import { constants } from 'node:os';
import type { Ended, Ending, RunningJob } from './running.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const SIGNAL_BASE = 128;

/** Waits for a job's end; a signal brings it about, a second one at once. */
export type Attend = (job: RunningJob) => Promise<Ended>;

/** Listens to signals while `action` runs. */
export async function attending<T>(action: (attend: Attend) => Promise<T>): Promise<T> {
  let ending: Ending | undefined;
  let current: RunningJob | undefined;
  const hear = (signal: NodeJS.Signals): void => {
    ending = { reason: `ended by ${signal}`, code: SIGNAL_BASE + constants.signals[signal], isFinal: true };
    current?.end(ending);
  };
  for (const signal of SIGNALS) process.on(signal, hear);
  try {
    return await action((job) => {
      current = job;
      if (ending) job.end(ending);
      return job.ended;
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, hear);
  }
}
