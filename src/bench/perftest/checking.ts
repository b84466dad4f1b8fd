/**
 * `--data_validation`: what is sent depends on the side, the queue pair, the place and the iteration or pass, and what has
 * arrived is compared outside of the timed part.
 */
import { check, checkResult, fill, type CheckOperation } from '../../engine/operations.js';
import type { Operation, Program } from '../../engine/types.js';
import type { Job } from './job.js';
import {
  COMPARED,
  SWAPPED,
  WORD_BYTES,
  arrivalOffset,
  isBothWays,
  isUnreliable,
  receivingLanes,
  walkOf,
} from './programs-requests.js';
import { compute } from '../../engine/compute.js';
import { isStamped } from './programs-latency.js';
import type { Lane, Role } from './types.js';

/** Whose data it is. */
const SENDERS: Readonly<Record<Role, number>> = { client: 0, server: 1 };
const other = (role: Role): Role => (role === 'client' ? 'server' : 'client');
/** Seconds after which what UC and UD have sent has arrived, or never will: their completions don't tell. */
const SETTLING_SECONDS = 2e-3;
const MOST_PLACES = 64;

/** A stretch of data. */
interface Stretch {
  readonly lane: Lane;
  readonly offset: number;
  readonly length: number;
  readonly slot: number;
}

/** Offsets from the begin of a half at which messages lie, of a run that is too short for all of them the first. */
export function placesOf({ size, options }: Job): number[] {
  const walk = options.kind === 'bw' ? walkOf(size) : undefined;
  if (!walk) return [0];
  const places = walk.span / walk.step;
  // Each chain begins anew.
  const most = options.postList > 1 ? options.postList : options.duration ? Infinity : options.iterations;
  const used = Math.min(most, places);
  return Array.from({ length: used }, (_, place) => place * walk.step);
}

/** Bytes that are data: a last byte that is a message's number is none. */
const dataBytes = (job: Job): number => job.size - (job.options.kind === 'lat' && isStamped(job) ? 1 : 0);

/** Data of all places of a half of each queue pair; a server with several clients has the lanes of each in turn. */
function stretches(job: Job, begin: (lane: Lane) => number): Stretch[] {
  const { lanes } = job.side;
  return lanes.flatMap((lane, index) =>
    placesOf(job).map((place, number) => ({
      ...{ lane, offset: begin(lane) + place, length: dataBytes(job) },
      slot: (index % job.options.qps) * MOST_PLACES + number,
    })),
  );
}

/** Sends arrive in one place of each receive, whichever place they come from: all of a queue pair are alike. */
function oneOfEach(job: Job, all: readonly Stretch[]): Stretch[] {
  const { side } = job;
  return all.map((stretch) => ({
    ...stretch,
    slot: side.srq ? 0 : stretch.slot - (stretch.slot % MOST_PLACES),
  }));
}

/** What this side fills before each pass. */
function filled(job: Job): Stretch[] {
  const { options, role } = job;
  const both = isBothWays(options);
  if (options.verb === 'atomic') return [];
  if (options.verb === 'read') {
    return both || role === 'server' ? stretches(job, ({ receiveOffset }) => receiveOffset) : [];
  }
  if (!both && role === 'server') return [];
  const sent = stretches(job, ({ sendOffset }) => sendOffset);
  return options.verb === 'send' ? oneOfEach(job, sent) : sent;
}

/** What has arrived on this side after each pass. */
function arrived(job: Job): Stretch[] {
  const { options, role, side } = job;
  const both = isBothWays(options);
  if (options.verb === 'atomic') return [];
  if (options.verb === 'read') return both || role === 'client' ? stretches(job, ({ sendOffset }) => sendOffset) : [];
  if (!both && role === 'client') return [];
  if (options.verb === 'write') return stretches(job, ({ receiveOffset }) => receiveOffset);
  const lanes = receivingLanes(side);
  const firsts = stretches(job, (lane) => arrivalOffset(side, lane)).filter(
    ({ lane, offset }) => lanes.includes(lane) && offset === arrivalOffset(side, lane),
  );
  return oneOfEach(job, firsts);
}

