/** Collectives over MPI: the arguments of each call, in its blocking, non-blocking and persistent form. */
import type { EngineBuffer } from '../engine/buffer.js';
import { releaseOperation, repeat } from '../engine/operations.js';
import type { Operation } from '../engine/types.js';
import type { Comm, Datatype, Mpi, RequestArray } from '../mpi/types.js';
import {
  isReduction,
  scatteredCounts,
  shapeOf,
  type CollectiveName,
  type Neighbours,
  type Shape,
} from './collective-shapes.js';
import { messageOf, transmitElements, type Message } from './mpi-layout.js';
import { MissingCall, type Collective, type CollectiveBuffers, type CollectiveOptions, type Started } from './types.js';

interface Element {
  readonly datatype: Datatype;
  readonly bytes: number;
}

interface Place {
  readonly mpi: Mpi;
  readonly comm: Comm;
  readonly element: Element;
}

type Bound = (...args: readonly unknown[]) => Operation;
type Buffer = EngineBuffer | null | Mpi['IN_PLACE'];

/** `MPI_Allreduce`, `MPI_Iallreduce`, `MPI_Allreduce_init`. */
const FORMS = {
  blocking: (name: string) => capital(name),
  nonblocking: (name: string) => `I${name}`,
  persistent: (name: string) => `${capital(name)}_init`,
} as const;

type Form = keyof typeof FORMS;

function versionOf(mpi: Mpi): string {
  const { version, subversion } = mpi.Get_version();
  return `${version}.${subversion}`;
}

