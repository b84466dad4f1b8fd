/** One-sided channels over MPI's windows. */
import { EngineBuffer } from '../engine/buffer.js';
import type { Bytes, Operation } from '../engine/types.js';
import type { Bind, Comm, Datatype, Group, Mpi, Win } from '../mpi/types.js';
import type { Meeting, OneSidedChannel, OneSidedOptions } from './one-sided.js';

/** The element type of a channel. */
export interface Element {
  readonly datatype: Datatype;
  readonly bytes: number;
}

/** A window of one byte per displacement. */
interface Exposure {
  readonly win: Win;
  readonly exposed: Bytes;
  /** Displacement of the peer's first byte. */
  readonly base: number;
  /** Lets go of the memory that isn't the window's own. */
  free(): void;
}

function allocated(MPI: Mpi, comm: Comm, { bytes }: OneSidedOptions): Exposure {
  const { win, memory } = MPI.Win_allocate(bytes, 1, comm);
  new Uint8Array(memory).fill(0);
  return { win, exposed: memory, base: 0, free: () => undefined };
}

function created(MPI: Mpi, comm: Comm, { bytes }: OneSidedOptions): Exposure {
  const buffer = EngineBuffer.allocate(bytes);
  return { win: MPI.Win_create(buffer, bytes, 1, comm), exposed: buffer, base: 0, free: () => buffer.free() };
}

function dynamic(MPI: Mpi, comm: Comm, { bytes, peer }: OneSidedOptions, meeting: Meeting): Exposure {
  const buffer = EngineBuffer.allocate(bytes);
  const win = MPI.Win_create_dynamic(comm);
  MPI.Win_attach(win, buffer, bytes);
  const addresses = meeting.allgather(MPI.Get_address(buffer));
  return { win, exposed: buffer, base: addresses[peer] ?? NaN, free: () => buffer.free() };
}

const exposures = { create: created, allocate: allocated, dynamic };

class MpiOneSidedChannel implements OneSidedChannel {
  readonly exposed: Bytes;
  readonly #bind: Bind;
  readonly #group: Group;
  #closed = false;

  constructor(
    private readonly mpi: Mpi,
    comm: Comm,
    private readonly element: Element,
    private readonly options: OneSidedOptions,
    private readonly exposure: Exposure,
  ) {
    this.exposed = exposure.exposed;
    this.#bind = mpi.bind;
    const world = mpi.Comm_group(comm);
    this.#group = mpi.Group_incl(world, [options.peer]);
    mpi.Group_free(world);
  }

  put(origin: Bytes, size: number, offset = 0): Operation {
    return this.#bind.Put(...this.#transfer('put', origin, size, offset), this.exposure.win);
  }

  get(origin: Bytes, size: number, offset = 0): Operation {
    return this.#bind.Get(...this.#transfer('get', origin, size, offset), this.exposure.win);
  }

  putWindow(origin: Bytes, size: number, window: number): Operation {
    return this.#bind.PutWindow(...this.#window('putWindow', origin, size, window));
  }

  getWindow(origin: Bytes, size: number, window: number): Operation {
    return this.#bind.GetWindow(...this.#window('getWindow', origin, size, window));
  }

  accumulate(origin: Bytes, size: number, offset = 0): Operation {
    const transfer = this.#transfer('accumulate', origin, size, offset);
    return this.#bind.Accumulate(...transfer, this.mpi.SUM, this.exposure.win);
  }

  getAccumulate(origin: Bytes, result: Bytes, size: number, offset = 0): Operation {
    const [from, count, datatype, ...target] = this.#transfer('getAccumulate', origin, size, offset);
    const { SUM } = this.mpi;
    return this.#bind.Get_accumulate(from, count, datatype, result, count, datatype, ...target, SUM, this.exposure.win);
  }

