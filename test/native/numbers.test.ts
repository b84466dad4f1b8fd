import { expect } from 'chai';
import fc from 'fast-check';
import {
  checkNumbers,
  checkReduction,
  checkResult,
  fillNumbers,
  jsExecutor,
  nativeExecutor,
  numberTypes,
  releaseOperation,
  type CheckResult,
  type NumbersOptions,
} from '../../src/engine/index.js';
import { REDUCTION_TYPES } from '../../src/cli/datatypes.js';
import type { Operation } from '../../src/engine/types.js';
import { testOperations } from './test-addon.js';

const test = testOperations();

/** One number of a type as JavaScript sees it; complex elements are two. */
interface Kind {
  readonly width: number;
  readonly read: (view: DataView, at: number) => bigint;
  readonly write: (view: DataView, at: number, value: bigint) => void;
  /** The largest sum that is exact. */
  readonly limit: bigint;
}

function integer(bits: 8 | 16 | 32, signed: boolean): Kind {
  const name = `${signed ? 'Int' : 'Uint'}${bits}` as const;
  return {
    width: bits / 8,
    read: (view, at) => BigInt(view[`get${name}`](at, true)),
    write: (view, at, value) => {
      view[`set${name}`](at, Number(value), true);
    },
    limit: 2n ** BigInt(signed ? bits - 1 : bits) - 1n,
  };
}

function long(signed: boolean): Kind {
  const name = signed ? 'BigInt64' : 'BigUint64';
  return {
    width: 8,
    read: (view, at) => view[`get${name}`](at, true),
    write: (view, at, value) => {
      view[`set${name}`](at, value, true);
    },
    limit: 2n ** (signed ? 63n : 64n) - 1n,
  };
}

function float(bits: 32 | 64): Kind {
  return {
    width: bits / 8,
    // BigInt refuses what is no whole number.
    read: (view, at) => BigInt(view[`getFloat${bits}`](at, true)),
    write: (view, at, value) => {
      view[`setFloat${bits}`](at, Number(value), true);
    },
    limit: bits === 32 ? 2n ** 24n : 2n ** 53n,
  };
}

const kinds: Record<string, Kind> = {
  MPI_CHAR: integer(8, true),
  MPI_SIGNED_CHAR: integer(8, true),
  MPI_UNSIGNED_CHAR: integer(8, false),
  MPI_SHORT: integer(16, true),
  MPI_UNSIGNED_SHORT: integer(16, false),
  MPI_INT: integer(32, true),
  MPI_UNSIGNED: integer(32, false),
  MPI_LONG: long(true),
  MPI_UNSIGNED_LONG: long(false),
  MPI_LONG_LONG: long(true),
  MPI_LONG_LONG_INT: long(true),
  MPI_UNSIGNED_LONG_LONG: long(false),
  MPI_INT8_T: integer(8, true),
  MPI_UINT8_T: integer(8, false),
  MPI_INT16_T: integer(16, true),
  MPI_UINT16_T: integer(16, false),
  MPI_INT32_T: integer(32, true),
  MPI_UINT32_T: integer(32, false),
  MPI_INT64_T: long(true),
  MPI_UINT64_T: long(false),
  MPI_AINT: long(true),
  MPI_OFFSET: long(true),
  MPI_COUNT: long(true),
  MPI_FLOAT: float(32),
  MPI_DOUBLE: float(64),
  MPI_C_COMPLEX: float(32),
  MPI_C_FLOAT_COMPLEX: float(32),
  MPI_C_DOUBLE_COMPLEX: float(64),
};
const names = Object.keys(kinds);
/** One of each size and kind. */
const different = [
  'MPI_CHAR',
  'MPI_UINT8_T',
  'MPI_SHORT',
  'MPI_UINT16_T',
  'MPI_INT',
  'MPI_UNSIGNED',
  'MPI_LONG',
].concat(['MPI_UINT64_T', 'MPI_FLOAT', 'MPI_DOUBLE', 'MPI_C_FLOAT_COMPLEX', 'MPI_C_DOUBLE_COMPLEX']);

