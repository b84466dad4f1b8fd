import { expect } from 'chai';
import fc from 'fast-check';
import { copy, EngineBuffer, fill, jsExecutor, nativeExecutor, releaseOperation } from '../../src/engine/index.js';
import { testOperations } from './test-addon.js';
import { runCase } from './run-case.js';

const test = testOperations();
type Resizable<T> = new (length: number, options: { maxByteLength: number }) => T;

/** Buffers that TypeScript's library of this target doesn't know yet. */
function resizableBuffers(): [ArrayBuffer, SharedArrayBuffer] {
  return [
    new (ArrayBuffer as Resizable<ArrayBuffer>)(8, { maxByteLength: 16 }),
    new (SharedArrayBuffer as Resizable<SharedArrayBuffer>)(8, { maxByteLength: 16 }),
  ];
}

const detach = (buffer: ArrayBuffer): void => void structuredClone(buffer, { transfer: [buffer] });

describe('engine buffers', () => {
  it('are page-aligned, zero, and as long as asked for', () => {
    for (const byteLength of [1, 4095, 4096, 1_000_001]) {
      const buffer = EngineBuffer.allocate(byteLength);
      expect(buffer.byteLength).to.equal(byteLength);
      expect(buffer.address % 4096n).to.equal(0n);
      expect(buffer.view().every((byte) => byte === 0)).to.equal(true);
      buffer.free();
    }
  });

  it('take any power of two as alignment', () => {
    for (const alignment of [8, 64, 65536, 2 ** 21]) {
      expect(EngineBuffer.allocate(10, { alignment }).address % BigInt(alignment)).to.equal(0n);
    }
    for (const alignment of [0, 4, 12, 4097, 1.5, NaN]) {
      expect(() => EngineBuffer.allocate(10, { alignment })).to.throw(RangeError, /alignment must be/);
    }
  });

  it('may be empty', () => {
    const buffer = EngineBuffer.allocate(0);
    expect(buffer.view().length).to.equal(0);
    buffer.free();
  });

  it('refuse sizes that are none or that no memory holds', () => {
    for (const size of [-1, 1.5, NaN, Infinity]) {
      expect(() => EngineBuffer.allocate(size)).to.throw(RangeError, /byteLength must be a whole number/);
    }
    expect(() => EngineBuffer.allocate(2 ** 52)).to.throw(
      RangeError,
      /there is no memory for an engine buffer of 4503/,
    );
  });

  it('share their memory with every view', () => {
    const buffer = EngineBuffer.allocate(100);
    buffer.view()[42] = 7;
    expect(buffer.view(40, 5)[2]).to.equal(7);
    expect(new Uint8Array(buffer.view().buffer, 42, 1)[0]).to.equal(7);
    test.increment(buffer)();
    expect(buffer.view()[0]).to.equal(1);
  });

  it('refuse views beyond their end', () => {
    const buffer = EngineBuffer.allocate(100);
    expect(buffer.view(100).length).to.equal(0);
    for (const [offset, length] of [
      [0, 101],
      [101, 0],
      [50, 51],
      [-1, 5],
      [0.5, 1],
    ] as const) {
      expect(() => buffer.view(offset, length)).to.throw(RangeError);
    }
  });

  it('detach their views when they are freed, and can not be used any more', () => {
    const buffer = EngineBuffer.allocate(100);
    const view = buffer.view(10, 20);
    buffer.free();
    buffer.free();
    expect(view.length).to.equal(0);
    expect(buffer.freed).to.equal(true);
    expect(buffer.byteLength).to.equal(0);
    expect(() => buffer.view()).to.throw('the engine buffer was freed');
    expect(() => buffer.address).to.throw('the engine buffer was freed');
  });

  it('can not be freed while an operation holds them', () => {
    const buffer = EngineBuffer.allocate(100);
    const first = fill(buffer, { sender: 0, length: 100 });
    const second = test.increment(buffer.view(50));
    expect(() => buffer.free()).to.throw("can't be freed: 2 operations or memory regions still hold it");
    releaseOperation(first);
    expect(() => buffer.free()).to.throw("can't be freed: an operation or memory region still holds it");
    expect(buffer.view()[50]).to.equal(0);
    second();
    expect(buffer.view()[50]).to.equal(1);
    releaseOperation(second);
    buffer.free();
    expect(() => second()).to.throw('increment failed: it was released');
  });
});