  fetchAndOp(origin: Bytes, result: Bytes, offset = 0): Operation {
    const place = this.#place('fetchAndOp', this.element.bytes, offset);
    const { datatype } = this.element;
    return this.#bind.Fetch_and_op(origin, result, datatype, this.options.peer, place, this.mpi.SUM, this.exposure.win);
  }

  compareAndSwap(origin: Bytes, compare: Bytes, result: Bytes, offset = 0): Operation {
    const place = this.#place('compareAndSwap', this.element.bytes, offset);
    const { datatype } = this.element;
    return this.#bind.Compare_and_swap(origin, compare, result, datatype, this.options.peer, place, this.exposure.win);
  }

  lock(kind: 'shared' | 'exclusive' = 'shared'): Operation {
    const { LOCK_SHARED, LOCK_EXCLUSIVE } = this.mpi;
    const type = kind === 'shared' ? LOCK_SHARED : LOCK_EXCLUSIVE;
    return this.#bind.Win_lock(type, this.options.peer, 0, this.exposure.win);
  }

  unlock(): Operation {
    return this.#bind.Win_unlock(this.options.peer, this.exposure.win);
  }

  lockAll(): Operation {
    return this.#bind.Win_lock_all(0, this.exposure.win);
  }

  unlockAll(): Operation {
    return this.#bind.Win_unlock_all(this.exposure.win);
  }

  flush(): Operation {
    return this.#bind.Win_flush(this.options.peer, this.exposure.win);
  }

  flushLocal(): Operation {
    return this.#bind.Win_flush_local(this.options.peer, this.exposure.win);
  }

  fence(): Operation {
    return this.#bind.Win_fence(0, this.exposure.win);
  }

  post(): Operation {
    return this.#bind.Win_post(this.#group, 0, this.exposure.win);
  }

  start(): Operation {
    return this.#bind.Win_start(this.#group, 0, this.exposure.win);
  }

  complete(): Operation {
    return this.#bind.Win_complete(this.exposure.win);
  }

  wait(): Operation {
    return this.#bind.Win_wait(this.exposure.win);
  }

  close(): void {
    if (this.#closed || this.mpi.Finalized()) return;
    this.mpi.Win_free(this.exposure.win);
    this.#closed = true;
    this.mpi.Group_free(this.#group);
    this.exposure.free();
  }

  #transfer(
    what: string,
    origin: Bytes,
    size: number,
    offset: number,
  ): [Bytes, number, Datatype, number, number, number, Datatype] {
    const place = this.#place(what, size, offset);
    const count = this.#elements(size);
    const { datatype } = this.element;
    return [origin, count, datatype, this.options.peer, place, count, datatype];
  }

  #window(
    what: string,
    origin: Bytes,
    size: number,
    window: number,
  ): [Bytes, number, Datatype, number, number, number, number, Win] {
    const place = this.#place(what, size * window, 0);
    const count = this.#elements(size);
    const { datatype, bytes } = this.element;
    return [origin, count, datatype, this.options.peer, place, count * bytes, window, this.exposure.win];
  }

  #elements(size: number): number {
    return Math.floor(size / this.element.bytes);
  }

  /** The displacement for `size` bytes at `offset`, which must lie in what the peer exposes. */
  #place(what: string, size: number, offset: number): number {
    const { bytes } = this.options;
    if (offset >= 0 && size >= 0 && offset + size <= bytes) return this.exposure.base + offset;
    throw new RangeError(
      `${what}: ${size} bytes at offset ${offset} are not within the ${bytes} bytes that the peer exposes`,
    );
  }
}

/** Makes a channel. Collective over the communicator. */
export function mpiOneSided(
  MPI: Mpi,
  comm: Comm,
  element: Element,
  options: OneSidedOptions,
  meeting: Meeting,
): OneSidedChannel {
  const exposure = exposures[options.creation](MPI, comm, options, meeting);
  const channel = new MpiOneSidedChannel(MPI, comm, element, options, exposure);
  MPI.Barrier(comm); // nobody reaches memory that is still being set to zero
  return channel;
}
