/** One clock for all ranks: processors of a node share theirs, and nodes are brought into relation by ping-pongs. */
import { clockBase, timestamp, type ClockBase } from '../engine/timestamp.js';
import type { Operation } from '../engine/types.js';
import { mpi } from '../mpi/mpi.js';
import type { Comm } from '../mpi/types.js';
import type { Rendezvous } from '../rendezvous/types.js';
import { fitClock, toReference, type ClockModel } from './measure/clock-sync.js';

export interface CommonClock {
  /** What this rank's times are counted from. */
  readonly clockBase: ClockBase;
  /** On rank 0: a rank's time on the clock of rank 0's node, in seconds. Undefined where all share that. */
  readonly globalTime?: (rank: number, seconds: number) => number;
}

/** Bursts spread over time, without which the drift could not be told from the offset. */
const BURSTS = 8;
const PING_PONGS = 64;
const PAUSE_MILLISECONDS = 60;
/** No other message of a run has it. */
const CLOCK_TAG = 32001;

const COUNT = BURSTS * PING_PONGS;

/** Stamps and messages of one end, run by both at once. */
function runBursts(operations: readonly Operation[], rendezvous: Rendezvous): void {
  for (let burst = 0; burst < BURSTS; burst++) {
    if (burst > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MILLISECONDS);
    rendezvous.barrier();
    for (let i = 0; i < PING_PONGS; i++) for (const operation of operations) operation();
  }
}

/** The model of `other`'s clock, on rank 0; null elsewhere. Every rank calls it together. */
function relate(other: number, base: ClockBase, comm: Comm, rendezvous: Rendezvous): ClockModel | null {
  const MPI = mpi();
  const [sent, remote, received] = [new Float64Array(COUNT), new Float64Array(COUNT), new Float64Array(COUNT)];
  const nothing = [null, 0, MPI.BYTE] as const;
  if (rendezvous.rank === 0) {
    const ping = MPI.bind.Send(...nothing, other, CLOCK_TAG, comm);
    const pong = MPI.bind.Recv(...nothing, other, CLOCK_TAG, comm);
    runBursts([timestampEach(sent, base), ping, pong, timestampEach(received, base)], rendezvous);
    MPI.Recv(remote, COUNT, MPI.DOUBLE, other, CLOCK_TAG, comm, MPI.STATUS_IGNORE);
    return fitClock({ sent, remote, received });
  }
  const mine = rendezvous.rank === other;
  const answer = [
    MPI.bind.Recv(...nothing, 0, CLOCK_TAG, comm),
    timestampEach(remote, base),
    MPI.bind.Send(...nothing, 0, CLOCK_TAG, comm),
  ];
  runBursts(mine ? answer : [], rendezvous);
  if (mine) MPI.Send(remote, COUNT, MPI.DOUBLE, 0, CLOCK_TAG, comm);
  return null;
}

/** Stamps one element after the other: outside of programs every call has the same iteration. */
function timestampEach(array: Float64Array, base: ClockBase): Operation {
  const one = new Float64Array(1);
  const stamp = timestamp(one, base);
  let next = 0;
  const run = (): void => {
    stamp();
    array[next++] = one[0] ?? NaN;
  };
  return Object.assign(run, { operationName: 'timestamp' });
}

/**
 * Makes the ranks' times comparable. Every rank calls it together; with several nodes it takes half a second for each.
 *
 * @param hosts each rank's host, by rank
 */
export function commonClock(hosts: readonly string[], comm: Comm, rendezvous: Rendezvous): CommonClock {
  const leaderOf = (rank: number): number => hosts.indexOf(hosts[rank] ?? '');
  const bases = rendezvous.allgather(clockBase());
  const base = bases[leaderOf(rendezvous.rank)] ?? clockBase();
  const leaders = [...new Set(hosts.keys())].filter(
    (rank) => rank > 0 && leaderOf(rank) === rank && leaderOf(rank) !== leaderOf(0),
  );
  const models = new Map(leaders.map((leader) => [leader, relate(leader, base, comm, rendezvous)]));
  if (models.size === 0) return { clockBase: base };
  return {
    clockBase: base,
    globalTime: (rank, seconds) => {
      const model = models.get(leaderOf(rank));
      return model ? toReference(model, seconds) : seconds;
    },
  };
}