const known = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('a value is missing');
  return value;
};
const kindOf = (type: string): Kind => known(kinds[type]);
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function numbersIn(type: string, bytes: Uint8Array): bigint[] {
  const { width, read } = kindOf(type);
  const view = viewOf(bytes);
  return Array.from({ length: bytes.length / width }, (_, i) => read(view, i * width));
}

/** What MPI_SUM makes of vectors. Throws where a sum, also one of a few vectors, is not exact in the type. */
function sumOf(type: string, vectors: readonly Uint8Array[]): Uint8Array {
  const { width, write, limit } = kindOf(type);
  const bytes = new Uint8Array(vectors[0]?.length ?? 0);
  const view = viewOf(bytes);
  const all = vectors.map((vector) => numbersIn(type, vector));
  for (let i = 0; i < bytes.length / width; i++) {
    const sum = all.reduce((total, numbers) => total + known(numbers[i]), 0n);
    if (all.some((numbers) => known(numbers[i]) < 0n) || sum > limit) throw new Error(`${sum} is too much for ${type}`);
    write(view, i * width, sum);
  }
  return bytes;
}

interface Case {
  readonly type: string;
  readonly senders: number;
  readonly elements: number;
  readonly slot?: number;
}

const lengthOf = ({ type, elements }: Case): number => elements * known(numberTypes().get(type));

/** Every sender's vector in the given iteration, one after another from the first one on. */
class Senders {
  readonly vectors: Uint8Array[];
  readonly #run;
  constructor(private readonly of: Case) {
    const { type, senders, slot = 0 } = of;
    const length = lengthOf(of);
    this.vectors = Array.from({ length: senders }, () => new Uint8Array(length));
    const timed = this.vectors.map((bytes, sender) => fillNumbers(bytes, { type, senders, sender, length, slot }));
    this.#run = nativeExecutor.start({ timed });
  }

  /** Goes on to the next iteration, and returns its sum. */
  next(): Uint8Array {
    this.#run.advance({ iterations: 1 });
    return sumOf(this.of.type, this.vectors);
  }
}

