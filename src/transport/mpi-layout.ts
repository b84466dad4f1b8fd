/** Datatypes of a channel over MPI: the derived layouts of OMB's `-D`. */
import type { Datatype, Mpi } from '../mpi/types.js';
import type { Layout } from './types.js';

/** What a message of some elements is to MPI. `made` must be freed. */
export interface Message {
  readonly count: number;
  readonly datatype: Datatype;
  readonly made?: Datatype;
}

export interface Blocks {
  readonly lengths: number[];
  readonly displacements: number[];
}

/** The blocks that lie within `elements` elements; one that crosses the end is cut there. */
export function blocksWithin(blocks: Extract<Layout, { kind: 'indx' }>['blocks'], elements: number): Blocks {
  const within = blocks.filter(({ displacement }) => displacement < elements);
  return {
    lengths: within.map(({ length, displacement }) => Math.min(length, elements - displacement)),
    displacements: within.map(({ displacement }) => displacement),
  };
}

/** Elements that really move for a message that spans `elements` elements. */
export function transmitElements(layout: Layout | undefined, elements: number): number {
  if (layout === undefined || layout.kind === 'cont') return elements;
  if (layout.kind === 'vect') return Math.floor(elements / layout.stride) * layout.block;
  return blocksWithin(layout.blocks, elements).lengths.reduce((sum, length) => sum + length, 0);
}

function derive(MPI: Mpi, base: Datatype, layout: Layout, elements: number): Datatype {
  if (layout.kind === 'cont') return MPI.Type_contiguous(elements, base);
  if (layout.kind === 'vect') {
    return MPI.Type_vector(Math.floor(elements / layout.stride), layout.block, layout.stride, base);
  }
  const { lengths, displacements } = blocksWithin(layout.blocks, elements);
  return MPI.Type_indexed(lengths, displacements, base);
}

/** The datatype and count for a message that spans `elements` elements of `base`. */
export function messageOf(MPI: Mpi, base: Datatype, layout: Layout | undefined, elements: number): Message {
  if (layout === undefined) return { count: elements, datatype: base };
  // Open MPI 4.1 can't commit a datatype of nothing.
  if (transmitElements(layout, elements) === 0) return { count: 0, datatype: base };
  const made = derive(MPI, base, layout, elements);
  MPI.Type_commit(made);
  return { count: 1, datatype: made, made };
}
