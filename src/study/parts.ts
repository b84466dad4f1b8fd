/** Ranks that work on communicators of their own. */
import { partnerOf } from '../bench/families/pairs.js';
import { groundOf, type Ground } from '../bench/grounds.js';
import { nodesOf, type Nodes } from '../bench/nodes.js';
import type { Mpi } from '../mpi/types.js';
import type { MpiRendezvous } from '../rendezvous/mpi.js';
import { layerTransport } from '../transport/layers.js';
import type { Transport } from '../transport/types.js';
import { rowOf } from './programs.js';
import type { Part, PartStep } from './types.js';

/** Where a rank stands in a step. */
export interface Place {
  readonly part: Part;
  /** Of the part in the step. */
  readonly index: number;
}

export function placeIn({ parts }: PartStep, rank: number): Place | undefined {
  const index = parts.findIndex(({ ranks }) => ranks.includes(rank));
  const part = parts[index];
  return part && { part, index };
}

/** Pairs or streams of a part, as its program counts them. */
export function pairsOf({ program, ranks }: Pick<Part, 'program' | 'ranks'>): number {
  const row = rowOf(program);
  if (row.ranks === 'nodes') return ranks.length - 1;
  return row.ranks === 'pairs' || row.ranks === 2 ? Math.floor(ranks.length / 2) : 1;
}

/** Every rank is a node of its own, for programs between nodes: so all but the first are the senders of an incast. */
export function nodesIn({ ranks }: Pick<Part, 'ranks'>): Nodes {
  return nodesOf(Array<string>(ranks.length).fill(''), 1);
}

/**
 * Grounds by the parts that they are of. They are kept until the end: a study comes back to the same parts, and making a
 * communicator takes all ranks and time.
 */
export class Grounds {
  readonly #made = new Map<string, Ground | null>();
  readonly #mpi: Mpi;
  readonly #world: MpiRendezvous;

  constructor(MPI: Mpi, world: MpiRendezvous) {
    this.#mpi = MPI;
    this.#world = world;
  }

  /** This rank's in the step, null where it has none. Every rank calls it together. */
  of(step: PartStep): Ground | null {
    const key = JSON.stringify(step.parts.map(({ ranks }) => ranks));
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const { rank, comm } = this.#world;
    const place = placeIn(step, rank);
    const made = this.#mpi.Comm_split(
      comm,
      place ? place.index : this.#mpi.UNDEFINED,
      place ? place.part.ranks.indexOf(rank) : 0,
    );
    const ground = place ? groundOf(made) : null;
    this.#made.set(key, ground);
    return ground;
  }

  /** Every rank calls it together. */
  close(): void {
    for (const ground of this.#made.values()) ground?.close();
    this.#made.clear();
  }
}

/** A part's transport, and how to end it. */
export interface Carried {
  readonly transport: Transport;
  close(): void;
}

/** Every rank of the part calls it together; throws a `LayerRefusal` on all of them where one can't have the layer. */
export function carriedBy({ rendezvous, transport: base }: Ground, part: Part): Carried {
  if (!part.layer || part.layer.kind === 'mpi') return { transport: base, close: () => undefined };
  const transport = layerTransport(part.layer, rendezvous, base);
  transport.reach(partnerOf(rendezvous.rank, pairsOf(part)));
  return {
    transport,
    close: () => {
      transport.close();
    },
  };
}
