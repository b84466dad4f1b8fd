import { strict as assert } from 'node:assert';
import { refused, refusedByMpi, type Cases } from './support.js';

export const communicators: Cases = {
  'Comm_dup, Comm_compare, names and Comm_free': {
    run: ({ MPI, rank, size }) => {
      const comm = MPI.Comm_dup(MPI.COMM_WORLD);
      assert.deepEqual([MPI.Comm_rank(comm), MPI.Comm_size(comm)], [rank, size]);
      assert.equal(MPI.Comm_compare(comm, MPI.COMM_WORLD), MPI.CONGRUENT);
      assert.equal(MPI.Comm_compare(MPI.COMM_WORLD, MPI.COMM_WORLD), MPI.IDENT);
      MPI.Comm_set_name(comm, 'of a test');
      assert.equal(MPI.Comm_get_name(comm), 'of a test');
      MPI.Comm_free(comm);
      refused(() => MPI.Comm_rank(comm), /^MPI_Comm_rank: comm has been freed$/);
    },
  },
  Comm_split: {
    run: ({ MPI, rank, size }) => {
      const comm = MPI.Comm_split(MPI.COMM_WORLD, rank % 2, -rank);
      const members = Math.ceil((size - (rank % 2)) / 2);
      assert.equal(MPI.Comm_size(comm), members);
      assert.equal(MPI.Comm_rank(comm), members - 1 - Math.floor(rank / 2)); // the key turns the order round
      MPI.Comm_free(comm);
      const some = MPI.Comm_split(MPI.COMM_WORLD, rank === 0 ? 0 : MPI.UNDEFINED, 0);
      assert.equal(some === MPI.COMM_NULL, rank !== 0);
      if (rank === 0) MPI.Comm_free(some);
    },
  },
  'Comm_split_type: ranks that share memory': {
    run: ({ MPI, size }) => {
      const comm = MPI.Comm_split_type(MPI.COMM_WORLD, MPI.COMM_TYPE_SHARED, 0);
      assert.equal(MPI.Comm_size(comm), size);
      MPI.Comm_free(comm);
    },
  },
  'Comm_create and Comm_create_group': {
    run: ({ MPI, rank, size }) => {
      const world = MPI.Comm_group(MPI.COMM_WORLD);
      const last = MPI.Group_incl(world, [size - 1]);
      const all = MPI.Comm_create(MPI.COMM_WORLD, last);
      assert.equal(all === MPI.COMM_NULL, rank !== size - 1);
      if (rank === size - 1) {
        const own = MPI.Comm_create_group(MPI.COMM_WORLD, last, 3);
        assert.equal(MPI.Comm_size(own), 1);
        assert.equal(MPI.Comm_compare(own, MPI.COMM_SELF), MPI.CONGRUENT);
        MPI.Comm_free(own);
        MPI.Comm_free(all);
      }
    },
  },
  'errors come back from every communicator that was handed out': {
    run: ({ MPI }) => {
      const made = [MPI.COMM_WORLD, MPI.COMM_SELF, MPI.Comm_dup(MPI.COMM_WORLD), MPI.Comm_split(MPI.COMM_WORLD, 0, 0)];
      for (const comm of made) {
        refusedByMpi(MPI, () => MPI.Send(null, 0, MPI.INT, 1000, 0, comm), 'MPI_ERR_RANK');
      }
      made.slice(2).forEach((comm) => MPI.Comm_free(comm));
    },
  },
};

export const groups: Cases = {
  'Group_incl and Group_excl': {
    run: ({ MPI, rank, size }) => {
      const world = MPI.Comm_group(MPI.COMM_WORLD);
      assert.deepEqual([MPI.Group_size(world), MPI.Group_rank(world)], [size, rank]);
      const first = MPI.Group_incl(world, Int32Array.of(0));
      assert.equal(MPI.Group_rank(first), rank === 0 ? 0 : MPI.UNDEFINED);
      const rest = MPI.Group_excl(world, [0]);
      assert.equal(MPI.Group_size(rest), size - 1);
      MPI.Group_free(first);
      refused(() => MPI.Group_size(first), /group has been freed/);
      refusedByMpi(MPI, () => MPI.Group_incl(world, [size]), 'MPI_ERR_RANK');
    },
  },
  'Group_union, Group_intersection and Group_difference': {
    least: 3,
    run: ({ MPI, size }) => {
      const world = MPI.Comm_group(MPI.COMM_WORLD);
      const low = MPI.Group_incl(world, [0, 1]);
      const high = MPI.Group_incl(world, [1, 2]);
      const union = MPI.Group_union(low, high);
      const both = MPI.Group_intersection(low, high);
      const only = MPI.Group_difference(low, high);
      assert.deepEqual(MPI.Group_translate_ranks(union, [0, 1, 2], world), [0, 1, 2]);
      assert.deepEqual(MPI.Group_translate_ranks(world, [0, 1, 2], both), [MPI.UNDEFINED, 0, MPI.UNDEFINED]);
      assert.deepEqual(MPI.Group_translate_ranks(only, [0], world), [0]);
      assert.deepEqual([MPI.Group_size(union), MPI.Group_size(both), MPI.Group_size(only)], [3, 1, 1]);
      assert.equal(MPI.Group_compare(union, world), size === 3 ? MPI.IDENT : MPI.UNEQUAL);
      assert.equal(MPI.Group_compare(union, MPI.Group_incl(world, [2, 1, 0])), MPI.SIMILAR);
      assert.equal(MPI.Group_size(MPI.Group_difference(world, world)), 0);
      assert.equal(MPI.Group_size(MPI.GROUP_EMPTY), 0);
    },
  },
};
