/** Where the data of collectives lies: what each rank contributes, and what must have arrived. Pure, in bytes. */

/** MPI's names, in lower case, without the form (MPI_I..., ..._init). */
export type CollectiveName =
  | 'allgather'
  | 'allgatherv'
  | 'allreduce'
  | 'alltoall'
  | 'alltoallv'
  | 'alltoallw'
  | 'barrier'
  | 'bcast'
  | 'gather'
  | 'gatherv'
  | 'reduce'
  | 'reduce_scatter'
  | 'reduce_scatter_block'
  | 'scatter'
  | 'scatterv'
  | NeighbourName;

export type NeighbourName =
  'neighbor_allgather' | 'neighbor_allgatherv' | 'neighbor_alltoall' | 'neighbor_alltoallv' | 'neighbor_alltoallw';

/** Ranks that this rank receives from and sends to, in the order of the topology. */
export interface Neighbours {
  readonly sources: readonly number[];
  readonly destinations: readonly number[];
}

/** A block of data of one sender. */
export interface Place {
  /** Where in the buffer. */
  readonly offset: number;
  readonly length: number;
  readonly sender: number;
  /** Tells a sender's blocks apart. */
  readonly slot: number;
}

/** A part of the result of a reduction. */
export interface ReducedPart {
  /** Which element of the vector stands first. */
  readonly first: number;
  /** Bytes. */
  readonly length: number;
}

/** One collective on one rank. A buffer of 0 bytes is none. */
export interface Shape {
  readonly sendBytes: number;
  readonly receiveBytes: number;
  /** Data that this rank must have before the call, and in which buffer: `receive` where it is in place. */
  readonly contributes: { readonly to: 'send' | 'receive'; readonly places: readonly Place[] };
  /** Data that must stand in the receive buffer after it. Empty for reductions. */
  readonly arrives: readonly Place[];
  /** What a reduction leaves at the start of the receive buffer; null where it leaves nothing here. */
  readonly reduced: ReducedPart | null;
}

export interface ShapeOptions {
  /** Bytes: of a vector for reductions and bcast, of a rank's block for others. */
  readonly size: number;
  readonly elementBytes: number;
  readonly rank: number;
  readonly ranks: number;
  readonly root: number;
  readonly inPlace: boolean;
  readonly neighbours?: Neighbours;
}

const REDUCTIONS = new Set<CollectiveName>(['allreduce', 'reduce', 'reduce_scatter', 'reduce_scatter_block']);
const ROOTED = new Set<CollectiveName>(['bcast', 'gather', 'gatherv', 'reduce', 'scatter', 'scatterv']);

/** Whether it combines data by an operation, which takes numbers of a datatype that MPI allows for it. */
export const isReduction = (name: CollectiveName): boolean => REDUCTIONS.has(name);

/** Whether one rank plays a part of its own. */
export const isRooted = (name: CollectiveName): boolean => ROOTED.has(name);

/**
 * Elements of the vector that each rank gets from MPI_Reduce_scatter: as many as the others, and the first ranks one more
 * where they don't divide evenly.
 */
export function scatteredCounts(elements: number, ranks: number): number[] {
  const rest = elements % ranks;
  return Array.from({ length: ranks }, (_, rank) => Math.floor(elements / ranks) + (rank < rest ? 1 : 0));
}

const nothing: Shape = {
  sendBytes: 0,
  receiveBytes: 0,
  contributes: { to: 'send', places: [] },
  arrives: [],
  reduced: null,
};

/** `count` blocks of `size` bytes, one after the other. */
function blocks(count: number, size: number, of: (index: number) => { sender: number; slot: number }): Place[] {
  return Array.from({ length: count }, (_, index) => ({ offset: index * size, length: size, ...of(index) }));
}

function vectorShape(
  { rank, inPlace }: ShapeOptions,
  bytes: number,
  reduced: ReducedPart | null,
  here: boolean,
): Shape {
  const places = [{ offset: 0, length: bytes, sender: rank, slot: 0 }];
  const inReceive = inPlace && here;
  return {
    sendBytes: inReceive ? 0 : bytes,
    receiveBytes: inReceive ? bytes : (reduced?.length ?? 0),
    contributes: { to: inReceive ? 'receive' : 'send', places },
    arrives: [],
    reduced,
  };
}

