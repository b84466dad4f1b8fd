import { strict as assert } from 'node:assert';
import type { Datatype } from '../../../src/mpi/types.js';
import { refused, refusedByMpi, type CaseContext, type Cases } from './support.js';

/** Sends `count` elements of a type to itself, and receives them as plain integers: the order that the type means. */
function packed({ MPI, guarded }: CaseContext, data: Int32Array, count: number, type: Datatype): number[] {
  const length = (count * MPI.Type_size(type)) / 4;
  const flat = guarded(Int32Array, length);
  MPI.Sendrecv(data, count, type, 0, 0, flat, length, MPI.INT, 0, 0, MPI.COMM_SELF);
  return [...flat];
}

/** Receives plain integers into `count` elements of a type. */
function unpacked({ MPI, guarded }: CaseContext, length: number, count: number, type: Datatype): number[] {
  const room = guarded(Int32Array, length);
  const flat = Int32Array.from({ length: (count * MPI.Type_size(type)) / 4 }, (_, i) => i + 1);
  MPI.Sendrecv(flat, flat.length, MPI.INT, 0, 0, room, count, type, 0, 0, MPI.COMM_SELF);
  return [...room];
}

function committed({ MPI }: CaseContext, type: Datatype): Datatype {
  MPI.Type_commit(type);
  return type;
}

const numbers = (length: number): Int32Array => Int32Array.from({ length }, (_, i) => i);

