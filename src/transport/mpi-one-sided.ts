/** One-sided channels over MPI windows. */
import { EngineBuffer } from '../engine/buffer.js';
import type { Bytes, Operation } from '../engine/types.js';
import type { Comm, Datatype, Group, Mpi, Win } from '../mpi/types.js';
import type { Rendezvous } from '../rendezvous/types.js';
import type { OneSidedChannel, OneSidedOptions } from './one-sided.js';

interface Place {
  readonly mpi: Mpi;
  readonly comm: Comm;
  readonly element: { readonly datatype: Datatype; readonly bytes: number };
}

/** A window and this rank's part of it. `base` is the displacement at which the peer's memory begins. */
interface Exposure {
  readonly win: Win;
  readonly exposed: Bytes;
  readonly base: number;
  /** What was allocated for it here. */
  readonly own: EngineBuffer | undefined;
}

/** Displacements are bytes, so that they are the same in all windows. */
const UNIT = 1;

function expose({ mpi, comm }: Place, options: OneSidedOptions, rendezvous: Rendezvous): Exposure {
  const { bytes, creation, peer } = options;
  if (creation === 'allocate') {
    const { win, memory } = mpi.Win_allocate(bytes, UNIT, comm);
    return { win, exposed: memory, base: 0, own: undefined };
  }
  const own = EngineBuffer.allocate(bytes);
  if (creation === 'create') return { win: mpi.Win_create(own, bytes, UNIT, comm), exposed: own, base: 0, own };
  const win = mpi.Win_create_dynamic(comm);
  mpi.Win_attach(win, own, bytes);
  return { win, exposed: own, base: rendezvous.allgather(mpi.Get_address(own))[peer] ?? 0, own };
}

class MpiOneSided implements OneSidedChannel {
  readonly exposed: Bytes;
  readonly #mpi: Mpi;
  readonly #win: Win;
  readonly #base: number;
  readonly #own: EngineBuffer | undefined;
  readonly #group: Group;
  readonly #datatype: Datatype;

  constructor(
    private readonly place: Place,
    private readonly options: OneSidedOptions,
    rendezvous: Rendezvous,
  ) {
    const { mpi, comm, element } = place;
    const { win, exposed, base, own } = expose(place, options, rendezvous);
    this.exposed = exposed;
    this.#mpi = mpi;
    this.#win = win;
    this.#base = base;
    this.#own = own;
    this.#datatype = element.datatype;
    const all = mpi.Comm_group(comm);
    this.#group = mpi.Group_incl(all, [options.peer]);
    mpi.Group_free(all);
  }

  put(origin: EngineBuffer, size: number, offset: number): Operation {
    return this.#mpi.bind.Put(
      origin,
      ...this.#elements(size),
      ...this.#target(offset),
      ...this.#elements(size),
      this.#win,
    );
  }

  get(origin: EngineBuffer, size: number, offset: number): Operation {
    return this.#mpi.bind.Get(
      origin,
      ...this.#elements(size),
      ...this.#target(offset),
      ...this.#elements(size),
      this.#win,
    );
  }

  putWindow(origin: EngineBuffer, size: number, window: number): Operation {
    return this.#mpi.bind.PutWindow(origin, ...this.#elements(size), ...this.#target(0), size, window, this.#win);
  }

  getWindow(origin: EngineBuffer, size: number, window: number): Operation {
    return this.#mpi.bind.GetWindow(origin, ...this.#elements(size), ...this.#target(0), size, window, this.#win);
  }

  accumulate(origin: EngineBuffer, size: number, offset: number): Operation {
    const { bind, SUM } = this.#mpi;
    const elements = this.#elements(size);
    return bind.Accumulate(origin, ...elements, ...this.#target(offset), ...elements, SUM, this.#win);
  }

  getAccumulate(origin: EngineBuffer, result: EngineBuffer, size: number, offset: number): Operation {
    const { bind, SUM } = this.#mpi;
    const elements = this.#elements(size);
    const target = [...this.#target(offset), ...elements] as const;
    return bind.Get_accumulate(origin, ...elements, result, ...elements, ...target, SUM, this.#win);
  }

  compareAndSwap(origin: EngineBuffer, compare: EngineBuffer, result: EngineBuffer, offset: number): Operation {
    const { bind } = this.#mpi;
    return bind.Compare_and_swap(origin, compare, result, this.#datatype, ...this.#target(offset), this.#win);
  }

  fetchAndOp(origin: EngineBuffer, result: EngineBuffer, offset: number): Operation {
    const { bind, SUM } = this.#mpi;
    return bind.Fetch_and_op(origin, result, this.#datatype, ...this.#target(offset), SUM, this.#win);
  }

  lock(): Operation {
    return this.#mpi.bind.Win_lock(this.#mpi.LOCK_SHARED, this.options.peer, 0, this.#win);
  }
  unlock(): Operation {
    return this.#mpi.bind.Win_unlock(this.options.peer, this.#win);
  }
  lockAll(): Operation {
    return this.#mpi.bind.Win_lock_all(0, this.#win);
  }
  unlockAll(): Operation {
    return this.#mpi.bind.Win_unlock_all(this.#win);
  }
  flush(): Operation {
    return this.#mpi.bind.Win_flush(this.options.peer, this.#win);
  }
  flushLocal(): Operation {
    return this.#mpi.bind.Win_flush_local(this.options.peer, this.#win);
  }
  fence(): Operation {
    return this.#mpi.bind.Win_fence(0, this.#win);
  }
  post(): Operation {
    return this.#mpi.bind.Win_post(this.#group, 0, this.#win);
  }
  wait(): Operation {
    return this.#mpi.bind.Win_wait(this.#win);
  }
  start(): Operation {
    return this.#mpi.bind.Win_start(this.#group, 0, this.#win);
  }
  complete(): Operation {
    return this.#mpi.bind.Win_complete(this.#win);
  }

  close(): void {
    this.#mpi.Group_free(this.#group);
    // A window of attached memory is freed first: a peer may still be in an epoch on it until then.
    this.#mpi.Win_free(this.#win);
    this.#own?.free();
  }

  #elements(size: number): [count: number, datatype: Datatype] {
    return [Math.floor(size / this.place.element.bytes), this.#datatype];
  }

  #target(offset: number): [rank: number, displacement: number] {
    return [this.options.peer, this.#base + offset];
  }
}

/** Makes a window over `comm`, on all its ranks together. */
export function mpiOneSided(place: Place, options: OneSidedOptions, rendezvous: Rendezvous): OneSidedChannel {
  return new MpiOneSided(place, options, rendezvous);
}
