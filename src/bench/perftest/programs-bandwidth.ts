/** The programs of bandwidth tests: streams of one side, with what arrives meanwhile where both send. */
import { cqModFor } from '../../cli/perftest-depths.js';
import type { RateLimit } from '../../cli/perftest-options.js';
import { pace } from '../../engine/pace.js';
import type { Operation, Program } from '../../engine/types.js';
import type { Receives, Stream, StreamRequest } from '../../verbs/bind-types.js';
import type { Job } from './job.js';
import { isReceived, sendWrs, walkOf } from './programs-requests.js';
import { fillReceives, receivesRequest } from './programs-receives.js';

export interface Sending {
  readonly stream: Stream;
  /** Where messages arrive at the same time. */
  readonly receives?: Receives;
  /** An iteration posts a chain on one queue pair. */
  readonly program: Program;
}

export interface SendingOptions {
  /** Messages of each queue pair; 0 where the clock decides. */
  readonly total: number;
  /** Every so many'th is signaled (default: as the options say). */
  readonly cqMod?: number;
  readonly completions?: Float64Array;
}

/** Whether this side sends, and whether messages arrive here that it has receives for. */
export const sends = ({ role, options }: Job): boolean => role === 'client' || options.bidirectional;
export const takes = ({ role, options }: Job): boolean =>
  isReceived(options) && (role === 'server' || options.bidirectional);

function streamRequest(job: Job, { total, cqMod, completions }: SendingOptions): StreamRequest {
  const { side, size, options } = job;
  const { postList, txDepth, cqePoll, events } = options;
  const walk = walkOf(size);
  return {
    wrs: sendWrs(side, size),
    ...(walk ? { walk } : {}),
    ...{ postList, txDepth, cqePoll, events, total },
    cqMod: cqMod ?? Math.min(cqModFor(options, size), txDepth),
    ...(completions ? { completions } : {}),
  };
}

/** Bytes, or messages, that a limit allows in a second. */
function messagesPerSecond({ limit, units }: RateLimit, size: number): number {
  if (units === 'p') return limit;
  return (limit * (units === 'M' ? 2 ** 20 : 1e9 / 8)) / size;
}

/** What holds back the first chain of each burst; bursts are whole chains. */
function pacing({ options, size, keep }: PacingRequest): Operation[] {
  const { rateLimit, postList } = options;
  if (!rateLimit) return [];
  const chains = Math.max(1, Math.ceil(rateLimit.burstSize / postList));
  return [keep(pace((chains * postList) / messagesPerSecond(rateLimit, size), chains))];
}

type PacingRequest = Pick<Job, 'options' | 'size'> & { readonly keep: (operation: Operation) => Operation };

/**
 * Binds a stream. Our two sides begin together, with their receives posted; a stock perftest's server hears of the client by
 * its first message, and ours waits for it too.
 */
export function openSending(job: Job, wanted: SendingOptions): Sending {
  const { tools, role, options, size } = job;
  const request = streamRequest(job, wanted);
  const keep = (operation: Operation): Operation => job.keep(operation);
  const after = role === 'server' && job.stock;
  const both = takes(job) ? tools.bind.bothWays({ stream: request, receives: receivesRequest(job), after }) : undefined;
  const stream = both?.stream ?? tools.bind.stream(request);
  if (both) {
    keep(both.receives.take);
    keep(both.receives.test);
    fillReceives(job, both.receives);
  }
  const program: Program = {
    timed: [...pacing({ options, size, keep }), keep(stream.post)],
    closing: [keep(stream.end)],
  };
  return { stream, program, ...(both ? { receives: both.receives } : {}) };
}