/** A check of one iteration after the other. */
class Checker {
  readonly #bytes: Uint8Array;
  readonly #operation;
  readonly #run;
  constructor(of: Case) {
    const { type, senders, slot = 0 } = of;
    this.#bytes = new Uint8Array(lengthOf(of));
    const options = { type, senders, slot, length: this.#bytes.length };
    this.#operation = checkReduction(this.#bytes, { ...options, operation: 'sum' });
    this.#run = nativeExecutor.start({ timed: [this.#operation] });
  }

  /** Checks bytes as those of the next iteration; returns how many bytes more are wrong. */
  next(bytes: Uint8Array): number {
    const { errors } = checkResult(this.#operation);
    this.#bytes.set(bytes);
    this.#run.advance({ iterations: 1 });
    return checkResult(this.#operation).errors - errors;
  }
}

/** Elements that differ between two vectors. */
function differing(type: string, one: Uint8Array, other: Uint8Array): number {
  const others = numbersIn(type, other);
  return numbersIn(type, one).filter((number, i) => number !== others[i]).length;
}

/** Runs operations in iteration 0. */
function once(...timed: Operation[]): void {
  const run = nativeExecutor.start({ timed });
  run.advance({ iterations: 1 });
  run.finish();
}

function checked(bytes: Uint8Array, options: NumbersOptions): CheckResult {
  const operation = checkReduction(bytes, { ...options, operation: 'sum' });
  once(operation);
  return checkResult(operation);
}

const senderCounts = [1, 2, 3, 5, 8, 9, 10, 64, 130, 500];

describe('numbers of a reduction', () => {
  it('exist for all types that a test knows', () => {
    expect([...numberTypes().keys()].sort()).to.deep.equal([...names].sort());
    for (const [type, bytes] of numberTypes()) {
      const { width } = kindOf(type);
      expect(bytes, type).to.equal(type.includes('COMPLEX') ? 2 * width : width);
    }
  });

  it('exist for all types that a benchmark reduces', () => {
    expect([...numberTypes().keys()]).to.include.members([...REDUCTION_TYPES]);
  });

  for (const type of names) {
    it(`add up to what is expected, exactly (${type})`, () => {
      for (const senders of senderCounts) {
        const of = { type, senders, elements: 70 };
        const [vectors, checker] = [new Senders(of), new Checker(of)];
        for (let i = 0; i < 4; i++) expect(checker.next(vectors.next()), `${senders} senders`).to.equal(0);
      }
    });

    it(`have a wrong bit found in every byte (${type})`, () => {
      for (const senders of [1, 2, 9, 64]) {
        const of = { type, senders, elements: 5 };
        const bytes = new Senders(of).next();
        const options = { type, senders, length: bytes.length };
        expect(checked(bytes, options)).to.deep.equal({ checked: bytes.length, errors: 0 });
        for (const [at, right] of bytes.entries()) {
          bytes[at] = right ^ (1 << (at % 8));
          const first = { iteration: 0, offset: at, expected: right, got: bytes[at] };
          expect(checked(bytes, options)).to.deep.equal({ checked: bytes.length, errors: 1, first });
          bytes[at] = right;
        }
      }
    });
  }

  it('add up exactly for thousands of senders', () => {
    for (const type of different) {
      for (const senders of [4096, 5000]) {
        const of = { type, senders, elements: 9 };
        expect(new Checker(of).next(new Senders(of).next()), `${type}, ${senders}`).to.equal(0);
      }
    }
  });

  it('use the type to its limit, so that every byte carries something', () => {
    for (const type of different.filter((name) => !/CHAR|INT8/.test(name))) {
      const { limit, width, read } = kindOf(type);
      const sum = new Senders({ type, senders: 2, elements: 200 }).next();
      const view = viewOf(sum);
      const most = Array.from({ length: sum.length / width }, (_, i) => read(view, i * width));
      expect(
        most.some((number) => number > limit / 4n),
        type,
      ).to.equal(true);
    }
  });

  it('show a sum of the iteration before in every element', () => {
    for (const type of different) {
      for (const senders of senderCounts) {
        const of = { type, senders, elements: 40 };
        const [vectors, checker] = [new Senders(of), new Checker(of)];
        let last = vectors.next();
        checker.next(last);
        for (let i = 1; i < 12; i++) {
          const stale = last;
          last = vectors.next();
          const what = `${type}, ${senders} senders, iteration ${i}`;
          expect(differing(type, stale, last), what).to.equal(numbersIn(type, last).length);
          expect(checker.next(stale), what).to.be.at.least(numbersIn(type, last).length);
        }
      }
    }
  });

  it('show a sum of the slot beside in every element, and of any other in most', () => {
    for (const type of different) {
      for (const senders of [1, 2, 7, 20]) {
        const sums = [0, 1, 2, 7].map((slot) => new Senders({ type, senders, elements: 100, slot }).next());
        const [zero, one, two, seven] = sums.map(known) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
        const count = numbersIn(type, zero).length;
        expect(differing(type, zero, one), type).to.equal(count);
        expect(differing(type, zero, seven), type).to.equal(count);
        expect(differing(type, one, two), type).to.equal(count);
        expect(differing(type, zero, two), type).to.be.greaterThan(count * 0.3);
      }
    }
  });

  it('show data that lie one element off in every element', () => {
    for (const type of different) {
      const width = known(numberTypes().get(type));
      for (const senders of [1, 2, 3, 7]) {
        const sum = new Senders({ type, senders, elements: 40 }).next();
        const numbers = numbersIn(type, sum);
        const parts = type.includes('COMPLEX') ? 2 : 1;
        const off = checked(sum.subarray(width), { type, senders, length: sum.length - width });
        // A complex number is two: the one beside is two numbers off, and told by chance alone.
        expect(off.errors, type).to.be.at.least(parts === 1 ? numbers.length - 1 : numbers.length / 2);
      }
    }
  });

  it('show a sender that is missing, that came twice or that is late', () => {
    for (const type of different) {
      for (const senders of [2, 3, 8, 16, 64]) {
        const of = { type, senders, elements: 64 };
        const vectors = new Senders(of);
        vectors.next();
        const late = vectors.vectors.map((vector) => vector.slice());
        const right = vectors.next();
        const all = vectors.vectors;
        for (const sender of [0, 1, senders - 1]) {
          const swapped = (other: Uint8Array | undefined): Uint8Array =>
            sumOf(
              type,
              all.map((vector, i) => (i === sender ? (other ?? new Uint8Array(vector.length)) : vector)),
            );
          const own = known(all[sender]);
          const contributed = numbersIn(type, own).filter((number) => number !== 0n).length;
          const what = `${type}, ${senders} senders, sender ${sender}`;
          expect(contributed, what).to.be.greaterThan(0);
          expect(differing(type, right, swapped(undefined)), what).to.equal(contributed);
          if (contributed === numbersIn(type, own).length) {
            expect(differing(type, right, swapped(late[sender])), what).to.equal(contributed);
            const other = all[(sender + 1) % senders];
            expect(differing(type, right, swapped(other)), what).to.equal(contributed);
          } else {
            expect(differing(type, right, swapped(late[sender])), what).to.be.at.least(1);
            expect(differing(type, right, swapped(all[(sender + 1) % senders])), what).to.be.at.least(1);
          }
        }
      }
    }
  });

  it('let every sender contribute, in short vectors too', () => {
    const senders = 64;
    for (const type of ['MPI_CHAR', 'MPI_UINT8_T']) {
      const vectors = new Senders({ type, senders, elements: 1 });
      const contributed = new Set<number>();
      for (let i = 0; i < senders; i++) {
        vectors.next();
        for (const [sender, vector] of vectors.vectors.entries()) if (vector[0] !== 0) contributed.add(sender);
      }
      expect(contributed.size).to.equal(senders);
    }
  });

  it('can be checked in parts, wherever these lie', () => {
    const property = fc.property(
      fc.constantFrom(...different),
      fc.constantFrom(1, 2, 5, 13, 64),
      fc.nat(40),
      fc.nat(40),
      fc.nat(9),
      (type, senders, first, count, offset) => {
        const width = known(numberTypes().get(type));
        const sum = new Senders({ type, senders, elements: 80 }).next();
        const bytes = new Uint8Array(offset + count * width + 3);
        bytes.set(sum.subarray(first * width, (first + count) * width), offset);
        const options = { type, senders, first, offset, length: count * width };
        expect(checked(bytes, options)).to.deep.equal({ checked: count * width, errors: 0 });
        if (count === 0) return;
        const at = offset + count * width - 1;
        bytes[at] = known(bytes[at]) ^ 0x80;
        const wrong = checked(bytes, options);
        expect(wrong.errors).to.equal(1);
        expect(wrong.first).to.include({ offset: (first + count) * width - 1, got: bytes[at] });
      },
    );
    fc.assert(property, { numRuns: 60 });
  });

  it('are written in parts, and nothing around them', () => {
    for (const type of different) {
      const width = known(numberTypes().get(type));
      const senders = 11;
      const whole = known(new Senders({ type, senders, elements: 30 }).vectors[0]);
      once(fillNumbers(whole, { type, senders, sender: 3, length: whole.length }));
      const part = new Uint8Array(5 + 7 * width + 4).fill(0xee);
      once(fillNumbers(part, { type, senders, sender: 3, first: 9, offset: 5, length: 7 * width }));
      expect([...part.subarray(5, 5 + 7 * width)]).to.deep.equal([...whole.subarray(9 * width, 16 * width)]);
      expect([...part.subarray(0, 5), ...part.subarray(5 + 7 * width)].every((byte) => byte === 0xee)).to.equal(true);
    }
  });

  it('of one sender can be checked alone', () => {
    for (const type of different) {
      for (const senders of [2, 20]) {
        const { vectors } = new Senders({ type, senders, elements: 50 });
        const options = { type, senders, length: known(vectors[0]).length };
        const bytes = new Uint8Array(options.length);
        for (const sender of [0, 1, senders - 1]) {
          once(fillNumbers(bytes, { ...options, sender }));
          const right = checkNumbers(bytes, { ...options, sender });
          const wrong = checkNumbers(bytes, { ...options, sender: (sender + 1) % senders });
          once(right, wrong);
          expect(checkResult(right)).to.deep.equal({ checked: bytes.length, errors: 0 });
          expect(checkResult(wrong).errors, type).to.be.greaterThan(0);
          bytes[17] = known(bytes[17]) ^ 2;
          once(right);
          expect(checkResult(right)).to.deep.include({ checked: 2 * bytes.length, errors: 1 });
          expect(checkResult(right).first).to.include({ offset: 17 });
        }
      }
    }
  });

  it('count what a target held before as a sender', () => {
    // One process adds its numbers to those that another's memory holds, and gets what was there.
    const type = 'MPI_LONG';
    const options = { type, senders: 2, length: 800 };
    const [origin, target, fetched] = [new Uint8Array(800), new Uint8Array(800), new Uint8Array(800)];
    once(fillNumbers(origin, { ...options, sender: 0 }), fillNumbers(target, { ...options, sender: 1 }));
    fetched.set(target);
    target.set(sumOf(type, [origin, target]));
    expect(checked(target, options).errors).to.equal(0);
    const before = checkNumbers(fetched, { ...options, sender: 1 });
    once(before);
    expect(checkResult(before).errors).to.equal(0);
  });

  for (const executor of [nativeExecutor, jsExecutor]) {
    it(`are right in every iteration, and a check counts and forgets (${executor.name} executor)`, () => {
      const bytes = new Uint8Array(400);
      const options = { type: 'MPI_FLOAT', senders: 1, length: 400 };
      const checking = checkReduction(bytes, { ...options, operation: 'sum' });
      const alone = checkNumbers(bytes, { ...options, sender: 0 });
      const timed: Operation[] = [fillNumbers(bytes, { ...options, sender: 0 }), test.corrupt(bytes, 33, 3)];
      const run = executor.start({ timed, untimed: { after: [checking, alone] } });
      run.advance({ iterations: 20 });
      for (const operation of [checking, alone]) {
        expect(checkResult(operation)).to.deep.include({ checked: 8000, errors: 1 });
        expect(checkResult(operation).first).to.include({ iteration: 3, offset: 33 });
      }
      run.warmUp(1);
      for (const operation of [checking, alone]) {
        expect(checkResult(operation)).to.deep.equal({ checked: 0, errors: 0 });
      }
      run.advance({ iterations: 5 });
      expect(checkResult(checking)).to.deep.equal({ checked: 2000, errors: 0 });
      run.finish();
      releaseOperation(checking);
      expect(() => checkResult(checking)).to.throw(TypeError, 'was released');
    });
  }

  it('refuse what is none of theirs', () => {
    const bytes = new Uint8Array(64);
    const good = { type: 'MPI_INT', senders: 2, sender: 0, length: 64 };
    const refused: [Partial<typeof good> & { first?: number; slot?: number; offset?: number }, RegExp][] = [
      [{ type: 'MPI_LONG_DOUBLE' }, /^no numbers of type MPI_LONG_DOUBLE can be checked: use one of MPI_CHAR, /],
      [{ type: 'toString' }, /^no numbers of type toString/],
      [{ length: 63 }, /^length 63 is no multiple of the 4 bytes of MPI_INT$/],
      [{ length: 68 }, /^the buffer to fill has 64 bytes, too few for 68/],
      [{ offset: 4 }, /too few for 64 bytes at offset 4/],
      [{ sender: 2 }, /^sender 2 is none of 2 senders$/],
      [{ sender: -1 }, /^sender must be a whole number/],
      [{ senders: 0 }, /^senders must be a whole number of at least 1/],
      [{ senders: 2 ** 25 }, /^senders must be at most/],
      [{ first: -1 }, /^first must be/],
      [{ slot: 0.5 }, /^slot must be/],
    ];
    for (const [change, message] of refused) {
      expect(() => fillNumbers(bytes, { ...good, ...change }), JSON.stringify(change)).to.throw(RangeError, message);
    }
    expect(() => checkReduction(bytes, { ...good, length: 68, operation: 'sum' })).to.throw(
      RangeError,
      'the buffer to check has 64 bytes',
    );
    expect(() => checkNumbers({} as Uint8Array, good)).to.throw(TypeError, 'the buffer to check must be');
    const filling = fillNumbers(bytes, good);
    expect(() => checkResult(filling)).to.throw(TypeError, 'fillNumbers is no check operation');
  });
});
