/** The programs of latency tests: who posts and who waits, in which order. */
import { compute } from '../../engine/compute.js';
import type { Operation, Program } from '../../engine/types.js';
import type { Job } from './job.js';
import { isReceived, sendWr } from './programs-requests.js';
import { openReceives } from './programs-receives.js';
import type { Lane } from './types.js';

/** The one queue pair of a latency test. */
export function onlyLane({ side }: Job): Lane {
  const [lane] = side.lanes;
  if (!lane) throw new Error('a test needs a queue pair');
  return lane;
}

/** Whether the last byte of a message is its number, which the other side waits for. */
export const isStamped = ({ options }: Job): boolean => options.verb === 'write' && !isReceived(options);

/** Who has something to measure: of reads and atomics the client alone. */
function isIdle({ options: { verb }, role }: Job): boolean {
  return role === 'server' && (verb === 'read' || verb === 'atomic');
}

/** What ends a trip of the peer's message here. */
function arrival(job: Job, lane: Lane): Operation {
  const { size, tools } = job;
  if (!isStamped(job)) return openReceives(job).take;
  return job.keep(tools.bind.waitByte(lane.mr.buffer, lane.receiveOffset + size - 1));
}

/**
 * An iteration goes from a post to the next one. Of sends the client's message is the first and of writes the server's, as
 * perftest has it; whoever comes second begins by waiting, so that for him it goes from one completion to the next, which
 * takes as long.
 */
function timedPart(job: Job, lane: Lane): Operation[] {
  const { side, size, tools, options, role } = job;
  const post = job.keep(tools.bind.post(sendWr(side, lane, size), { stamp: isStamped(job) }));
  const complete = job.keep(tools.bind.complete(side.sendCq, { events: options.events }));
  if (options.verb === 'read' || options.verb === 'atomic') return [post, complete];
  const first = options.verb === 'send' ? 'client' : 'server';
  const wait = arrival(job, lane);
  return role === first ? [post, complete, wait] : [wait, post, complete];
}

/**
 * The gap between messages is in no figure. Both sides of a ping-pong wait at the same time: if one alone did, the other's
 * iterations would hold it.
 */
function gap({ options }: Job, keep: (operation: Operation) => Operation): Operation[] {
  return options.latencyGap > 0 ? [keep(compute(options.latencyGap * 1e-6))] : [];
}

/** What this side runs; null where it only lets the other one work. */
export function latencyProgram(job: Job): Program | null {
  if (isIdle(job)) return null;
  const before = gap(job, (operation) => job.keep(operation));
  return { timed: timedPart(job, onlyLane(job)), ...(before.length > 0 ? { untimed: { before } } : {}) };
}
