/** Who is whose neighbour in a neighbourhood collective. Pure. */
import type { GraphEdge } from '../cli/graph-file.js';
import type { Neighbours } from '../transport/collective-shapes.js';
import { Refusal, WRONG_USE } from './plan.js';

/** The place of a rank in a grid, the last dimension running fastest, as MPI numbers them. */
function coordinatesOf(rank: number, grid: readonly number[]): number[] {
  const coordinates: number[] = [];
  let rest = rank;
  for (const extent of [...grid].reverse()) {
    coordinates.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return coordinates;
}

const rankAt = (coordinates: readonly number[], grid: readonly number[]): number =>
  grid.reduce((rank, extent, dimension) => rank * extent + (((coordinates[dimension] ?? 0) + extent) % extent), 0);

/**
 * Neighbours in a periodic grid: all that are at most `radius` away along one dimension, the nearer before the farther, the
 * one before a rank before the one after it.
 *
 * @param grid ranks along each dimension
 * @throws Refusal where a dimension is too short for all of these to be different ranks
 */
export function gridNeighbours(rank: number, grid: readonly number[], radius: number): Neighbours {
  const shortest = Math.min(...grid);
  if (2 * radius + 1 > shortest) {
    const found = `the ranks make a grid of ${grid.join(' x ')}`;
    const mend = `start more ranks or give -N cart:DIMS:RADIUS with another number of dimensions or a smaller radius`;
    throw new Refusal(
      `neighbours within ${radius} need at least ${2 * radius + 1} ranks along each dimension, and ${found}: ${mend}`,
      WRONG_USE,
    );
  }
  const at = coordinatesOf(rank, grid);
  const all = grid.flatMap((_, dimension) =>
    Array.from({ length: radius }, (_, i) => [-1 - i, 1 + i])
      .flat()
      .map((step) =>
        rankAt(
          at.map((own, other) => (other === dimension ? own + step : own)),
          grid,
        ),
      ),
  );
  return { sources: all, destinations: all };
}

/**
 * Neighbours by a list of edges, in its order.
 *
 * @throws Refusal for an edge of a rank that there is not, and for one that comes twice
 */
export function edgeNeighbours(rank: number, ranks: number, edges: readonly GraphEdge[]): Neighbours {
  const seen = new Set<string>();
  for (const { source, destination } of edges) {
    const name = `${source},${destination}`;
    if (Math.max(source, destination) >= ranks) {
      throw new Refusal(
        `the edge ${name} of -N graph:FILE names a rank that this run of ${ranks} does not have`,
        WRONG_USE,
      );
    }
    if (seen.has(name)) throw new Refusal(`the edge ${name} comes twice in -N graph:FILE: leave one out`, WRONG_USE);
    seen.add(name);
  }
  return {
    sources: edges.flatMap(({ source, destination }) => (destination === rank ? [source] : [])),
    destinations: edges.flatMap(({ source, destination }) => (source === rank ? [destination] : [])),
  };
}
