/** Transports that move plain bytes between pairs of ranks, laid over the message channels of a stack below MPI. */
import { hostname } from 'node:os';
import { EngineBuffer } from '../engine/buffer.js';
import { innerOf, releaseOperations } from '../engine/operations.js';
import type { Operation } from '../engine/types.js';
import type { Rendezvous } from '../rendezvous/types.js';
import type { EnvironmentRecord } from '../results/types.js';
import type { MessageChannel } from '../ucx/types.js';
import type { Channel, ChannelOptions, Started, Transport } from './types.js';

/** What the host, the stack or the transport doesn't have; the message is a sentence. */
export class LayerRefusal extends Error {
  override name = 'LayerRefusal';
}

/**
 * Opens something on every rank, and gives each what all say of theirs. What one rank can't open is refused on all of them,
 * so that none waits for another.
 */
export function openOnAll<Own, Said>(
  rendezvous: Rendezvous,
  open: () => { readonly own: Own; readonly said: Said },
): { readonly own: Own; readonly all: readonly Said[] } {
  let opened: ReturnType<typeof open> | undefined;
  let problem: string | null = null;
  try {
    opened = open();
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  const told = rendezvous.allgather({ problem, said: opened?.said ?? null, host: hostname() });
  const rank = told.findIndex((one) => one.problem !== null);
  const first = told[rank];
  if (first || !opened) {
    const where = first && told.some((one) => one.problem === null) ? `rank ${rank} on ${first.host}: ` : '';
    throw new LayerRefusal(where + (first?.problem ?? 'it could not be opened'));
  }
  return { own: opened.own, all: told.map(({ said }) => said as Said) };
}

/** What a layer puts into a record's environment. */
export type LayerEnvironment = Partial<Pick<EnvironmentRecord, 'ucx' | 'verbs'>>;

/** What a stack gives. */
export interface MessageLayer {
  /** As records name it, e.g. `uct:posix/memory`. */
  readonly layer: string;
  /** Bytes of the longest message that all ranks can carry; undefined = any. */
  readonly largest?: number;
  /** Both ranks of a pair call it in the same order, with the same `id`: channels that are open at once have other ids. */
  channel(peer: number, id: number): MessageChannel;
  /** All ranks call it together before `reach`, each with the rank that it will talk to, if any: for what both must know. */
  meet?(peer: number | undefined): void;
  /** Connects to a rank; throws where it can't be reached. Without it all of them can. */
  reach?(peer: number): void;
  /** Makes progress; what waits for other ranks runs it meanwhile. Without it nothing needs progress. */
  progress?(): Operation;
  /** Transports and devices that messages really go over; complete once they did. */
  transports(): readonly string[];
  /** What records say of the stack; complete once messages went. */
  environment?(): LayerEnvironment;
  /** Channels must have been closed. */
  close(): void;
}

/** A transport with a stack of its own, which ends before MPI does. */
export interface LayerTransport extends Transport {
  /**
   * Connects to the rank that this one will talk to, if any. All ranks call it together.
   *
   * @throws LayerRefusal on all ranks where one of them can't reach the other
   */
  reach(peer: number | undefined): void;
  transports(): readonly string[];
  environment(): LayerEnvironment;
  close(): void;
}

class LayerChannel implements Channel {
  constructor(
    private readonly layer: string,
    private readonly inner: MessageChannel,
    private readonly elementBytes: number,
    private readonly free: () => void,
  ) {}

  send(buffer: EngineBuffer, size: number): Operation {
    return this.inner.send(buffer, this.transmitSize(size));
  }

  receive(buffer: EngineBuffer, size: number): Operation {
    return this.inner.receive(buffer, this.transmitSize(size));
  }

  startSends(buffers: readonly EngineBuffer[], size: number, window: number): Operation {
    return this.inner.startSends(buffers, this.transmitSize(size), window);
  }

  startReceives(buffers: readonly EngineBuffer[], size: number, window: number): Operation {
    return this.inner.startReceives(buffers, this.transmitSize(size), window);
  }

  completeSends(): Operation {
    return this.inner.completeSends();
  }

  completeReceives(): Operation {
    return this.inner.completeReceives();
  }

  prepareSends(): Started {
    throw new LayerRefusal(`${this.layer} has no persistent requests, which are MPI's: use --layer mpi`);
  }

  prepareReceives(): Started {
    return this.prepareSends();
  }

  /** Whole elements, as over MPI. */
  transmitSize(size: number): number {
    return Math.floor(size / this.elementBytes) * this.elementBytes;
  }

  close(): void {
    this.inner.close();
    this.free();
  }
}

/**
 * @param base MPI's transport: names and widths of its element types hold here too, since bytes are moved
 * @param rendezvous of all ranks, with a barrier that makes progress
 */
export function messageTransport(layer: MessageLayer, rendezvous: Rendezvous, base: Transport): LayerTransport {
  const taken = new Set<string>();
  const freeId = (peer: number): number => {
    let id = 0;
    while (taken.has(`${peer} ${id}`)) id += 1;
    return id;
  };
  const inner: Operation[] = [];
  return {
    layer: layer.layer,
    ...(layer.largest === undefined ? {} : { largest: layer.largest }),
    datatypes: base.datatypes,
    allocate: (byteLength) => EngineBuffer.allocate(byteLength),
    barrier: (kind) => {
      if (!layer.progress) return base.barrier(kind);
      if (!rendezvous.progressBarrier)
        throw new Error(`the rendezvous ${rendezvous.kind} has no barrier with progress`);
      const barrier = rendezvous.progressBarrier(layer.progress());
      // Whoever asked for the barrier releases it, and doesn't know what it runs.
      inner.push(...innerOf(barrier));
      return barrier;
    },
    collective: ({ name }) => {
      throw new LayerRefusal(`${layer.layer} has messages between two ranks and no ${name}: use --layer mpi`);
    },
    channel: ({ peer, datatype, layout }: ChannelOptions) => {
      const bytes = base.datatypes.get(datatype);
      if (bytes === undefined) throw new RangeError(`there is no datatype ${datatype} here`);
      if (layout && layout.kind !== 'cont') {
        const why = 'moves bytes as they lie in memory, without the layouts of -D';
        throw new LayerRefusal(`${layer.layer} ${why}: use --layer mpi`);
      }
      const id = freeId(peer);
      const name = `${peer} ${id}`;
      taken.add(name);
      return new LayerChannel(layer.layer, layer.channel(peer, id), bytes, () => taken.delete(name));
    },
    reach: (peer) => {
      layer.meet?.(peer);
      openOnAll(rendezvous, () => {
        if (peer !== undefined) layer.reach?.(peer);
        return { own: null, said: null };
      });
    },
    transports: () => layer.transports(),
    environment: () => layer.environment?.() ?? {},
    close: () => {
      releaseOperations(inner.splice(0));
      layer.close();
    },
  };
}
