import { assert } from 'chai';
import fc from 'fast-check';
import { blocksWithin, transmitElements } from '../../src/transport/mpi-layout.js';

describe('layouts of messages', () => {
  it('move what OMB moves with -D vect:8:4', () => {
    const layout = { kind: 'vect', stride: 8, block: 4 } as const;
    assert.deepEqual(
      [8, 16, 32, 64].map((size) => transmitElements(layout, size)),
      [4, 8, 16, 32],
    );
    assert.equal(transmitElements(layout, 7), 0);
  });
  it('move everything without gaps', () => {
    assert.equal(transmitElements(undefined, 5), 5);
    assert.equal(transmitElements({ kind: 'cont' }, 5), 5);
  });
  it('take of an index file what lies within the message', () => {
    const blocks = [
      { length: 2, displacement: 0 },
      { length: 4, displacement: 6 },
      { length: 1, displacement: 20 },
    ];
    assert.deepEqual(blocksWithin(blocks, 8), { lengths: [2, 2], displacements: [0, 6] });
    assert.equal(transmitElements({ kind: 'indx', file: 'x', blocks }, 8), 4);
    assert.equal(transmitElements({ kind: 'indx', file: 'x', blocks }, 100), 7);
  });
  it('never reach beyond the message', () => {
    const block = fc.record({ length: fc.integer({ min: 1, max: 50 }), displacement: fc.nat(100) });
    fc.assert(
      fc.property(fc.array(block), fc.nat(120), (blocks, elements) => {
        const { lengths, displacements } = blocksWithin(blocks, elements);
        lengths.forEach((length, i) => {
          assert.isAbove(length, 0);
          assert.isAtMost(length + (displacements[i] ?? 0), elements);
        });
      }),
    );
  });
});