function capital(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** Where those that were started by one call put their requests, for others to share. */
const requestsOf = new WeakMap<Started, RequestArray>();

class MpiCollective implements Collective {
  readonly shape: Shape;
  readonly #message: Message;
  readonly #arrays: RequestArray[] = [];
  /** What made persistent requests: they hold the buffers. */
  readonly #inits: Operation[] = [];
  readonly #rank: number;
  readonly #ranks: number;

  constructor(
    private readonly place: Place,
    private readonly options: CollectiveOptions,
  ) {
    const { mpi, comm, element } = place;
    this.#rank = mpi.Comm_rank(comm);
    this.#ranks = mpi.Comm_size(comm);
    const { name, size, root, inPlace, neighbours } = options;
    const elementBytes = element.bytes;
    this.shape = shapeOf(name, {
      ...{ size, elementBytes, rank: this.#rank, ranks: this.#ranks, root, inPlace },
      ...(neighbours ? { neighbours } : {}),
    });
    this.#message = messageOf(mpi, element.datatype, options.layout, Math.floor(size / elementBytes));
  }

  get transmitSize(): number {
    const { element } = this.place;
    return transmitElements(this.options.layout, Math.floor(this.options.size / element.bytes)) * element.bytes;
  }

  run(buffers: CollectiveBuffers): Operation {
    return this.#bound('blocking')(...this.#arguments(buffers));
  }

  start(buffers: CollectiveBuffers, like?: Started): Started {
    const shared = like && requestsOf.get(like);
    const requests = shared ?? this.#requests();
    const start = this.#bound('nonblocking')(...this.#arguments(buffers), requests, 0);
    const started = like && shared ? { ...like, start } : this.#started(start, requests);
    requestsOf.set(started, requests);
    return started;
  }

  prepare(buffers: CollectiveBuffers): Started {
    const requests = this.#requests();
    const init = this.#bound('persistent')(...this.#arguments(buffers), requests, 0);
    this.#inits.push(init);
    init();
    return this.#started(this.place.mpi.bind.Start(requests, 0), requests);
  }

  close(): void {
    const { mpi } = this.place;
    for (const requests of this.#arrays.splice(0)) mpi.freeRequests(requests);
    for (const init of this.#inits.splice(0)) releaseOperation(init);
    if (this.#message.made) mpi.Type_free(this.#message.made);
  }

  #started(start: Operation, requests: RequestArray): Started {
    const { bind } = this.place.mpi;
    return { start, wait: bind.Wait(requests, 0), test: () => bind.Test(requests, 0) };
  }

  #requests(): RequestArray {
    const requests = this.place.mpi.requests(1);
    this.#arrays.push(requests);
    return requests;
  }

  #bound(form: Form): Bound {
    const { mpi } = this.place;
    const name = FORMS[form](this.options.name);
    const call = (mpi.bind as Readonly<Record<string, Bound | undefined>>)[name];
    if (call === undefined) throw new MissingCall(`MPI_${name}`, versionOf(mpi));
    return call;
  }

  #arguments(buffers: CollectiveBuffers): readonly unknown[] {
    const { name } = this.options;
    const { comm } = this.place;
    if (name === 'barrier') return [comm];
    if (isReduction(name)) return this.#reductionArguments(buffers);
    const tail = name === 'bcast' || /^(gather|scatter)/.test(name) ? [this.options.root, comm] : [comm];
    if (name === 'bcast') return [buffers.receive, ...this.#counted(), ...tail];
    const [send, receive] = this.#buffers(buffers);
    const [sends, receives] = this.#vectors(name);
    return [send, ...sends, receive, ...receives, ...tail];
  }

  /** Buffers as the call takes them: in place at the side whose own data lies there already. */
  #buffers({ send, receive }: CollectiveBuffers): [Buffer, Buffer] {
    const { IN_PLACE } = this.place.mpi;
    const { inPlace, name, root } = this.options;
    if (!inPlace) return [send, receive];
    if (/^scatter/.test(name)) return [send, this.#rank === root ? IN_PLACE : receive];
    if (/^gather/.test(name)) return [this.#rank === root ? IN_PLACE : send, receive];
    return [IN_PLACE, receive];
  }

  #counted(): readonly unknown[] {
    return [this.#message.count, this.#message.datatype];
  }

  /** Counts, displacements and types of the send and of the receive side. */
  #vectors(name: CollectiveName): [readonly unknown[], readonly unknown[]] {
    const { sources, destinations }: Neighbours = this.options.neighbours ?? {
      sources: Array<number>(this.#ranks).fill(0),
      destinations: Array<number>(this.#ranks).fill(0),
    };
    const many = (count: number): readonly unknown[] =>
      name.endsWith('w') ? this.#typed(count) : this.#several(count);
    const [one, from, to] = [this.#counted(), many(sources.length), many(destinations.length)];
    if (/scatterv$/.test(name)) return [to, one];
    if (/gatherv$/.test(name)) return [one, from];
    return /alltoall[vw]$/.test(name) ? [to, from] : [one, one];
  }

  /** Equal counts; displacements in extents of the datatype. */
  #several(blocks: number): readonly unknown[] {
    const { count, datatype } = this.#message;
    return [Array<number>(blocks).fill(count), Array.from({ length: blocks }, (_, i) => i * count), datatype];
  }

  /** Displacements in bytes, and a datatype for each. */
  #typed(blocks: number): readonly unknown[] {
    const { count, datatype } = this.#message;
    const displacements = Array.from({ length: blocks }, (_, i) => i * this.options.size);
    return [Array<number>(blocks).fill(count), displacements, Array<Datatype>(blocks).fill(datatype)];
  }

  #reductionArguments({ send, receive }: CollectiveBuffers): readonly unknown[] {
    const { mpi, comm, element } = this.place;
    const { name, size, inPlace, root } = this.options;
    const elements = Math.floor(size / element.bytes);
    const isInPlace = inPlace && (name !== 'reduce' || this.#rank === root);
    const counts = {
      reduce_scatter: scatteredCounts(elements, this.#ranks),
      reduce_scatter_block: Math.floor(elements / this.#ranks),
    } as Readonly<Record<string, number | number[] | undefined>>;
    const head = [isInPlace ? mpi.IN_PLACE : send, receive, counts[name] ?? elements, element.datatype, mpi.SUM];
    return name === 'reduce' ? [...head, root, comm] : [...head, comm];
  }
}

/** A collective over `comm`, which for neighbourhood collectives has the topology of its neighbours. */
export function mpiCollective(place: Place, options: CollectiveOptions): Collective {
  return new MpiCollective(place, options);
}

/** No message of a channel has it. */
const BARRIER_TAG = 101;

/**
 * A barrier by dissemination (Hensgen, Finkel and Manber 1988): in round k each rank tells the rank 2^k after it and hears
 * of the rank 2^k before it, so that after log2(n) rounds each has heard of all.
 */
export function disseminationBarrier(mpi: Mpi, comm: Comm): Operation {
  const [rank, ranks] = [mpi.Comm_rank(comm), mpi.Comm_size(comm)];
  const rounds: Operation[] = [];
  for (let distance = 1; distance < ranks; distance *= 2) {
    const [to, from] = [(rank + distance) % ranks, (rank - distance + ranks) % ranks];
    const nothing = [null, 0, mpi.BYTE] as const;
    rounds.push(mpi.bind.Sendrecv(...nothing, to, BARRIER_TAG, ...nothing, from, BARRIER_TAG, comm));
  }
  return repeat(rounds, 1);
}
