import { strict as assert } from 'node:assert';
import { both, range } from './forms.js';
import { collect } from './garbage.js';
import type { CaseContext, Cases } from './support.js';

/** Sum of all ranks, 0 + 1 + ... */
function sum(size: number): number {
  return (size * (size - 1)) / 2;
}

/** Uneven counts, and displacements with a gap of one element after each block. */
function uneven(size: number): { counts: number[]; displs: number[]; total: number } {
  const counts = range(size, (rank) => rank + 1);
  const displs = range(size, (rank) => sum(rank + 1) + rank);
  return { counts, displs, total: sum(size + 1) + size };
}

const each =
  (check: (context: CaseContext, root: number) => void) =>
  (context: CaseContext): void => {
    for (let root = 0; root < context.size; root++) check(context, root);
  };

export const collectives: Cases = {
  'Barrier and Ibarrier': {
    run: ({ MPI }) => both(MPI, MPI.Barrier, MPI.Ibarrier).forEach((barrier) => barrier(MPI.COMM_WORLD)),
  },
  'Bcast and Ibcast, from every root': {
    run: each(({ MPI, rank, guarded }, root) => {
      for (const bcast of both(MPI, MPI.Bcast, MPI.Ibcast)) {
        const data = guarded(Float64Array, 3).fill(rank === root ? 0.25 + root : 0);
        bcast(data, 3, MPI.DOUBLE, root, MPI.COMM_WORLD);
        assert.deepEqual([...data], [0.25 + root, 0.25 + root, 0.25 + root]);
      }
    }),
  },
  'Reduce and Ireduce, to every root, in place too': {
    run: each(({ MPI, rank, size, guarded }, root) => {
      for (const reduce of both(MPI, MPI.Reduce, MPI.Ireduce)) {
        const send = guarded(Int32Array, 2).fill(rank);
        const receive = rank === root ? guarded(Int32Array, 2) : null;
        reduce(send, receive, 2, MPI.INT, MPI.SUM, root, MPI.COMM_WORLD);
        if (receive) assert.deepEqual([...receive], [sum(size), sum(size)]);
        const own = guarded(Int32Array, 1).fill(rank);
        if (rank === root) reduce(MPI.IN_PLACE, own, 1, MPI.INT, MPI.MAX, root, MPI.COMM_WORLD);
        else reduce(own, null, 1, MPI.INT, MPI.MAX, root, MPI.COMM_WORLD);
        assert.equal(own[0], rank === root ? size - 1 : rank);
      }
    }),
  },
  'Allreduce and Iallreduce, with every operation': {
    run: ({ MPI, rank, size, guarded }) => {
      const all = range(size, (each) => each + 1);
      const expected = new Map([
        [MPI.SUM, sum(size + 1)],
        [MPI.PROD, all.reduce((a, b) => a * b)],
        [MPI.MAX, size],
        [MPI.MIN, 1],
        [MPI.LAND, 1],
        [MPI.LOR, 1],
        [MPI.LXOR, size % 2],
        [MPI.BAND, all.reduce((a, b) => a & b)],
        [MPI.BOR, all.reduce((a, b) => a | b)],
        [MPI.BXOR, all.reduce((a, b) => a ^ b)],
      ]);
      for (const allreduce of both(MPI, MPI.Allreduce, MPI.Iallreduce)) {
        for (const [op, value] of expected) {
          const receive = guarded(Int32Array, 2);
          allreduce(guarded(Int32Array, 2).fill(rank + 1), receive, 2, MPI.INT, op, MPI.COMM_WORLD);
          assert.deepEqual([...receive], [value, value]);
        }
        const own = guarded(Float32Array, 1).fill(rank);
        allreduce(MPI.IN_PLACE, own, 1, MPI.FLOAT, MPI.SUM, MPI.COMM_WORLD);
        assert.equal(own[0], sum(size));
      }
    },
  },
  'MAXLOC and MINLOC on pairs': {
    run: ({ MPI, rank, size, guarded }) => {
      const receive = guarded(Int32Array, 2);
      MPI.Allreduce(Int32Array.of(10 - rank, rank), receive, 1, MPI.TWO_INT, MPI.MINLOC, MPI.COMM_WORLD);
      assert.deepEqual([...receive], [11 - size, size - 1]);
      MPI.Allreduce(Int32Array.of(10 - rank, rank), receive, 1, MPI.TWO_INT, MPI.MAXLOC, MPI.COMM_WORLD);
      assert.deepEqual([...receive], [10, 0]);
      assert.equal(MPI.Type_size(MPI.DOUBLE_INT), 12);
    },
  },
  'Scan, Exscan and their non-blocking forms': {
    run: ({ MPI, rank, guarded }) => {
      for (const scan of both(MPI, MPI.Scan, MPI.Iscan)) {
        const receive = guarded(Int32Array, 1);
        scan(guarded(Int32Array, 1).fill(rank), receive, 1, MPI.INT, MPI.SUM, MPI.COMM_WORLD);
        assert.equal(receive[0], sum(rank + 1));
      }
      for (const exscan of both(MPI, MPI.Exscan, MPI.Iexscan)) {
        const own = guarded(Int32Array, 1).fill(rank);
        exscan(MPI.IN_PLACE, own, 1, MPI.INT, MPI.SUM, MPI.COMM_WORLD);
        if (rank > 0) assert.equal(own[0], sum(rank));
      }
    },
  },
  'Reduce_scatter_block and Ireduce_scatter_block': {
    run: ({ MPI, rank, size, guarded }) => {
      for (const call of both(MPI, MPI.Reduce_scatter_block, MPI.Ireduce_scatter_block)) {
        const send = guarded(Int32Array, 2 * size);
        send.forEach((_, i) => (send[i] = i + rank));
        const receive = guarded(Int32Array, 2);
        call(send, receive, 2, MPI.INT, MPI.SUM, MPI.COMM_WORLD);
        const expected = [2 * rank * size + sum(size), (2 * rank + 1) * size + sum(size)];
        assert.deepEqual([...receive], expected);
        call(MPI.IN_PLACE, send, 2, MPI.INT, MPI.SUM, MPI.COMM_WORLD);
        assert.deepEqual([...send.subarray(0, 2)], expected);
      }
    },
  },
  'Reduce_scatter and Ireduce_scatter, with uneven counts': {
    run: ({ MPI, rank, size, guarded }) => {
      const counts = range(size, (each) => each + 1);
      for (const call of both(MPI, MPI.Reduce_scatter, MPI.Ireduce_scatter)) {
        const send = guarded(Int32Array, sum(size + 1)).fill(1);
        const receive = guarded(Int32Array, rank + 1);
        call(send, receive, counts, MPI.INT, MPI.SUM, MPI.COMM_WORLD);
        assert.ok(receive.every((value) => value === size));
        call(MPI.IN_PLACE, send, Int32Array.from(counts), MPI.INT, MPI.SUM, MPI.COMM_WORLD);
        assert.ok(send.subarray(0, rank + 1).every((value) => value === size));
      }
    },
  },
  'Gather and Igather, to every root, in place too': {
    run: each(({ MPI, rank, size, guarded }, root) => {
      const expected = range(size, (each) => [each, each]).flat();
      for (const gather of both(MPI, MPI.Gather, MPI.Igather)) {
        const own = guarded(Int16Array, 2).fill(rank);
        const receive = rank === root ? guarded(Int16Array, 2 * size) : null;
        gather(own, 2, MPI.SHORT, receive, 2, MPI.SHORT, root, MPI.COMM_WORLD);
        if (receive) assert.deepEqual([...receive], expected);
        receive?.fill(-1).fill(root, 2 * root, 2 * root + 2);
        gather(receive ? MPI.IN_PLACE : own, 2, MPI.SHORT, receive, 2, MPI.SHORT, root, MPI.COMM_WORLD);
        if (receive) assert.deepEqual([...receive], expected);
      }
    }),
  },
  'Scatter and Iscatter, from every root, in place too': {
    run: each(({ MPI, rank, size, guarded }, root) => {
      for (const scatter of both(MPI, MPI.Scatter, MPI.Iscatter)) {
        const all = rank === root ? guarded(Int32Array, 2 * size) : null;
        all?.forEach((_, i) => (all[i] = i));
        const own = guarded(Int32Array, 2);
        scatter(all, 2, MPI.INT, own, 2, MPI.INT, root, MPI.COMM_WORLD);
        assert.deepEqual([...own], [2 * rank, 2 * rank + 1]);
        own.fill(-1);
        scatter(all, 2, MPI.INT, all ? MPI.IN_PLACE : own, 2, MPI.INT, root, MPI.COMM_WORLD);
        assert.deepEqual([...own], all ? [-1, -1] : [2 * rank, 2 * rank + 1]);
      }
    }),
  },
  'Gatherv and Igatherv, with uneven counts and gaps': {
    run: each(({ MPI, rank, size, guarded }, root) => {
      const { counts, displs, total } = uneven(size);
      for (const gatherv of both(MPI, MPI.Gatherv, MPI.Igatherv)) {
        const own = guarded(Int32Array, rank + 1).fill(rank + 1);
        const world = MPI.COMM_WORLD;
        if (rank !== root) {
          gatherv(own, rank + 1, MPI.INT, null, null, null, MPI.INT, root, world);
          continue;
        }
        const receive = guarded(Int32Array, total);
        gatherv(own, rank + 1, MPI.INT, receive, counts, displs, MPI.INT, root, world);
        assert.deepEqual([...receive], range(size, (each) => [...Array<number>(each + 1).fill(each + 1), 0]).flat());
      }
    }),
  },
  'Scatterv and Iscatterv, with uneven counts and gaps': {
    run: each(({ MPI, rank, size, guarded }, root) => {
      const { counts, displs, total } = uneven(size);
      for (const scatterv of both(MPI, MPI.Scatterv, MPI.Iscatterv)) {
        const own = guarded(Float64Array, rank + 1);
        const world = MPI.COMM_WORLD;
        if (rank === root) {
          const all = guarded(Float64Array, total);
          displs.forEach((start, each) => all.fill(each + 0.5, start, start + each + 1));
          scatterv(all, counts, displs, MPI.DOUBLE, own, rank + 1, MPI.DOUBLE, root, world);
        } else {
          scatterv(null, null, null, MPI.DOUBLE, own, rank + 1, MPI.DOUBLE, root, world);
        }
        assert.ok(own.every((value) => value === rank + 0.5));
      }
    }),
  },
  'Allgather and Iallgather, in place too': {
    run: ({ MPI, rank, size, guarded }) => {
      const expected = range(size, (each) => [each, each + 100]).flat();
      for (const allgather of both(MPI, MPI.Allgather, MPI.Iallgather)) {
        const own = guarded(Int32Array, 2);
        own.set([rank, rank + 100]);
        const receive = guarded(Int32Array, 2 * size);
        allgather(own, 2, MPI.INT, receive, 2, MPI.INT, MPI.COMM_WORLD);
        assert.deepEqual([...receive], expected);
        receive.fill(-1).set(own, 2 * rank);
        allgather(MPI.IN_PLACE, 0, MPI.DATATYPE_NULL, receive, 2, MPI.INT, MPI.COMM_WORLD);
        assert.deepEqual([...receive], expected);
      }
    },
  },
  'Allgatherv and Iallgatherv, with uneven counts and gaps': {
    run: ({ MPI, rank, size, guarded }) => {
      const { counts, displs, total } = uneven(size);
      for (const allgatherv of both(MPI, MPI.Allgatherv, MPI.Iallgatherv)) {
        const own = guarded(Uint8Array, rank + 1).fill(rank + 1);
        const receive = guarded(Uint8Array, total);
        allgatherv(own, rank + 1, MPI.BYTE, receive, counts, displs, MPI.BYTE, MPI.COMM_WORLD);
        assert.deepEqual([...receive], range(size, (each) => [...Array<number>(each + 1).fill(each + 1), 0]).flat());
      }
    },
  },
  'Alltoall and Ialltoall, in place too': {
    run: ({ MPI, rank, size, guarded }) => {
      const expected = range(size, (each) => [each * 10 + rank, each * 10 + rank]).flat();
      for (const alltoall of both(MPI, MPI.Alltoall, MPI.Ialltoall)) {
        const send = guarded(Int32Array, 2 * size);
        send.forEach((_, i) => (send[i] = rank * 10 + Math.floor(i / 2)));
        const receive = guarded(Int32Array, 2 * size);
        alltoall(send, 2, MPI.INT, receive, 2, MPI.INT, MPI.COMM_WORLD);
        assert.deepEqual([...receive], expected);
      }
      const own = guarded(Int32Array, size);
      own.forEach((_, i) => (own[i] = rank * 10 + i));
      MPI.Alltoall(MPI.IN_PLACE, 0, MPI.INT, own, 1, MPI.INT, MPI.COMM_WORLD);
      assert.deepEqual(
        [...own],
        range(size, (each) => each * 10 + rank),
      );
    },
  },
  'Alltoallv and Ialltoallv, with uneven counts': {
    run: ({ MPI, rank, size, guarded }) => {
      // Rank r sends r + 1 elements to everyone.
      const sendDispls = range(size, (each) => each * (rank + 1));
      const sendCounts = range(size, () => rank + 1);
      const { counts, displs, total } = uneven(size);
      for (const alltoallv of both(MPI, MPI.Alltoallv, MPI.Ialltoallv)) {
        const send = guarded(Int32Array, size * (rank + 1)).fill(rank);
        const receive = guarded(Int32Array, total).fill(-1);
        const world = MPI.COMM_WORLD;
        alltoallv(send, sendCounts, sendDispls, MPI.INT, receive, counts, displs, MPI.INT, world);
        assert.deepEqual([...receive], range(size, (each) => [...Array<number>(each + 1).fill(each), -1]).flat());
      }
    },
  },
  'Alltoallw and Ialltoallw, with a type for each rank': {
    run: ({ MPI, rank, size, guarded }) => {
      const types = range(size, (each) => ((rank + each) % 2 === 0 ? MPI.INT : MPI.FLOAT));
      const displs = range(size, (each) => each * 4);
      const ones = range(size, () => 1);
      for (const alltoallw of both(MPI, MPI.Alltoallw, MPI.Ialltoallw)) {
        const send = guarded(Int32Array, size).fill(rank + 1);
        const receive = guarded(Int32Array, size);
        alltoallw(send, ones, displs, types, receive, ones, displs, types, MPI.COMM_WORLD);
        assert.deepEqual(
          [...receive],
          range(size, (each) => each + 1),
        );
      }
    },
  },
  'non-blocking calls leave their arrays to the garbage collector only when done': {
    run: ({ MPI, rank, size, guarded }) => {
      const receive = guarded(Int32Array, size);
      const request = MPI.Ialltoallv(
        new Int32Array(size).fill(rank),
        Array<number>(size).fill(1),
        range(size, (each) => each),
        MPI.INT,
        receive,
        Array<number>(size).fill(1),
        range(size, (each) => each),
        MPI.INT,
        MPI.COMM_WORLD,
      );
      collect();
      MPI.Wait(request);
      assert.deepEqual(
        [...receive],
        range(size, (each) => each),
      );
    },
  },
};
