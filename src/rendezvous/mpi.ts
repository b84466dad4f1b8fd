import { pmlRefusal } from '../mpi/advice.js';
import { mpi } from '../mpi/mpi.js';
import type { Comm, Mpi } from '../mpi/types.js';
import { checkSize, LauncherError, readLauncher, type Launcher } from './launcher.js';
import type { Rendezvous } from './types.js';

export interface MpiStartOptions {
  /**
   * Which threads call MPI: by default this one alone, and MPI starts by MPI_Init as C programs do. Asking for
   * MPI_THREAD_FUNNELED would cost up to a third of ob1's message rate (seen with Open MPI 4.1).
   */
  readonly threads?: 'single' | 'multiple';
  readonly launcher?: Launcher;
}

/**
 * Starts MPI, unless it runs already. Throws an Error of one sentence where it is certain that MPI would end the process
 * because it can't have the PML asked for, a LauncherError where the launcher doesn't belong to this MPI, and an Error where
 * MPI doesn't provide the thread level.
 */
export function startMpi(options: MpiStartOptions = {}): void {
  const MPI = mpi();
  const launcher = options.launcher ?? readLauncher();
  if (!MPI.Initialized()) {
    const refusal = MPI.family === 'openmpi' ? pmlRefusal(MPI.Get_library_version()) : null;
    if (refusal !== null) throw new Error(refusal);
    if (options.threads === 'multiple') MPI.Init_thread(MPI.THREAD_MULTIPLE);
    else MPI.Init();
  }
  const mismatch = checkSize(launcher, MPI.Comm_size(MPI.COMM_WORLD), MPI.family);
  if (mismatch !== null) throw new LauncherError(mismatch);
  if (options.threads === 'multiple' && MPI.Query_thread() !== MPI.THREAD_MULTIPLE) {
    throw new Error('this MPI does not provide MPI_THREAD_MULTIPLE: use one that was built with it');
  }
}

/** No other message of a run has it. */
const NUMBERS_TAG = 32000;

class MpiRendezvous implements Rendezvous {
  readonly kind = 'mpi';
  readonly rank: number;
  readonly size: number;
  readonly #mpi: Mpi;
  readonly #comm: Comm;

  constructor(instance: Mpi) {
    this.#mpi = instance;
    this.#comm = instance.COMM_WORLD;
    this.rank = instance.Comm_rank(this.#comm);
    this.size = instance.Comm_size(this.#comm);
  }

  allgather<T>(value: T): T[] {
    const MPI = this.#mpi;
    const own = encode(value);
    const lengths = new Int32Array(this.size);
    MPI.Allgather(Int32Array.of(own.length), 1, MPI.INT, lengths, 1, MPI.INT, this.#comm);
    const starts = offsets(lengths);
    const all = Buffer.alloc(starts.total);
    MPI.Allgatherv(own, own.length, MPI.BYTE, all, lengths, starts.offsets, MPI.BYTE, this.#comm);
    return Array.from(lengths, (length, rank) => decode<T>(all, starts.offsets[rank] ?? 0, length));
  }

  gather<T>(value: T): T[] {
    const MPI = this.#mpi;
    const own = encode(value);
    const lengths = this.#gatherLengths(own.length);
    const starts = offsets(lengths);
    const all = Buffer.alloc(starts.total);
    MPI.Gatherv(own, own.length, MPI.BYTE, all, lengths, starts.offsets, MPI.BYTE, 0, this.#comm);
    return Array.from(lengths, (length, rank) => decode<T>(all, starts.offsets[rank] ?? 0, length));
  }

  broadcast<T>(value: T, root = 0): T {
    const MPI = this.#mpi;
    const own = this.rank === root ? encode(value) : Buffer.alloc(0);
    const length = Int32Array.of(own.length);
    MPI.Bcast(length, 1, MPI.INT, root, this.#comm);
    const bytes = this.rank === root ? own : Buffer.alloc(length[0] ?? 0);
    MPI.Bcast(bytes, bytes.length, MPI.BYTE, root, this.#comm);
    return decode<T>(bytes, 0, bytes.length);
  }

  gatherNumbers(values: Float64Array): Float64Array[] {
    const MPI = this.#mpi;
    const lengths = this.#gatherLengths(values.length);
    if (this.rank !== 0) {
      // Synchronous: rank 0 takes one after the other, and shall not be flooded.
      MPI.Ssend(values, values.length, MPI.DOUBLE, 0, NUMBERS_TAG, this.#comm);
      return [];
    }
    return Array.from(lengths, (length, rank) => (rank === 0 ? values.slice() : this.#receiveNumbers(rank, length)));
  }

  /** Every rank's length on rank 0; none on the others. */
  #gatherLengths(own: number): Int32Array {
    const MPI = this.#mpi;
    const lengths = new Int32Array(this.rank === 0 ? this.size : 0);
    MPI.Gather(Int32Array.of(own), 1, MPI.INT, lengths, 1, MPI.INT, 0, this.#comm);
    return lengths;
  }

  #receiveNumbers(rank: number, length: number): Float64Array {
    const MPI = this.#mpi;
    const numbers = new Float64Array(length);
    MPI.Recv(numbers, length, MPI.DOUBLE, rank, NUMBERS_TAG, this.#comm, MPI.STATUS_IGNORE);
    return numbers;
  }

  barrier(): void {
    this.#mpi.Barrier(this.#comm);
  }

  abort(code: number): never {
    return this.#mpi.Abort(this.#mpi.COMM_WORLD, code);
  }

  close(): void {
    const MPI = this.#mpi;
    if (MPI.Finalized()) return;
    MPI.Finalize();
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
 * All ranks of MPI_COMM_WORLD. It works on that communicator: it speaks only while nothing else is under way, and a
 * duplicate would make every small message of the run slower (see src/transport/mpi.ts). Starts MPI where it doesn't run;
 * see `startMpi`.
 */
export function mpiRendezvous(options: MpiStartOptions = {}): Rendezvous {
  startMpi(options);
  return new MpiRendezvous(mpi());
}
