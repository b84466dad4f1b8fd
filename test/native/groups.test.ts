import { expect } from 'chai';
import { OperationError } from '../../src/engine/errors.js';
import {
  copy,
  EngineBuffer,
  fill,
  jsExecutor,
  nativeExecutor,
  noop,
  releaseOperation,
  repeat,
  rotate,
  startThreads,
} from '../../src/engine/index.js';
import type { Operation } from '../../src/engine/types.js';
import { runCase } from './run-case.js';
import { testOperations } from './test-addon.js';

const test = testOperations();
const records = (marks: string): Operation[] => [...marks].map((mark) => test.record(mark));
const taken = (): string[] => test.takeJournal().map(([mark, iteration]) => `${mark}${iteration}`);

function thrown(action: () => unknown): OperationError {
  try {
    action();
  } catch (error) {
    if (error instanceof OperationError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

beforeEach(() => test.takeJournal());

for (const executor of [nativeExecutor, jsExecutor]) {
  describe(`groups of operations (${executor.name} executor)`, () => {
    for (const length of [1, 2, 3, 7]) {
      it(`rotate takes one of ${length} after the other, by the iteration`, () => {
        const marks = 'abcdefg'.slice(0, length);
        const run = executor.start({ timed: [rotate(records(marks))] });
        run.warmUp(4);
        run.advance({ iterations: 9, leadIn: 2 });
        run.advance({ iterations: 3 });
        run.finish();
        const expected = Array.from({ length: 18 }, (_, i) => `${marks.charAt(i % length)}${i}`);
        expect(taken()).to.deep.equal(expected);
      });
    }

    it('rotate takes the same turn however often it runs in an iteration', () => {
      const turns = rotate(records('xyz'));
      const run = executor.start({ timed: [turns, repeat([turns, turns], 2)], untimed: { before: [turns] } });
      run.advance({ iterations: 4 });
      run.finish();
      const expected = ['x0', 'y1', 'z2', 'x3'].flatMap((mark) => Array.from({ length: 6 }, () => mark));
      expect(taken()).to.deep.equal(expected);
    });

    it('rotate begins anew with a new run', () => {
      const turns = rotate(records('xyz'));
      for (const iterations of [2, 4]) {
        const run = executor.start({ timed: [turns] });
        run.advance({ iterations });
        run.finish();
      }
      expect(taken()).to.deep.equal(['x0', 'y1', 'x0', 'y1', 'z2', 'x3']);
    });

    it('run groups within groups', () => {
      const [a = noop(), b = noop(), c = noop()] = records('abc');
      const run = executor.start({ timed: [rotate([repeat([a, b], 2), rotate([c, b])])] });
      run.advance({ iterations: 4 });
      run.finish();
      expect(taken()).to.deep.equal(['a0', 'b0', 'a0', 'b0', 'b1', 'a2', 'b2', 'a2', 'b2', 'b3']);
    });

    it('reset all of their operations', () => {
      const [a, b, c] = [test.count(), test.count(), test.count()] as const;
      const run = executor.start({ timed: [rotate([a, repeat([b], 2), c])] });
      run.warmUp(5);
      for (const count of [a, b, c]) expect(test.counted(count)).to.deep.equal({ executed: 0, resets: 1 });
      run.advance({ iterations: 4 });
      run.finish();
      expect([a, b, c].map((count) => test.counted(count).executed)).to.deep.equal([1, 2, 2]);
    });

    const groups: [string, (failing: Operation) => Operation][] = [
      ['rotate', (failing) => rotate([test.record('x'), failing, test.record('z')])],
      ['repeat', (failing) => repeat([test.record('x'), failing, test.record('z')], 1)],
      ['groups within groups', (failing) => rotate([noop(), repeat([noop(), rotate([failing])], 3)])],
    ];
    for (const [name, group] of groups) {
      it(`tell a failure in ${name} as that of the operation that failed`, () => {
        const run = executor.start({ timed: [noop(), group(test.failAt(7, 9)), test.record('y')] });
        run.warmUp(2);
        const error = thrown(() => run.advance({ iterations: 20 }));
        expect(error.message).to.equal('failAt failed in iteration 7: test failure 9 (test code 9)');
        expect(error).to.include({ operation: 'failAt', stackName: 'test', code: 9, completed: 5 });
        expect(taken().at(-1)).to.equal(name === 'repeat' ? 'x7' : 'y6');
        run.finish();
      });
    }
  });
}

describe('groups of operations', () => {
  it('tell a failure outside of runs too', () => {
    const error = thrown(rotate([repeat([noop(), test.failAt(undefined, 5)], 2)]));
    expect(error.message).to.equal('failAt failed: test failure 5 (test code 5)');
    const whole = repeat([rotate([noop(), noop()])], 3);
    whole();
    expect(thrown(test.failAt(undefined, 6)).operation).to.equal('failAt');
  });

  it('refuse what is no list of operations', () => {
    expect(() => rotate([])).to.throw(RangeError, 'rotate needs at least one operation');
    const mixed = [noop(), {} as Operation];
    expect(() => rotate(mixed)).to.throw(TypeError, /^operations\[1\] is not an operation/);
    expect(() => repeat(mixed, 2)).to.throw(TypeError, /^operations\[1\] is not an operation/);
    const [first = noop()] = mixed;
    releaseOperation(first);
  });

  it('hold their operations, and let go of them when released', () => {
    const buffers = [EngineBuffer.allocate(8), EngineBuffer.allocate(8)];
    const fills = buffers.map((buffer) => fill(buffer, { sender: 0, length: 8 }));
    const turns = rotate(fills);
    for (const one of fills) {
      expect(() => {
        releaseOperation(one);
      }).to.throw('fill belongs to a run or to another operation');
    }
    const run = nativeExecutor.start({ timed: [turns] });
    expect(() => {
      releaseOperation(turns);
    }).to.throw('rotate belongs to a run or to another operation');
    run.finish();
    releaseOperation(turns);
    fills.forEach(releaseOperation);
    for (const buffer of buffers) buffer.free();
    expect(turns).to.throw(OperationError, 'rotate failed: it was released: build a new one');
  });

  it('notice memory that is gone below them', () => {
    const array = new Uint8Array(8);
    const turns = rotate([noop(), repeat([copy(array, new Uint8Array(8), 8)], 1)]);
    structuredClone(array, { transfer: [array.buffer] });
    expect(() => nativeExecutor.start({ timed: [turns] })).to.throw(TypeError, /uses a buffer that was detached since/);
  });

  it('work on several threads only where all their operations do', () => {
    const single = rotate([noop(), test.count(false)]);
    expect(() => startThreads([{ timed: [single] }])).to.throw(
      TypeError,
      /^programs\[0\] holds (rotate|count), which works/,
    );
    const run = startThreads(['abc', 'xy'].map((marks) => ({ timed: [rotate(records(marks))] })));
    run.advance({ iterations: 4 });
    run.finish();
    expect(taken().sort()).to.deep.equal(['a0', 'a3', 'b1', 'c2', 'x0', 'x2', 'y1', 'y3']);
  });

  it('and all others stay alive while anything holds them, and go when nothing does', () => {
    const { code, stdout, stderr } = runCase('held', { node: ['--expose-gc'] });
    expect(stderr).to.equal('');
    expect(stdout.trim().split('\n')).to.deep.equal([
      'a rotation keeps its operations and their memory: true',
      'a run keeps what its rotations hold: true',
      'an array of timestamps stays: true',
      'a reduction’s buffers stay: true',
      'everything goes in the end: true',
    ]);
    expect(code).to.equal(0);
  });
});
