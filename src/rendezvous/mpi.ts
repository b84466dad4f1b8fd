import { repeat, until } from '../engine/operations.js';
import type { Operation } from '../engine/types.js';
import { pmlRefusal } from '../mpi/advice.js';
import { requireUcx } from '../mpi/components.js';
import { UnsupportedError } from '../mpi/errors.js';
import { mpi } from '../mpi/mpi.js';
import { meetBeforeEnd } from '../mpi/meet-before-end.js';
import { hasMpi4, mpi4Refusal } from '../mpi/mpi4.js';
import { needsPmix } from '../mpi/slurm.js';
import type { Comm, Mpi, RequestArray } from '../mpi/types.js';
import { checkPmix, checkSize, LauncherError, readLauncher, type Launcher } from './launcher.js';
import type { Rendezvous } from './types.js';

export interface MpiStartOptions {
  /**
   * Whether several threads call MPI: it then starts by MPI_Init_thread(MPI_THREAD_MULTIPLE). By default by MPI_Init, as C
   * programs do: asking for MPI_THREAD_FUNNELED would cost up to a third of ob1's message rate (seen with Open MPI 4.1).
   */
  readonly threadMultiple?: boolean;
  /** Whether to meet in a session of MPI-4, without MPI_Init and MPI_COMM_WORLD. */
  readonly session?: boolean;
  readonly launcher?: Launcher;
}

/** What it took until MPI ran, in seconds. */
export interface StartTimes {
  /** MPI_Init, or all that a session needs; 0 where MPI ran already. */
  readonly start: number;
  /** From the start of Node until then. */
  readonly ready: number;
}

/** Where all ranks meet, and how to leave. */
interface Meeting {
  readonly comm: Comm;
  readonly times?: StartTimes;
  end(): void;
}

function noThreads(): UnsupportedError {
  return new UnsupportedError('this MPI does not provide MPI_THREAD_MULTIPLE: use one that was built with it');
}

function startWorld(MPI: Mpi, threadMultiple: boolean): Meeting {
  const ours = !MPI.Initialized();
  if (ours) {
    if (threadMultiple) MPI.Init_thread(MPI.THREAD_MULTIPLE);
    else MPI.Init();
  }
  if (threadMultiple && MPI.Query_thread() !== MPI.THREAD_MULTIPLE) {
    if (ours) MPI.Finalize();
    throw noThreads();
  }
  return {
    comm: MPI.COMM_WORLD,
    end: () => {
      if (MPI.Finalized()) return;
      meetBeforeEnd(MPI);
      MPI.Finalize();
    },
  };
}

function startSession(MPI: Mpi, threadMultiple: boolean): Meeting {
  if (!hasMpi4(MPI)) throw new UnsupportedError(mpi4Refusal(MPI, 'a session') ?? '');
  const session = MPI.Session_init(threadMultiple ? MPI.THREAD_MULTIPLE : MPI.THREAD_SINGLE);
  if (threadMultiple && MPI.Session_get_info(session)['thread_level'] !== 'MPI_THREAD_MULTIPLE') {
    MPI.Session_finalize(session);
    throw noThreads();
  }
  const group = MPI.Group_from_session_pset(session, 'mpi://WORLD');
  const comm = MPI.Comm_create_from_group(group, 'fabricbench');
  MPI.Group_free(group);
  return {
    comm,
    end: () => {
      MPI.Comm_free(comm);
      meetBeforeEnd(MPI);
      MPI.Session_finalize(session);
    },
  };
}

/**
 * Starts MPI, unless it runs already, or a session of its own. Throws an Error of one sentence where it is certain that MPI
 * would end the process because it can't have the PML asked for (a HostError where this host has none); a LauncherError where the launcher doesn't belong to this
 * MPI; an UnsupportedError where MPI has no sessions or doesn't provide the thread level.
 */
function startMpi(MPI: Mpi, options: MpiStartOptions): Meeting {
  const { launcher = readLauncher(), threadMultiple = false, session = false } = options;
  if (MPI.family === 'openmpi' && !MPI.running()) checkOpenMpi(MPI.Get_library_version(), launcher);
  const before = performance.now();
  const meeting = session ? startSession(MPI, threadMultiple) : startWorld(MPI, threadMultiple);
  const now = performance.now();
  const mismatch = checkSize(launcher, MPI.Comm_size(meeting.comm), MPI.family);
  // Rank 0 sees nothing wrong where it isn't known how many were started.
  if (mismatch !== null) throw launcher.size === null ? new Error(mismatch) : new LauncherError(mismatch);
  return { ...meeting, times: { start: (now - before) / 1000, ready: now / 1000 } };
}

/** MPI_Init would end the process where Open MPI can't have what it needs, without a word of ours. */
function checkOpenMpi(library: string, launcher: Launcher): void {
  const mismatch = checkPmix(launcher);
  if (mismatch !== null && needsPmix()) throw new LauncherError(mismatch);
  const refusal = pmlRefusal(library);
  if (refusal !== null) throw new Error(refusal);
  requireUcx();
}

/** No other message of a run has it. */
const NUMBERS_TAG = 32000;

/** How often progress is made between two looks whether all ranks are there: MPI_Test costs more than most of it. */
const PROGRESS_PER_TEST = 4;