function reductionShape(name: CollectiveName, options: ShapeOptions): Shape {
  const { size, elementBytes, rank, ranks, root } = options;
  if (name === 'allreduce') return vectorShape(options, size, { first: 0, length: size }, true);
  if (name === 'reduce') {
    return vectorShape(options, size, rank === root ? { first: 0, length: size } : null, rank === root);
  }
  const elements = Math.floor(size / elementBytes);
  const portion = Math.floor(elements / ranks);
  const counts = name === 'reduce_scatter' ? scatteredCounts(elements, ranks) : Array<number>(ranks).fill(portion);
  const before = counts.slice(0, rank).reduce((sum, count) => sum + count, 0);
  const all = counts.reduce((sum, count) => sum + count, 0);
  const part = { first: before, length: (counts[rank] ?? 0) * elementBytes };
  return vectorShape(options, all * elementBytes, part, true);
}

function gatherShape({ size, rank, ranks, root, inPlace }: ShapeOptions, toAll: boolean): Shape {
  const collects = toAll || rank === root;
  const own = { length: size, sender: rank, slot: 0 };
  const inReceive = inPlace && collects;
  return {
    ...nothing,
    sendBytes: inReceive ? 0 : size,
    receiveBytes: collects ? ranks * size : 0,
    contributes: inReceive
      ? { to: 'receive', places: [{ ...own, offset: rank * size }] }
      : { to: 'send', places: [{ ...own, offset: 0 }] },
    arrives: collects ? blocks(ranks, size, (sender) => ({ sender, slot: 0 })) : [],
  };
}

function scatterShape({ size, rank, ranks, root, inPlace }: ShapeOptions): Shape {
  const isRoot = rank === root;
  const receives = !(isRoot && inPlace);
  return {
    ...nothing,
    sendBytes: isRoot ? ranks * size : 0,
    receiveBytes: receives ? size : 0,
    contributes: { to: 'send', places: isRoot ? blocks(ranks, size, (slot) => ({ sender: rank, slot })) : [] },
    arrives: receives ? [{ offset: 0, length: size, sender: root, slot: rank }] : [],
  };
}

function alltoallShape({ size, rank, ranks, inPlace }: ShapeOptions): Shape {
  return {
    ...nothing,
    sendBytes: inPlace ? 0 : ranks * size,
    receiveBytes: ranks * size,
    contributes: { to: inPlace ? 'receive' : 'send', places: blocks(ranks, size, (slot) => ({ sender: rank, slot })) },
    arrives: blocks(ranks, size, (sender) => ({ sender, slot: rank })),
  };
}

function bcastShape({ size, rank, root }: ShapeOptions): Shape {
  const data = [{ offset: 0, length: size, sender: root, slot: 0 }];
  return {
    ...nothing,
    receiveBytes: size,
    contributes: { to: 'receive', places: rank === root ? data : [] },
    arrives: data,
  };
}

function neighbourShape({ size, rank, neighbours }: ShapeOptions, toAll: boolean): Shape {
  if (!neighbours) throw new Error('a neighbourhood collective needs neighbours');
  const { sources, destinations } = neighbours;
  const places = toAll
    ? blocks(destinations.length, size, (index) => ({ sender: rank, slot: destinations[index] ?? 0 }))
    : blocks(1, size, () => ({ sender: rank, slot: 0 }));
  return {
    ...nothing,
    sendBytes: places.length * size,
    receiveBytes: sources.length * size,
    contributes: { to: 'send', places },
    arrives: blocks(sources.length, size, (index) => ({ sender: sources[index] ?? 0, slot: toAll ? rank : 0 })),
  };
}

/** The data of one collective on one rank. */
export function shapeOf(name: CollectiveName, options: ShapeOptions): Shape {
  if (isReduction(name)) return reductionShape(name, options);
  switch (name) {
    case 'allgather':
    case 'allgatherv':
      return gatherShape(options, true);
    case 'gather':
    case 'gatherv':
      return gatherShape(options, false);
    case 'scatter':
    case 'scatterv':
      return scatterShape(options);
    case 'alltoall':
    case 'alltoallv':
    case 'alltoallw':
      return alltoallShape(options);
    case 'bcast':
      return bcastShape(options);
    case 'neighbor_allgather':
    case 'neighbor_allgatherv':
      return neighbourShape(options, false);
    case 'neighbor_alltoall':
    case 'neighbor_alltoallv':
    case 'neighbor_alltoallw':
      return neighbourShape(options, true);
    default:
      return nothing;
  }
}