/**
 * Fills and checks of a size. In a stream messages write over each other within a pass: then the last one in each place is
 * what is seen, and the pass is its number in the pattern.
 */
export class Checking {
  readonly #job: Job;
  readonly #fills: Operation[];
  readonly #checks: CheckOperation[];
  readonly #tampering: readonly Operation[];

  constructor(job: Job) {
    const { role, size, side } = job;
    this.#job = job;
    const bound = <T extends Operation>(make: (where: Stretch) => T, all: readonly Stretch[]): T[] =>
      all.filter(({ length }) => length > 0).map((where) => job.keep(make(where)));
    this.#fills = bound(({ lane, ...where }) => fill(lane.mr.buffer, { sender: SENDERS[role], ...where }), filled(job));
    this.#checks = bound(
      ({ lane, ...where }) => check(lane.mr.buffer, { sender: SENDERS[other(role)], ...where }),
      arrived(job),
    );
    this.#tampering = side.lanes.flatMap((lane) => side.tamper?.({ role, lane, size }) ?? []);
    for (const operation of this.#tampering) job.keep(operation);
  }

  /**
   * Puts fills and checks around a program: both sides begin when both have filled, and check when both are done.
   * `meanwhile` runs while the other side isn't.
   */
  around(program: Program, meanwhile?: Operation): Program {
    const job = this.#job;
    const settle = isUnreliable(job.options) ? [job.keep(compute(SETTLING_SECONDS))] : [];
    const rest = meanwhile && settle.length > 0 ? [meanwhile] : [];
    // Atomics add up: their words are looked at in the end.
    const tampering = this.#checks.length > 0 ? this.#tampering : [];
    const { before = [], after = [] } = program.untimed ?? {};
    return {
      ...program,
      untimed: {
        before: [...this.#fills, job.barrier(), ...before],
        after: [...after, job.barrier(meanwhile), ...settle, ...rest, ...tampering, ...this.#checks],
      },
    };
  }

  /** Wrong bytes so far; `executed` messages of each queue pair have been sent. */
  wrongBytes(executed: number): number {
    const { options } = this.#job;
    if (options.verb === 'atomic') return this.#wrongWords(executed);
    return this.#checks.reduce((sum, operation) => sum + checkResult(operation).errors, 0);
  }

  /** Of words that the other side's atomics worked on, with both sides at rest. */
  #wrongWords(executed: number): number {
    const { side, role, options } = this.#job;
    if (role === 'client' && !isBothWays(options)) return 0;
    for (const operation of this.#tampering) operation();
    const expected = wordsOf(this.#job, executed);
    return side.lanes.reduce(
      (sum, { mr, receiveOffset }) =>
        sum +
        expected.reduce(
          (wrong, { offset, word }) => wrong + differing(mr.buffer.view(receiveOffset + offset, WORD_BYTES), word),
          0,
        ),
      0,
    );
  }
}

/** What the words of a queue pair hold after so many atomics. */
function wordsOf(job: Job, executed: number): { readonly offset: number; readonly word: bigint }[] {
  const { postList, atomicType } = job.options;
  const places = placesOf(job);
  const swaps = atomicType === 'CMP_AND_SWAP';
  const hits = places.map(() => 0);
  const round = postList > 1 ? postList : places.length;
  for (let number = 0; number < round; number++) {
    const times = Math.floor(executed / round) + (number < executed % round ? 1 : 0);
    const place = number % places.length;
    hits[place] = (hits[place] ?? 0) + times;
  }
  return places.map((offset, place) => {
    const count = hits[place] ?? 0;
    return { offset, word: swaps ? (count > 0 ? SWAPPED : COMPARED) : BigInt(count) };
  });
}

/** Bytes that are not those of the word, as it lies in memory. */
function differing(bytes: Uint8Array, word: bigint): number {
  const expected = new Uint8Array(BigUint64Array.of(word).buffer);
  return bytes.reduce((sum, byte, index) => sum + (byte === expected[index] ? 0 : 1), 0);
}