export class MpiRendezvous implements Rendezvous {
  readonly kind = 'mpi';
  readonly rank: number;
  readonly size: number;
  /** Of all ranks. It belongs to the rendezvous, which frees it where it is not MPI_COMM_WORLD. */
  readonly comm: Comm;
  readonly times: StartTimes;
  readonly #mpi: Mpi;
  readonly #end: () => void;
  /** Of barriers with progress. */
  readonly #requests: RequestArray[] = [];
  #closed = false;

  /** See `mpiRendezvous`. */
  constructor(instance: Mpi, { comm, end, times = { start: 0, ready: 0 } }: Meeting) {
    this.times = times;
    this.#mpi = instance;
    this.comm = comm;
    this.rank = instance.Comm_rank(comm);
    this.size = instance.Comm_size(comm);
    this.#end = end;
  }

  allgather<T>(value: T): T[] {
    const MPI = this.#mpi;
    const own = encode(value);
    const lengths = new Int32Array(this.size);
    MPI.Allgather(Int32Array.of(own.length), 1, MPI.INT, lengths, 1, MPI.INT, this.comm);
    const starts = offsets(lengths);
    const all = Buffer.alloc(starts.total);
    MPI.Allgatherv(own, own.length, MPI.BYTE, all, lengths, starts.offsets, MPI.BYTE, this.comm);
    return Array.from(lengths, (length, rank) => decode<T>(all, starts.offsets[rank] ?? 0, length));
  }

  gather<T>(value: T): T[] {
    const MPI = this.#mpi;
    const own = encode(value);
    const lengths = this.#gatherLengths(own.length);
    const starts = offsets(lengths);
    const all = Buffer.alloc(starts.total);
    MPI.Gatherv(own, own.length, MPI.BYTE, all, lengths, starts.offsets, MPI.BYTE, 0, this.comm);
    return Array.from(lengths, (length, rank) => decode<T>(all, starts.offsets[rank] ?? 0, length));
  }

  broadcast<T>(value: T, root = 0): T {
    const MPI = this.#mpi;
    const own = this.rank === root ? encode(value) : Buffer.alloc(0);
    const length = Int32Array.of(own.length);
    MPI.Bcast(length, 1, MPI.INT, root, this.comm);
    const bytes = this.rank === root ? own : Buffer.alloc(length[0] ?? 0);
    MPI.Bcast(bytes, bytes.length, MPI.BYTE, root, this.comm);
    return decode<T>(bytes, 0, bytes.length);
  }

  gatherNumbers(values: Float64Array): Float64Array[] {
    const MPI = this.#mpi;
    const lengths = this.#gatherLengths(values.length);
    if (this.rank !== 0) {
      // Synchronous: rank 0 takes one after the other, and shall not be flooded.
      MPI.Ssend(values, values.length, MPI.DOUBLE, 0, NUMBERS_TAG, this.comm);
      return [];
    }
    return Array.from(lengths, (length, rank) => (rank === 0 ? values.slice() : this.#receiveNumbers(rank, length)));
  }

  /** Every rank's length on rank 0; none on the others. */
  #gatherLengths(own: number): Int32Array {
    const MPI = this.#mpi;
    const lengths = new Int32Array(this.rank === 0 ? this.size : 0);
    MPI.Gather(Int32Array.of(own), 1, MPI.INT, lengths, 1, MPI.INT, 0, this.comm);
    return lengths;
  }

  #receiveNumbers(rank: number, length: number): Float64Array {
    const MPI = this.#mpi;
    const numbers = new Float64Array(length);
    MPI.Recv(numbers, length, MPI.DOUBLE, rank, NUMBERS_TAG, this.comm, MPI.STATUS_IGNORE);
    return numbers;
  }

  barrier(): void {
    this.#mpi.Barrier(this.comm);
  }

  progressBarrier(progress: Operation): Operation {
    // Nobody to wait for; and MPICH 4.0 crashes in MPI_Test in a session of one rank.
    if (this.size === 1) return repeat([progress], 1);
    const { bind } = this.#mpi;
    const requests = this.#mpi.requests(1);
    this.#requests.push(requests);
    const arrived = until(bind.TestDone(requests, 0), [progress], { every: PROGRESS_PER_TEST });
    return repeat([bind.Ibarrier(this.comm, requests, 0), arrived], 1);
  }

  abort(code: number): never {
    return this.#mpi.Abort(this.comm, code);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#mpi.running()) for (const requests of this.#requests.splice(0)) this.#mpi.freeRequests(requests);
    this.#end();
  }
}

function encode(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? 'null');
}

function decode<T>(bytes: Buffer, start: number, length: number): T {
  return JSON.parse(bytes.toString('utf8', start, start + length)) as T;
}

function offsets(lengths: Int32Array): { offsets: Int32Array; total: number } {
  const starts = new Int32Array(lengths.length);
  let total = 0;
  for (const [rank, length] of lengths.entries()) {
    starts[rank] = total;
    total += length;
  }
  return { offsets: starts, total };
}

/**
 * All ranks of MPI_COMM_WORLD, or of the process set mpi://WORLD of a session. It works on that communicator itself: it
 * speaks only while nothing else is under way, and a duplicate would make every small message of the run slower (see
 * src/transport/mpi.ts). Starts MPI where it doesn't run, and ends it when it is closed; see `startMpi` for what it throws.
 */
export function mpiRendezvous(options: MpiStartOptions = {}): MpiRendezvous {
  const MPI = mpi();
  return new MpiRendezvous(MPI, startMpi(MPI, options));
}