describe('bytes that operations take', () => {
  it('are those of any view or buffer, without a copy', () => {
    const memory = new ArrayBuffer(64);
    const at = (value: unknown): bigint => test.bytesOf(value).address;
    const start = at(memory);
    expect(test.bytesOf(memory)).to.include({ byteLength: 64, element: -1, inEngineBuffer: false });
    expect(test.bytesOf(new Uint16Array(memory, 4, 3))).to.include({ byteLength: 6, element: 4, address: start + 4n });
    expect(test.bytesOf(new DataView(memory, 8, 5))).to.include({ byteLength: 5, element: -1, address: start + 8n });
    expect(test.bytesOf(Buffer.from(memory, 16, 7))).to.include({ byteLength: 7, element: 1, address: start + 16n });
    expect(test.bytesOf(new Uint8Array(new SharedArrayBuffer(16), 2))).to.include({ byteLength: 14 });
  });

  const elements: [new (length: number) => ArrayBufferView, number, number][] = [
    [Int8Array, 0, 1],
    [Uint8Array, 1, 1],
    [Uint8ClampedArray, 2, 1],
    [Int16Array, 3, 2],
    [Uint16Array, 4, 2],
    [Int32Array, 5, 4],
    [Uint32Array, 6, 4],
    [Float32Array, 7, 4],
    [Float64Array, 8, 8],
    [BigInt64Array, 9, 8],
    [BigUint64Array, 10, 8],
  ];
  for (const [Type, element, width] of elements) {
    it(`tell a ${Type.name}`, () => {
      expect(test.bytesOf(new Type(3))).to.include({ element, byteLength: 3 * width });
    });
  }

  it('are an engine buffer’s, also through a view', () => {
    const buffer = EngineBuffer.allocate(32);
    expect(test.bytesOf(buffer)).to.include({ byteLength: 32, inEngineBuffer: true, address: buffer.address });
    const view = new Float64Array(buffer.view().buffer, 8, 2);
    expect(test.bytesOf(view)).to.include({ byteLength: 16, element: 8, inEngineBuffer: true });
    expect(test.bytesOf(view).address).to.equal(buffer.address + 8n);
  });

  it('are not those of other values', () => {
    for (const value of [undefined, null, 5, 'text', {}, [1, 2], () => undefined, new SharedArrayBuffer(8)]) {
      expect(() => test.bytesOf(value)).to.throw(TypeError, /^the value must be an EngineBuffer, an ArrayBuffer/);
    }
  });

  it('are refused where memory is gone or may move', () => {
    const detached = new ArrayBuffer(8);
    const view = new Uint8Array(detached);
    detach(detached);
    for (const value of [detached, view]) expect(() => test.bytesOf(value)).to.throw(TypeError, /is detached/);
    const [resizable, growable] = resizableBuffers();
    for (const value of [resizable, new Uint8Array(resizable), new Uint8Array(growable)]) {
      expect(() => test.bytesOf(value)).to.throw(TypeError, /resizable ArrayBuffer, whose memory may move/);
    }
    const freed = EngineBuffer.allocate(8);
    const freedView = freed.view();
    freed.free();
    expect(() => test.bytesOf(freed)).to.throw(TypeError, /was freed: allocate a new one/);
    expect(() => test.bytesOf(freedView)).to.throw(TypeError, /is detached/);
  });

  for (const executor of [nativeExecutor, jsExecutor]) {
    it(`are looked at again when a program starts (${executor.name})`, () => {
      const memory = new ArrayBuffer(8);
      const operation = test.increment(new Uint8Array(memory));
      executor.start({ timed: [operation] }).finish();
      detach(memory);
      expect(() => executor.start({ timed: [operation] })).to.throw(
        TypeError,
        'timed[0] (increment) uses a buffer that was detached since: build the operation anew',
      );
      expect(() => executor.start({ timed: [test.count()], drain: [operation] })).to.throw(TypeError, /^drain\[0\]/);
    });

    it(`refuse a released operation (${executor.name})`, () => {
      const operation = test.count();
      const run = executor.start({ timed: [operation] });
      expect(() => {
        releaseOperation(operation);
      }).to.throw('count belongs to a run or to another operation');
      run.finish();
      releaseOperation(operation);
      expect(() => executor.start({ timed: [operation] })).to.throw(TypeError, 'timed[0] (count) was released');
    });
  }

  it('stay alive while anything holds them, and go when nothing does', () => {
    const { code, stdout, stderr } = runCase('garbage', { node: ['--expose-gc'] });
    expect(stderr).to.equal('');
    expect(stdout.trim().split('\n')).to.deep.equal([
      'views keep the memory: true',
      'operations keep the memory: true',
      'the run keeps the operations and their buffers: true',
      'all operations are destroyed in the end: true',
      'memory goes back: true',
    ]);
    expect(code).to.equal(0);
  });
});

describe('copy', () => {
  it('copies any length between any buffers', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(50), (bytes, extra) => {
      const target = EngineBuffer.allocate(bytes.length + extra);
      copy(bytes, target, bytes.length)();
      expect([...target.view(0, bytes.length)]).to.deep.equal([...bytes]);
      expect(target.view(bytes.length).every((byte) => byte === 0)).to.equal(true);
    });
    fc.assert(property);
  });

  it('refuses lengths beyond either buffer', () => {
    expect(() => copy(new Uint8Array(4), new Uint8Array(5), 5)).to.throw(
      RangeError,
      /the buffer to copy from has 4 bytes/,
    );
    expect(() => copy(new Uint8Array(5), new Uint8Array(4), 5)).to.throw(
      RangeError,
      /the buffer to copy to has 4 bytes/,
    );
  });
});
