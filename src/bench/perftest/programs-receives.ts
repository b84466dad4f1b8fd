/** Receives of a side: posted once, and ever after posted again as they are taken. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { Receives, ReceivesRequest } from '../../verbs/bind-types.js';
import type { Job } from './job.js';
import { recvWrs } from './programs-requests.js';
import type { Side } from './types.js';

/** Sides whose receives are posted. */
const filled = new WeakSet<Side>();

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

/**
 * Receives posted anew by one call. What a size leaves of a list the next one would not post: where sizes follow one another
 * each must take whole lists.
 */
function listOf({ recvPostList, iterations, sizes }: PerftestOptions): number {
  return sizes.length > 1 ? divisor(recvPostList, iterations) : recvPostList;
}

export function receivesRequest({ side, options }: Job): ReceivesRequest {
  const { cqePoll, events } = options;
  return { cq: side.recvCq, wrs: recvWrs(side), postList: listOf(options), cqePoll, events };
}

/** Posts the first receives, once for a side. */
export function fillReceives({ side, options }: Job, receives: Receives): void {
  if (filled.has(side)) return;
  filled.add(side);
  const most = side.srq ? side.context.attributes.maxSrqWr : Infinity;
  receives.fill(Math.min(Math.max(options.rxDepth, options.recvPostList), most));
}

/** Receives of a test that takes one message after the other. */
export function openReceives(job: Job): Receives {
  const receives = job.tools.bind.receives(receivesRequest(job));
  job.keep(receives.take);
  job.keep(receives.test);
  fillReceives(job, receives);
  return receives;
}
