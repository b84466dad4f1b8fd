/** Channels over a flag and a buffer in shared memory, between ranks of one host. */
import { hostname } from 'node:os';
import type { EngineBuffer } from '../engine/buffer.js';
import { ShmSegments, type ShmLine } from '../engine/shm.js';
import type { Operation } from '../engine/types.js';
import type { Rendezvous } from '../rendezvous/types.js';
import type { Channel, ChannelOptions, Started, Transport } from './types.js';

export interface ShmTransportOptions {
  /** Whose ranks the peers are. */
  readonly rendezvous: Rendezvous;
  /** Barriers, memory and the names of datatypes come from here. Its ranks are the rendezvous's. */
  readonly base: Transport;
}

/** The layer can't do what was asked for; the message is one sentence. */
export class ShmError extends Error {
  override name = 'ShmError';
}

class ShmChannel implements Channel {
  readonly #line: ShmLine;
  readonly #elementBytes: number;
  readonly #close: () => void;

  constructor(segments: ShmSegments, peer: number, elementBytes: number) {
    const { line, close } = segments.line(peer);
    this.#line = line;
    this.#elementBytes = elementBytes;
    this.#close = close;
  }

  send(buffer: EngineBuffer, size: number): Operation {
    return this.#line.send(buffer, this.transmitSize(size));
  }

  receive(buffer: EngineBuffer, size: number): Operation {
    return this.#line.receive(buffer, this.transmitSize(size));
  }

  startSends(buffers: readonly EngineBuffer[], size: number, window: number): Operation {
    return this.#line.startSends(buffers, this.transmitSize(size), window);
  }

  startReceives(buffers: readonly EngineBuffer[], size: number, window: number): Operation {
    return this.#line.startReceives(buffers, this.transmitSize(size), window);
  }

  completeSends(): Operation {
    return this.#line.completeSends();
  }

  completeReceives(): Operation {
    return this.#line.completeReceives();
  }

  prepareSends(): Started {
    throw new ShmError("--layer shm has no persistent requests, which are MPI's: use --layer mpi");
  }

  prepareReceives(): Started {
    return this.prepareSends();
  }

  /** Whole elements, as over MPI. */
  transmitSize(size: number): number {
    return Math.floor(size / this.#elementBytes) * this.#elementBytes;
  }

  close(): void {
    this.#close();
  }
}

/** What each rank tells the others: where its segment is, or why there is none. */
interface Offer {
  readonly host: string;
  readonly path: string;
  readonly problem: string | null;
}

/** Runs an action that may fail on some ranks; returns its sentence on this one. */
function problemOf(action: () => void): string | null {
  try {
    action();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** All ranks throw the same, or none does. */
function refuseTogether(problems: readonly (string | null)[]): void {
  const rank = problems.findIndex((problem) => problem !== null);
  if (rank >= 0) throw new ShmError(`--layer shm: rank ${rank} says that ${problems[rank] ?? ''}`);
}

function refuseOtherHosts(hosts: readonly string[]): void {
  const other = hosts.findIndex((host) => host !== hosts[0]);
  if (other < 0) return;
  throw new ShmError(
    `--layer shm works between ranks of one host: rank 0 is on ${hosts[0] ?? ''} and rank ${other} on ${hosts[other] ?? ''}`,
  );
}

/** Makes this rank's segment and opens all others'. Collective. */
function meetInMemory(rendezvous: Rendezvous): ShmSegments {
  const { rank, size } = rendezvous;
  let segments: ShmSegments | undefined;
  const problem = problemOf(() => (segments = new ShmSegments(rank, size)));
  try {
    const offer: Offer = { host: hostname(), path: segments?.path ?? '', problem };
    const offers = rendezvous.allgather(offer);
    refuseOtherHosts(offers.map(({ host }) => host));
    refuseTogether(offers.map((each) => each.problem));
    const opened = problemOf(() => segments?.open(offers.map(({ path }) => path)));
    refuseTogether(rendezvous.allgather(opened));
  } finally {
    segments?.unlink();
  }
  if (segments === undefined) throw new ShmError('--layer shm has no memory on this rank');
  return segments;
}

/**
 * A transport over shared memory, for channels alone. Collective: all ranks of the rendezvous take part. Throws `ShmError`
 * on all of them where ranks are on several hosts or a segment can't be made. Both ranks of a pair must make and close
 * their channels in the same order. A send is complete once it is in shared memory.
 */
export function shmTransport({ rendezvous, base }: ShmTransportOptions): Transport {
  const segments = meetInMemory(rendezvous);
  const { datatypes } = base;
  return {
    layer: 'shm',
    datatypes,
    allocate: (byteLength) => base.allocate(byteLength),
    barrier: (kind) => base.barrier(kind),
    channel: ({ peer, datatype, layout }: ChannelOptions) => {
      if (layout !== undefined && layout.kind !== 'cont') {
        throw new ShmError('--layer shm moves bytes as they lie in memory, without the layouts of -D: use --layer mpi');
      }
      const bytes = datatypes.get(datatype);
      if (bytes !== undefined) return new ShmChannel(segments, peer, bytes);
      throw new RangeError(`there is no datatype ${datatype} here: use one of ${[...datatypes.keys()].join(', ')}`);
    },
    collective: ({ name }) => {
      throw new ShmError(`--layer shm has messages between two ranks and no ${name}: use --layer mpi`);
    },
  };
}
