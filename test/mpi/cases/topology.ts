import { strict as assert } from 'node:assert';
import { range } from './forms.js';
import { refused, refusedByMpi, untyped, type Cases } from './support.js';

export const topology: Cases = {
  'a grid of one dimension: coordinates, ranks and shifts': {
    run: ({ MPI, rank, size }) => {
      const cart = MPI.Cart_create(MPI.COMM_WORLD, [size], [false], false);
      assert.equal(MPI.Topo_test(cart), MPI.CART);
      assert.equal(MPI.Topo_test(MPI.COMM_WORLD), MPI.UNDEFINED);
      assert.equal(MPI.Cartdim_get(cart), 1);
      assert.deepEqual(MPI.Cart_get(cart), { dims: [size], periods: [false], coords: [rank] });
      for (let each = 0; each < size; each++) {
        assert.deepEqual(MPI.Cart_coords(cart, each), [each]);
        assert.equal(MPI.Cart_rank(cart, Int32Array.of(each)), each);
      }
      const inside = (place: number): number => (place >= 0 && place < size ? place : MPI.PROC_NULL);
      assert.deepEqual(MPI.Cart_shift(cart, 0, 1), { source: inside(rank - 1), dest: inside(rank + 1) });
      assert.deepEqual(MPI.Cart_shift(cart, 0, -2), { source: inside(rank + 2), dest: inside(rank - 2) });
      MPI.Comm_free(cart);
    },
  },
  'a grid that closes to a ring': {
    run: ({ MPI, rank, size }) => {
      const ring = MPI.Cart_create(MPI.COMM_WORLD, Int32Array.of(size), [true], true);
      const { periods, coords } = MPI.Cart_get(ring);
      assert.deepEqual(periods, [true]);
      assert.equal(MPI.Cart_rank(ring, coords), MPI.Comm_rank(ring));
      assert.equal(MPI.Cart_rank(ring, [-1]), size - 1);
      const own = MPI.Comm_rank(ring);
      assert.deepEqual(MPI.Cart_shift(ring, 0, 1), { source: (own + size - 1) % size, dest: (own + 1) % size });
      MPI.Comm_free(ring);
      refused(() => MPI.Cart_get(ring), /^MPI_Cart_get: comm has been freed$/);
      assert.ok(rank < size);
    },
  },
  'a grid of two dimensions, and ranks without a place in it': {
    least: 3,
    run: ({ MPI, rank, size }) => {
      const grid = MPI.Cart_create(MPI.COMM_WORLD, [2, 1], [false, true], false);
      assert.equal(grid === MPI.COMM_NULL, rank > 1);
      if (grid === MPI.COMM_NULL) return;
      assert.deepEqual(MPI.Cart_get(grid), { dims: [2, 1], periods: [false, true], coords: [rank, 0] });
      assert.deepEqual(MPI.Cart_shift(grid, 1, 1), { source: rank, dest: rank });
      assert.ok(size > MPI.Comm_size(grid));
      MPI.Comm_free(grid);
    },
  },
  Dims_create: {
    run: ({ MPI }) => {
      assert.deepEqual(MPI.Dims_create(6, [0, 0]), [3, 2]);
      assert.deepEqual(MPI.Dims_create(12, [0, 3, 0]), [2, 3, 2]);
      assert.deepEqual(MPI.Dims_create(5, Int32Array.of(0)), [5]);
      const fixed = [2];
      assert.deepEqual(MPI.Dims_create(2, fixed), [2]);
      assert.deepEqual(fixed, [2]);
      assert.throws(() => MPI.Dims_create(7, [2, 0]), MPI.MpiError);
    },
  },
  'a graph by the edges at each rank, in the order given': {
    run: ({ MPI, rank, size }) => {
      // Everybody sends to all others of a higher rank.
      const sources = range(rank, (each) => rank - 1 - each);
      const destinations = range(size - 1 - rank, (each) => rank + 1 + each);
      const graph = MPI.Dist_graph_create_adjacent(MPI.COMM_WORLD, sources, null, destinations, null, false);
      assert.equal(MPI.Topo_test(graph), MPI.DIST_GRAPH);
      assert.deepEqual(MPI.Dist_graph_neighbors_count(graph), {
        indegree: rank,
        outdegree: size - 1 - rank,
        weighted: false,
      });
      assert.deepEqual(MPI.Dist_graph_neighbors(graph), {
        sources,
        sourceweights: null,
        destinations,
        destweights: null,
      });
      refusedByMpi(MPI, () => MPI.Send(null, 0, MPI.INT, 1000, 0, graph), 'MPI_ERR_RANK');
      MPI.Comm_free(graph);
    },
  },
  'a graph with weights': {
    run: ({ MPI, rank, size }) => {
      const before = (rank + size - 1) % size;
      const after = (rank + 1) % size;
      const graph = MPI.Dist_graph_create_adjacent(MPI.COMM_WORLD, [before], [before + 1], [after], [rank + 1], false);
      assert.equal(MPI.Dist_graph_neighbors_count(graph).weighted, true);
      assert.deepEqual(MPI.Dist_graph_neighbors(graph), {
        sources: [before],
        sourceweights: [before + 1],
        destinations: [after],
        destweights: [rank + 1],
      });
      MPI.Comm_free(graph);
    },
  },
  'a graph whose edges rank 0 knows': {
    run: ({ MPI, rank, size }) => {
      const ranks = range(size, (each) => each);
      // From each rank to itself and to rank 0.
      const graph =
        rank === 0
          ? MPI.Dist_graph_create(
              MPI.COMM_WORLD,
              ranks,
              ranks.map(() => 2),
              ranks.flatMap((each) => [each, 0]),
              ranks.flatMap((each) => [each, 7]),
              false,
            )
          : MPI.Dist_graph_create(MPI.COMM_WORLD, [], [], [], [], false);
      const { sources, sourceweights, destinations, destweights } = MPI.Dist_graph_neighbors(graph);
      const pairs = (places: number[], weights: number[] | null): string[] =>
        places.map((place, i) => `${place}:${weights?.[i]}`).sort();
      assert.deepEqual(pairs(destinations, destweights), [`${rank}:${rank}`, '0:7'].sort());
      const own = `${rank}:${rank}`;
      const expected = rank === 0 ? [own, ...ranks.map((each) => `${each}:7`)] : [own];
      assert.deepEqual(pairs(sources, sourceweights), expected.sort());
      MPI.Comm_free(graph);
    },
  },
  'a graph without edges': {
    run: ({ MPI }) => {
      for (const weights of [null, []]) {
        const graph = MPI.Dist_graph_create_adjacent(MPI.COMM_WORLD, [], weights, [], weights, false);
        const { indegree, outdegree } = MPI.Dist_graph_neighbors_count(graph);
        assert.deepEqual([indegree, outdegree], [0, 0]);
        assert.deepEqual(MPI.Dist_graph_neighbors(graph).sources, []);
        MPI.Comm_free(graph);
      }
    },
  },
  'what is refused before MPI sees it': {
    run: ({ MPI, size }) => {
      const world = MPI.COMM_WORLD;
      refused(() => MPI.Cart_create(world, [1, 1], [true], false), /periods must be as long as dims/, RangeError);
      refused(() => untyped(MPI.Cart_create, world, [1], [1], false), /periods\[0\] must be true or false/, TypeError);
      refused(() => untyped(MPI.Cart_create, world, [1], [true], 1), /reorder must be true or false/, TypeError);
      const cart = MPI.Cart_create(world, [size], [false], false);
      refused(() => MPI.Cart_rank(cart, [0, 0]), /coords must hold one number for each of the 1 dim/, RangeError);
      MPI.Comm_free(cart);
      const adjacent = (sources: number[], weights: number[] | null) => () =>
        MPI.Dist_graph_create_adjacent(world, sources, weights, [], null, false);
      const beyond = new RegExp(`sources must hold ranks from 0 to ${size - 1}, got ${size}$`);
      refused(adjacent([size], null), beyond, RangeError);
      refused(adjacent([-1], null), /sources must hold ranks from 0 to/, RangeError);
      refused(adjacent([0], [1, 2]), /sourceweights must be as long as sources/, RangeError);
      const graph = (degrees: number[], destinations: number[], weights: number[] | null) => () =>
        MPI.Dist_graph_create(world, [0], degrees, destinations, weights, false);
      refused(graph([], [], null), /degrees must be as long as sources/, RangeError);
      refused(
        graph([2], [0], null),
        /destinations must hold as many ranks as degrees say, which is 2, not/,
        RangeError,
      );
      refused(graph([-1], [], null), /degrees must not be negative, got -1/, RangeError);
      refused(graph([1], [0], []), /weights must be as long as destinations/, RangeError);
    },
  },
  'what MPI refuses': {
    run: ({ MPI, size }) => {
      assert.throws(() => MPI.Cart_create(MPI.COMM_WORLD, [size + 1], [false], false), MPI.MpiError);
      refusedByMpi(MPI, () => MPI.Cart_get(MPI.COMM_WORLD), 'MPI_ERR_TOPOLOGY');
      refusedByMpi(MPI, () => MPI.Cart_shift(MPI.COMM_WORLD, 0, 1), 'MPI_ERR_TOPOLOGY');
      refusedByMpi(MPI, () => MPI.Dist_graph_neighbors(MPI.COMM_WORLD), 'MPI_ERR_TOPOLOGY');
      refusedByMpi(MPI, () => MPI.Topo_test(MPI.COMM_NULL), 'MPI_ERR_COMM');
    },
  },
};
