/** Refusals of PAPI in words. */
import { readFileSync } from 'node:fs';
import type { PapiFailure } from './native.js';

/** Events that can't be counted, or couldn't be read; the message is a sentence with cause and mend, without full stop. */
export class CountersError extends Error {
  constructor(
    message: string,
    /** Whether other events would do, or this machine can't do it. */
    readonly reason: 'wrong-use' | 'not-here',
  ) {
    super(message);
    this.name = 'CountersError';
  }
}

/** Where the kernel says what it lets users count. */
const PARANOIA = '/proc/sys/kernel/perf_event_paranoid';

/**
 * What PAPI refused, in a sentence.
 *
 * @param permission PAPI's code where the kernel forbids
 */
export function explainFailure(failure: PapiFailure, events: readonly string[], permission: number): CountersError {
  const { step, code, text, event } = failure;
  switch (step) {
    case 'library':
      return new CountersError(
        `PAPI can't be started (${text}): run with the PAPI that fabricbench was built with, or build it again with npm run build`,
        'not-here',
      );
    case 'start':
      return new CountersError(
        `the counters of ${events.join(', ')} can't be started (${text}): end other programs that hold them, such as perf or the kernel's NMI watchdog`,
        'not-here',
      );
    case 'together':
      return new CountersError(
        `${event} can't be counted together with ${events.slice(0, events.indexOf(event)).join(', ')} (${text}): name fewer events`,
        'wrong-use',
      );
    case 'event':
      return code === permission ? forbidden(event) : explainEvent(failure);
  }
}

function explainEvent({ event, known, text, component, disabled }: PapiFailure): CountersError {
  if (disabled !== '') {
    return new CountersError(
      `this machine can't count ${event}, because PAPI's component ${component} doesn't work here (${disabled.replace(/\.$/, '')}): leave it out`,
      'not-here',
    );
  }
  if (!known) {
    return new CountersError(
      `PAPI knows no event ${event}: papi_avail and papi_native_avail list those there are`,
      'wrong-use',
    );
  }
  return new CountersError(
    `this machine can't count ${event} (PAPI says: ${text}), as is usual in virtual machines without hardware counters: papi_avail lists what it can`,
    'not-here',
  );
}

function forbidden(event: string): CountersError {
  return new CountersError(
    `the kernel forbids to count ${event} (${PARANOIA} holds ${paranoia()}): have it set to 2 or below, or run with CAP_PERFMON`,
    'not-here',
  );
}

function paranoia(): string {
  try {
    return readFileSync(PARANOIA, 'utf8').trim();
  } catch {
    return 'nothing';
  }
}
