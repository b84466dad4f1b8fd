/** scripts/bench/layers: what a record says, and the order of the layers. */
import { expect } from 'chai';
import { bench } from './bench.js';

interface Comparison {
  readonly id: string;
  readonly verdict: string;
}
const { latencyOf, transportsOf, flawOf } = await bench<{
  latencyOf: (record: object) => number;
  transportsOf: (record: object) => readonly string[] | undefined;
  flawOf: (record: object, wanted: object) => string | undefined;
}>('layers/record');
const { compareNeighbours, asBound, words } = await bench<{
  compareNeighbours: (layers: readonly string[], rounds: readonly object[]) => readonly Comparison[];
  asBound: (verdict: string) => string;
  words: Readonly<Record<string, string>>;
}>('layers/verdict');
const { verdicts, exitCode } = await bench<{
  verdicts: Readonly<Record<string, string>>;
  exitCode: (all: readonly string[]) => number;
}>('statistics');

const row = { figures: { latency: { value: 3e-7, unit: 's' } } };
const mpi = { run: { layer: 'mpi' }, environment: { mpi: { pml: 'ucx', transports: ['posix/memory'] } }, rows: [row] };
const wanted = { layer: 'mpi', transport: 'posix/memory', pml: 'ucx' };

describe('a record of a layer', () => {
  it('gives the latency of its only row', () => {
    expect(latencyOf(mpi)).to.equal(3e-7);
    expect(() => latencyOf({ ...mpi, rows: [] })).to.throw('0 rows');
    expect(() => latencyOf({ ...mpi, rows: [row, row] })).to.throw('2 rows');
  });

  it('names what carried the messages, and for other layers than MPI not what MPI had', () => {
    expect(transportsOf(mpi)).to.deep.equal(['posix/memory']);
    expect(transportsOf({ ...mpi, run: { layer: 'ucp' } })).to.equal(undefined);
  });

  it('is right where layer, PML and transport are those asked for', () => {
    expect(flawOf(mpi, wanted)).to.equal(undefined);
    expect(flawOf(mpi, { ...wanted, layer: 'ucp' })).to.equal('measured layer mpi');
    expect(flawOf(mpi, { ...wanted, transport: 'tcp/lo' })).to.match(/^posix\/memory carried/);
    expect(flawOf({ ...mpi, environment: { mpi: { pml: 'ob1' } } }, wanted)).to.match(/^PML ob1 carried/);
    expect(flawOf({ ...mpi, environment: { mpi: { pml: 'ucx' } } }, wanted)).to.match(/does not say/);
  });
});

describe('the order of layers', () => {
  const rounds = (ratios: readonly number[]): object[] => ratios.map((ratio) => ({ uct: 1e-7, ucp: ratio * 1e-7 }));
  const verdictOf = (ratios: readonly number[]): string | undefined =>
    compareNeighbours(['uct', 'ucp'], rounds(ratios))[0]?.verdict;

  it('is in order, inverted, or no difference to be seen', () => {
    expect(verdictOf([1.1, 1.2, 1.3, 1.1, 1.2, 1.3])).to.equal(words['inOrder']);
    expect(verdictOf([0.8, 0.9, 0.8, 0.9, 0.8, 0.9])).to.equal(words['inverted']);
    expect(verdictOf([0.9, 1.1, 0.9, 1.1, 0.9, 1.1])).to.equal(words['same']);
    expect(verdictOf([1.1, 1.2, 1.3, 1.1, 1.2])).to.equal(verdicts['noisy']);
  });

  it('is compared between neighbours alone', () => {
    const comparisons = compareNeighbours(['shm', 'uct', 'mpi'], [{ shm: 1, uct: 2, mpi: 3 }]);
    expect(comparisons.map(({ id }) => id)).to.deep.equal(['uct / shm', 'mpi / uct']);
  });

  it('ends with code 1 only where it is inverted or a layer failed', () => {
    const code = (word: string): number => exitCode([asBound(words[word] ?? '')]);
    expect(['inOrder', 'same', 'inverted', 'failed'].map(code)).to.deep.equal([0, 0, 1, 1]);
  });
});
