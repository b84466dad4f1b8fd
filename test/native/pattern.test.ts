import { expect } from 'chai';
import fc from 'fast-check';
import { check, checkResult, copy, EngineBuffer, fill, nativeExecutor } from '../../src/engine/index.js';
import type { CheckOptions } from '../../src/engine/index.js';
import { testOperations } from './test-addon.js';

const test = testOperations();
const lengths = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 5000 }));
const numbers = fc.oneof(fc.nat(3), fc.nat(2 ** 31 - 1));

/** The pattern's bytes, as `fill` writes them in iteration 0. */
function pattern(options: { sender: number; length: number; slot?: number }): Uint8Array {
  const bytes = new Uint8Array(options.length);
  fill(bytes, options)();
  return bytes;
}

function found(bytes: Uint8Array, options: CheckOptions): ReturnType<typeof checkResult> {
  const operation = check(bytes, options);
  operation();
  return checkResult(operation);
}

describe('fill and check', () => {
  it('agree, wherever the data lie', () => {
    const property = fc.property(lengths, numbers, numbers, fc.nat(20), (length, sender, slot, offset) => {
      const bytes = new Uint8Array(offset + length + 9).fill(0xee);
      fill(bytes, { sender, slot, length, offset })();
      expect(found(bytes, { sender, slot, length, offset })).to.deep.equal({ checked: length, errors: 0 });
      const around = [...bytes.subarray(0, offset), ...bytes.subarray(offset + length)];
      expect(around.every((byte) => byte === 0xee)).to.equal(true);
      expect([...bytes.subarray(offset, offset + length)]).to.deep.equal([...pattern({ sender, slot, length })]);
    });
    fc.assert(property);
  });

  it('find every wrong byte, count them, and tell the first', () => {
    const property = fc.property(
      lengths.chain((length) =>
        fc.record({
          length: fc.constant(length),
          wrong: fc.uniqueArray(fc.nat(length - 1), { minLength: 1, maxLength: 5 }),
        }),
      ),
      fc.integer({ min: 1, max: 255 }),
      fc.nat(12),
      ({ length, wrong }, flip, offset) => {
        const bytes = new Uint8Array(offset + length);
        fill(bytes, { sender: 3, length, offset })();
        for (const index of wrong) bytes[offset + index] = (bytes[offset + index] ?? 0) ^ flip;
        const result = found(bytes, { sender: 3, length, offset });
        const first = Math.min(...wrong);
        expect(result.errors).to.equal(wrong.length);
        expect(result.first).to.include({ offset: first, iteration: 0, got: bytes[offset + first] });
        expect((result.first?.expected ?? 0) ^ (result.first?.got ?? 0)).to.equal(flip);
      },
    );
    fc.assert(property);
  });

  it('find a single wrong bit at each place of a message', () => {
    for (const length of [1, 7, 8, 9, 511, 512, 513, 1100]) {
      const bytes = pattern({ sender: 1, length });
      for (let index = 0; index < length; index++) {
        bytes[index] = (bytes[index] ?? 0) ^ 1;
        expect(found(bytes, { sender: 1, length })).to.nested.include({ errors: 1, 'first.offset': index });
        bytes[index] = (bytes[index] ?? 0) ^ 1;
      }
    }
  });

  it('tell an odd sender from an even one by every byte', () => {
    const property = fc.property(lengths, fc.nat(1000), fc.nat(1000), (length, half, otherHalf) => {
      const bytes = pattern({ sender: 2 * half, length });
      expect(found(bytes, { sender: 2 * otherHalf + 1, length }).errors).to.equal(length);
    });
    fc.assert(property);
  });

  it('tell senders and slots apart by nearly every byte', () => {
    const property = fc.property(numbers, numbers, numbers, numbers, (sender, slot, otherSender, otherSlot) => {
      fc.pre(sender !== otherSender || slot !== otherSlot);
      const bytes = pattern({ sender, slot, length: 4096 });
      expect(found(bytes, { sender: otherSender, slot: otherSlot, length: 4096 }).errors).to.be.greaterThan(3900);
    });
    fc.assert(property);
  });

  it('find data that lie one byte or one word off', () => {
    for (const shift of [1, 8]) {
      const bytes = pattern({ sender: 1, length: 1000 }).subarray(shift);
      expect(found(bytes, { sender: 1, length: bytes.length }).errors).to.be.greaterThan(900);
    }
  });

  it('agree in every iteration of a run', () => {
    const [send, receive] = [EngineBuffer.allocate(1000), EngineBuffer.allocate(1000)];
    const checking = check(receive, { sender: 5, length: 1000 });
    const before = [fill(send, { sender: 5, length: 1000 })];
    const run = nativeExecutor.start({ timed: [copy(send, receive, 1000)], untimed: { before, after: [checking] } });
    run.advance({ iterations: 600 });
    expect(checkResult(checking)).to.deep.equal({ checked: 600_000, errors: 0 });
    run.finish();
  });

  it('find data of the iteration before by every byte, also of one byte', () => {
    for (const length of [1, 13, 700]) {
      const buffer = new Uint8Array(length);
      const checking = check(buffer, { sender: 0, length });
      const run = nativeExecutor.start({
        timed: [fill(buffer, { sender: 0, length }), test.stale(buffer, length), checking],
      });
      run.advance({ iterations: 1 });
      expect(checkResult(checking).errors).to.equal(0);
      run.advance({ iterations: 599 });
      expect(checkResult(checking)).to.nested.include({ errors: 599 * length, 'first.iteration': 1 });
      run.finish();
    }
  });

  it('tell the iteration of the first wrong byte, and forget when reset', () => {
    const buffer = new Uint8Array(64);
    const checking = check(buffer, { sender: 0, length: 64 });
    const timed = [fill(buffer, { sender: 0, length: 64 }), test.corrupt(buffer, 32, 3), checking];
    const run = nativeExecutor.start({ timed });
    run.advance({ iterations: 10 });
    expect(checkResult(checking)).to.nested.include({
      errors: 1,
      checked: 640,
      'first.iteration': 3,
      'first.offset': 32,
    });
    run.warmUp(1);
    expect(checkResult(checking)).to.deep.equal({ checked: 0, errors: 0 });
    run.finish();
  });

  it('look only at the blocks of a layout', () => {
    const bytes = pattern({ sender: 1, length: 100 });
    const blocks = [
      { offset: 3, length: 5 },
      { offset: 50, length: 50 },
    ];
    for (const index of [2, 8, 49]) bytes[index] = (bytes[index] ?? 0) ^ 4;
    expect(found(bytes, { sender: 1, length: 100, blocks })).to.deep.equal({ checked: 55, errors: 0 });
    bytes[99] = (bytes[99] ?? 0) ^ 4;
    expect(found(bytes, { sender: 1, length: 100, blocks })).to.nested.include({ errors: 1, 'first.offset': 99 });
  });

  it('refuse places outside the buffer', () => {
    const bytes = new Uint8Array(10);
    expect(() => fill(bytes, { sender: 0, length: 11 })).to.throw(RangeError, /has 10 bytes, too few for 11/);
    expect(() => check(bytes, { sender: 0, length: 5, offset: 6 })).to.throw(
      RangeError,
      /too few for 5 bytes at offset 6/,
    );
    const blocks = [{ offset: 6, length: 5 }];
    expect(() => check(bytes, { sender: 0, length: 10, blocks })).to.throw(RangeError, /goes beyond the 10 bytes/);
    expect(() => fill(bytes, { sender: -1, length: 1 })).to.throw(RangeError, /sender must be/);
  });

  it('have results only for checks', () => {
    expect(() => checkResult(fill(new Uint8Array(1), { sender: 0, length: 1 }))).to.throw(
      TypeError,
      /no check operation/,
    );
    expect(() => checkResult(test.count())).to.throw(TypeError, /no check operation/);
  });
});
