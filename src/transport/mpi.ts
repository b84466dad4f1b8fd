/** Channels over MPI, on MPI_COMM_WORLD or another communicator. */
import { EngineBuffer } from '../engine/buffer.js';
import type { Operation } from '../engine/types.js';
import { mpi } from '../mpi/mpi.js';
import type { Comm, Datatype, Mpi, RequestArray } from '../mpi/types.js';
import { disseminationBarrier, mpiCollective } from './mpi-collectives.js';
import { mpiOneSided, type Element } from './mpi-one-sided.js';
import { messageOf, transmitElements, type Message } from './mpi-layout.js';
import type { Channel, ChannelOptions, Started, Transport } from './types.js';

/** Names that may be asked for, and what they are called in the binding. */
const names = [
  ...(['CHAR', 'INT', 'FLOAT', 'DOUBLE', 'SIGNED_CHAR', 'UNSIGNED_CHAR', 'BYTE', 'SHORT', 'UNSIGNED_SHORT'] as const),
  ...(['UNSIGNED', 'LONG', 'UNSIGNED_LONG', 'LONG_LONG', 'UNSIGNED_LONG_LONG'] as const),
  ...(['INT8_T', 'INT16_T', 'INT32_T', 'INT64_T', 'UINT8_T', 'UINT16_T', 'UINT32_T', 'UINT64_T'] as const),
  ...(['AINT', 'OFFSET', 'COUNT', 'C_FLOAT_COMPLEX', 'C_DOUBLE_COMPLEX'] as const),
];

const DATA_TAG = 100;

class MpiChannel implements Channel {
  readonly #made: Datatype[] = [];
  readonly #arrays: RequestArray[] = [];
  readonly #tag: number;
  #sends: RequestArray | undefined;
  #receives: RequestArray | undefined;

  constructor(
    private readonly mpi: Mpi,
    private readonly comm: Comm,
    private readonly element: Element,
    private readonly options: ChannelOptions,
  ) {
    this.#tag = options.tag ?? DATA_TAG;
  }

  send(buffer: EngineBuffer, size: number): Operation {
    const { count, datatype } = this.#message(size);
    return this.mpi.bind.Send(buffer, count, datatype, this.options.peer, this.#tag, this.comm);
  }

  receive(buffer: EngineBuffer, size: number): Operation {
    const { count, datatype } = this.#message(size);
    return this.mpi.bind.Recv(buffer, count, datatype, this.options.peer, this.#tag, this.comm);
  }

  startSends(buffers: readonly EngineBuffer[], size: number, window: number): Operation {
    const { count, datatype } = this.#message(size);
    this.#sends = this.#requests(window);
    return this.mpi.bind.IsendWindow(buffers, count, datatype, this.options.peer, this.#tag, this.comm, this.#sends);
  }

  startReceives(buffers: readonly EngineBuffer[], size: number, window: number): Operation {
    const { count, datatype } = this.#message(size);
    this.#receives = this.#requests(window);
    return this.mpi.bind.IrecvWindow(buffers, count, datatype, this.options.peer, this.#tag, this.comm, this.#receives);
  }

  completeSends(): Operation {
    if (this.#sends === undefined) throw new Error('completeSends needs startSends before it');
    return this.mpi.bind.Waitall(this.#sends);
  }

  completeReceives(): Operation {
    if (this.#receives === undefined) throw new Error('completeReceives needs startReceives before it');
    return this.mpi.bind.Waitall(this.#receives);
  }

  prepareSends(buffers: readonly EngineBuffer[], size: number, window: number): Started {
    return this.#prepare('Send_init', buffers, size, window);
  }

  prepareReceives(buffers: readonly EngineBuffer[], size: number, window: number): Started {
    return this.#prepare('Recv_init', buffers, size, window);
  }

  transmitSize(size: number): number {
    return transmitElements(this.options.layout, this.#elements(size)) * this.element.bytes;
  }

  close(): void {
    if (!this.mpi.running()) return;
    for (const requests of this.#arrays.splice(0)) this.mpi.freeRequests(requests);
    for (const datatype of this.#made.splice(0)) this.mpi.Type_free(datatype);
  }

  /** One request is started and waited for by MPI_Start and MPI_Wait, several by MPI_Startall and MPI_Waitall. */
  #prepare(init: 'Send_init' | 'Recv_init', buffers: readonly EngineBuffer[], size: number, window: number): Started {
    const { bind } = this.mpi;
    const { count, datatype } = this.#message(size);
    const requests = this.#requests(window);
    for (let i = 0; i < window; i++) {
      const buffer = buffers[i % buffers.length] ?? null;
      this.mpi[init](buffer, count, datatype, this.options.peer, this.#tag, this.comm, requests, i);
    }
    return window === 1
      ? { start: bind.Start(requests, 0), wait: bind.Wait(requests, 0), test: () => bind.Test(requests, 0) }
      : { start: bind.Startall(requests), wait: bind.Waitall(requests), test: () => bind.Testall(requests) };
  }

  #requests(window: number): RequestArray {
    const requests = this.mpi.requests(window);
    this.#arrays.push(requests);
    return requests;
  }

  #elements(size: number): number {
    return Math.floor(size / this.element.bytes);
  }

  #message(size: number): Message {
    const message = messageOf(this.mpi, this.element.datatype, this.options.layout, this.#elements(size));
    if (message.made !== undefined) this.#made.push(message.made);
    return message;
  }
}

export interface MpiTransportOptions {
  /** Whose ranks the peers are, and whose barrier it is. Default MPI_COMM_WORLD. It must outlive the transport. */
  readonly comm?: Comm;
}

/**
 * A transport over MPI, which must be running. By default it works on MPI_COMM_WORLD itself, as C benchmarks do: over a
 * duplicate each small message cost some 3 ns more (Open MPI 4.1, PML ucx).
 */
export function mpiTransport(options: MpiTransportOptions = {}): Transport {
  const MPI = mpi();
  const comm = options.comm ?? MPI.COMM_WORLD;
  const elements = new Map(
    names.map((name) => [`MPI_${name}`, { datatype: MPI[name], bytes: MPI.Type_size(MPI[name]) }]),
  );
  const elementOf = (datatype: string): Element => {
    const element = elements.get(datatype);
    if (element !== undefined) return element;
    throw new RangeError(`MPI has no datatype ${datatype} here: use one of ${[...elements.keys()].join(', ')}`);
  };
  return {
    layer: 'mpi',
    datatypes: new Map([...elements].map(([name, { bytes }]) => [name, bytes])),
    allocate: (byteLength) => EngineBuffer.allocate(byteLength),
    barrier: (kind) => (kind === 'dissemination' ? disseminationBarrier(MPI, comm) : MPI.bind.Barrier(comm)),
    channel: (options) => new MpiChannel(MPI, comm, elementOf(options.datatype), options),
    oneSided: (options, meeting) => mpiOneSided(MPI, comm, elementOf(options.datatype), options, meeting),
    collective: (options) => mpiCollective({ mpi: MPI, comm, element: elementOf(options.datatype) }, options),
  };
}