export const datatypes: Cases = {
  Type_contiguous: {
    run: (context) => {
      const { MPI } = context;
      const type = committed(context, MPI.Type_contiguous(3, MPI.INT));
      assert.equal(MPI.Type_size(type), 12);
      assert.deepEqual(MPI.Type_get_extent(type), { lb: 0, extent: 12 });
      assert.deepEqual(packed(context, numbers(6), 2, type), [0, 1, 2, 3, 4, 5]);
      refused(
        () => packed(context, numbers(5), 2, type),
        /sendbuf is too small: 2 elements .* need 24 bytes, it has 20/,
      );
    },
  },
  Type_vector: {
    run: (context) => {
      const { MPI } = context;
      const type = committed(context, MPI.Type_vector(3, 2, 4, MPI.INT));
      assert.equal(MPI.Type_size(type), 24);
      assert.deepEqual(MPI.Type_get_extent(type), { lb: 0, extent: 40 });
      assert.deepEqual(packed(context, numbers(10), 1, type), [0, 1, 4, 5, 8, 9]);
      assert.deepEqual(unpacked(context, 10, 1, type), [1, 2, 0, 0, 3, 4, 0, 0, 5, 6]);
      // The last gap is not part of it: 39 bytes are too few, 40 enough.
      refused(() => MPI.Send(new Uint8Array(39), 1, type, 0, 0, MPI.COMM_SELF), /needs? 40 bytes, it has 39/);
    },
  },
  Type_create_hvector: {
    run: (context) => {
      const type = committed(context, context.MPI.Type_create_hvector(2, 1, 12, context.MPI.INT));
      assert.deepEqual(packed(context, numbers(4), 1, type), [0, 3]);
    },
  },
  'Type_indexed and Type_create_hindexed': {
    run: (context) => {
      const { MPI } = context;
      const elements = committed(context, MPI.Type_indexed([1, 2], [3, 0], MPI.INT));
      assert.deepEqual(packed(context, numbers(4), 1, elements), [3, 0, 1]);
      const bytes = committed(context, MPI.Type_create_hindexed(Int32Array.of(1, 2), [8, 0], MPI.INT));
      assert.deepEqual(packed(context, numbers(3), 1, bytes), [2, 0, 1]);
      refused(() => MPI.Type_indexed([1, 2], [3], MPI.INT), /displacements must be as long as/, RangeError);
    },
  },
  Type_create_struct: {
    run: ({ MPI, guarded }) => {
      const type = MPI.Type_create_struct([1, 2, 1], [0, 8, 24], [MPI.INT, MPI.DOUBLE, MPI.BYTE]);
      MPI.Type_commit(type);
      assert.equal(MPI.Type_size(type), 21);
      const send = new DataView(new ArrayBuffer(25));
      const bytes = guarded(Uint8Array, 25);
      const receive = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      send.setInt32(0, 42, true);
      send.setInt32(4, 43, true); // a gap
      send.setFloat64(8, 0.5, true);
      send.setFloat64(16, 1.5, true);
      send.setUint8(24, 7);
      MPI.Sendrecv(send, 1, type, 0, 0, receive, 1, type, 0, 0, MPI.COMM_SELF);
      assert.deepEqual([receive.getInt32(0, true), receive.getInt32(4, true)], [42, 0]);
      assert.deepEqual(
        [receive.getFloat64(8, true), receive.getFloat64(16, true), receive.getUint8(24)],
        [0.5, 1.5, 7],
      );
      refused(
        () => MPI.Type_create_struct([1], [0], [MPI.INT, MPI.INT]),
        /array_of_types must be as long as/,
        RangeError,
      );
    },
  },
  'Type_create_resized: one column of a matrix after another': {
    run: (context) => {
      const { MPI } = context;
      const column = MPI.Type_vector(2, 1, 3, MPI.INT);
      const resized = committed(context, MPI.Type_create_resized(column, 0, 4));
      assert.deepEqual(MPI.Type_get_extent(resized), { lb: 0, extent: 4 });
      assert.deepEqual(MPI.Type_get_true_extent(resized), { lb: 0, extent: 16 });
      assert.deepEqual(packed(context, numbers(6), 3, resized), [0, 3, 1, 4, 2, 5]);
      assert.deepEqual(unpacked(context, 6, 3, resized), [1, 3, 5, 2, 4, 6]);
      // Extent-aware: 3 columns end at byte 2 * 4 + 16.
      refused(() => packed(context, numbers(5), 3, resized), /need 24 bytes, it has 20/, RangeError);
    },
  },
  'bytes before the buffer are refused': {
    run: (context) => {
      const { MPI } = context;
      const before = committed(context, MPI.Type_create_hindexed([1], [-4], MPI.INT));
      refused(() => MPI.Send(numbers(4), 1, before, 0, 0, MPI.COMM_SELF), /4 bytes before its start/, RangeError);
      const backwards = committed(context, MPI.Type_create_resized(MPI.INT, 0, -8));
      refused(() => MPI.Send(numbers(8), 3, backwards, 0, 0, MPI.COMM_SELF), /16 bytes before its start/, RangeError);
    },
  },
  'counts above INT_MAX': {
    run: ({ MPI }) => {
      const count = 2 ** 33 + 5;
      const big = MPI.Type_contiguous(count, MPI.SHORT);
      assert.equal(MPI.Type_size(big), 2 * count);
      assert.deepEqual(MPI.Type_get_extent(big), { lb: 0, extent: 2 * count });
      refused(
        () => MPI.Send(new Uint8Array(8), count, MPI.SHORT, 0, 0, MPI.COMM_SELF),
        /need 17179869194 bytes, it has 8/,
      );
      refused(
        () => MPI.Allreduce(MPI.IN_PLACE, new Uint8Array(8), 2 ** 31, MPI.BYTE, MPI.BOR, MPI.COMM_SELF),
        /a reduction takes at most 2147483647 elements, not 2147483648: split it/,
        RangeError,
      );
      // Elements without bytes: the count alone is big, and arrives as it was sent.
      const nothing = MPI.Type_contiguous(0, MPI.INT);
      MPI.Type_commit(nothing);
      MPI.Sendrecv(null, count, nothing, 0, 0, null, count, nothing, 0, 0, MPI.COMM_SELF);
      MPI.Bcast(null, count, nothing, 0, MPI.COMM_WORLD);
    },
  },
  'Type_dup, Type_get_name and Type_free': {
    run: ({ MPI }) => {
      const type = MPI.Type_dup(MPI.INT);
      assert.equal(MPI.Type_size(type), 4);
      assert.equal(MPI.Type_get_name(MPI.INT), 'MPI_INT');
      MPI.Type_free(type);
      refused(() => MPI.Type_size(type), /^MPI_Type_size: datatype has been freed$/);
      refusedByMpi(MPI, () => MPI.Type_free(MPI.INT), 'MPI_ERR_TYPE');
    },
  },
  'sizes of the basic types': {
    run: ({ MPI }) => {
      const sizes = [MPI.CHAR, MPI.SHORT, MPI.INT, MPI.LONG, MPI.FLOAT, MPI.DOUBLE].map((type) => MPI.Type_size(type));
      assert.deepEqual(sizes, [1, 2, 4, 8, 4, 8]);
      assert.deepEqual([MPI.Type_size(MPI.LONG_DOUBLE), MPI.Type_size(MPI.WCHAR)], [16, 4]);
    },
  },
};
