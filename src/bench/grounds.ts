/** On which ranks, and in which topology, a run measures. */
import { parseGraphFile, type GraphEdge } from '../cli/graph-file.js';
import type { NeighbourRequest } from '../cli/options.js';
import { mpi } from '../mpi/mpi.js';
import type { Comm } from '../mpi/types.js';
import { MpiRendezvous } from '../rendezvous/mpi.js';
import type { Rendezvous } from '../rendezvous/types.js';
import type { Neighbours } from '../transport/collective-shapes.js';
import type { LayerEnvironment } from '../transport/messages.js';
import { mpiTransport } from '../transport/mpi.js';
import type { Transport } from '../transport/types.js';
import { Refusal, WRONG_USE } from './plan.js';
import { edgeNeighbours, gridNeighbours } from './topology.js';

/** Ranks that measure together. */
export interface Ground {
  readonly rendezvous: Rendezvous;
  readonly transport: Transport;
  readonly comm: Comm;
  /** This rank's, in a topology. */
  readonly neighbours?: Neighbours;
  /** What the record says of the stack that carried the messages, where that wasn't MPI. */
  environment?(): LayerEnvironment;
  /** Connects to the rank that this one talks to. Every rank calls it together; throws a Refusal on all of them. */
  reach?(peer: number | undefined): void;
  /** What the table says of it before everything else. */
  readonly preamble?: readonly string[];
  /** Every rank calls it together. */
  close(): void;
}

/** All ranks of a communicator, which is freed with it. Every rank calls `close` together. */
export function groundOf(comm: Comm): Ground {
  const MPI = mpi();
  const end = (): void => {
    MPI.Comm_free(comm);
  };
  const rendezvous = new MpiRendezvous(MPI, { comm, end });
  return { rendezvous, comm, transport: mpiTransport({ comm }), close: end };
}

/** The first `ranks` ranks, on a communicator of their own; null on the others. Every rank calls it together. */
export function firstRanks(comm: Comm, ranks: number): Ground | null {
  const MPI = mpi();
  const rank = MPI.Comm_rank(comm);
  const part = MPI.Comm_split(comm, rank < ranks ? 0 : MPI.UNDEFINED, rank);
  return rank < ranks ? groundOf(part) : null;
}

interface Asked {
  readonly neighbours: Neighbours;
  readonly preamble: readonly string[];
}

function edgesOf(file: string, readText: (file: string) => string): readonly GraphEdge[] {
  const refuse = (cause: string): Refusal =>
    new Refusal(`-N graph:${file} can't be used: ${cause}; give a file of "source,destination" lines`, WRONG_USE);
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
  const edges = parseGraphFile(text);
  if (!edges.ok) throw refuse(edges.reason);
  return edges.value;
}

function neighboursOf(request: NeighbourRequest, comm: Comm, readText: (file: string) => string): Asked {
  const MPI = mpi();
  const [rank, ranks] = [MPI.Comm_rank(comm), MPI.Comm_size(comm)];
  if (request.kind === 'graph')
    return { neighbours: edgeNeighbours(rank, ranks, edgesOf(request.file, readText)), preamble: [] };
  const grid = MPI.Dims_create(ranks, Array<number>(request.dims).fill(0));
  // The peer's line, with its blank at the end.
  const preamble = [`Dimensions size = ${grid.join(' ')} `];
  return { neighbours: gridNeighbours(rank, grid, request.radius), preamble };
}

/**
 * All ranks, in the topology asked for. Every rank calls it together.
 *
 * @param readText gives a file's text, the same on every rank
 * @throws Refusal where these ranks can't form it
 */
export function inTopology(request: NeighbourRequest, comm: Comm, readText: (file: string) => string): Ground {
  const MPI = mpi();
  const { neighbours, preamble } = neighboursOf(request, comm, readText);
  const { sources, destinations } = neighbours;
  const start = performance.now();
  const made = MPI.Dist_graph_create_adjacent(comm, sources, null, destinations, null, false);
  const took = ((performance.now() - start) * 1000).toFixed(2);
  return { ...groundOf(made), neighbours, preamble: [...preamble, `Time took to create topology graph:${took} us.`] };
}
