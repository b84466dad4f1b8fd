import { expect } from 'chai';
import fc from 'fast-check';
import { median } from '../../src/bench/measure/robust.js';
import { KINDS } from '../../src/study/map/figures.js';
import { PairGrid } from '../../src/study/map/grid.js';
import { fitModel } from '../../src/study/map/model.js';
import { medianInPlace } from '../../src/study/map/select.js';
import { Sketch } from '../../src/study/map/sketch.js';
import { seeded } from './random.js';

const finite = fc.double({ min: -30, max: 30, noNaN: true });

describe('the median by selection', () => {
  it('is that of sorted values, and only looks at as many as it is told', () => {
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1, maxLength: 50 }), fc.array(finite), (values, beyond) => {
        const room = Float64Array.from([...values, ...beyond]);
        expect(medianInPlace(room, values.length)).to.be.closeTo(median(values), 1e-12);
      }),
    );
    expect(medianInPlace(new Float64Array(3), 0)).to.be.NaN;
  });

  it('takes equal values and rows in order', () => {
    expect(medianInPlace(Float64Array.of(2, 2, 2, 2), 4)).to.equal(2);
    expect(
      medianInPlace(
        Float64Array.from({ length: 4001 }, (_, at) => at),
        4001,
      ),
    ).to.equal(2000);
  });
});

describe('a sketch', () => {
  it('tells quantiles to half a thousandth', () => {
    fc.assert(
      fc.property(
        fc.array(finite, { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, share) => {
          const sketch = new Sketch();
          for (const value of values) sketch.add(value);
          const sorted = [...values].sort((a, b) => a - b);
          const exact = sorted[Math.max(0, Math.ceil(share * values.length) - 1)] ?? NaN;
          expect(sketch.quantile(share)).to.be.closeTo(exact, 0.0011);
          expect(sketch.n).to.equal(values.length);
        },
      ),
    );
    expect(new Sketch().median()).to.be.NaN;
  });
});

describe('a grid of pairs', () => {
  it('keeps a figure for both directions, or one for each', () => {
    for (const symmetric of [true, false]) {
      const grid = new PairGrid(5, symmetric);
      expect(grid.links).to.equal(symmetric ? 10 : 20);
      let next = 0;
      for (let from = 0; from < 5; from++)
        for (let to = 0; to < 5; to++) if (from < to || !symmetric) grid.set(from, to, next++);
      const seen: number[] = [];
      grid.forEach((value) => seen.push(value));
      expect(new Set(seen).size).to.equal(grid.links);
      expect(grid.at(3, 1) === grid.at(1, 3)).to.equal(symmetric);
      expect(grid.at(2, 2)).to.be.NaN;
    }
  });
});

describe('the model of rows and columns', () => {
  const n = 24;

  it('finds the parts of senders and receivers that figures were made of', () => {
    const random = seeded(4);
    const out = Array.from({ length: n }, () => 0.3 * random());
    const into = Array.from({ length: n }, () => 0.3 * random());
    const grid = new PairGrid(n, false);
    for (let from = 0; from < n; from++)
      for (let to = 0; to < n; to++) grid.set(from, to, 1e10 * Math.exp(-(out[from] ?? 0) - (into[to] ?? 0)));
    const model = fitModel(grid, KINDS.bandwidth);
    for (let node = 1; node < n; node++) {
      expect((model.out[node] ?? 0) - (model.out[0] ?? 0)).to.be.closeTo((out[node] ?? 0) - (out[0] ?? 0), 0.02);
      expect((model.into[node] ?? 0) - (model.into[0] ?? 0)).to.be.closeTo((into[node] ?? 0) - (into[0] ?? 0), 0.02);
    }
    grid.forEach((value, from, to) => {
      expect(model.rest(value, from, to)).to.be.closeTo(0, 0.02);
      expect(model.expected(from, to)).to.be.closeTo(value, 0.02 * value);
    });
  });

  it('does not let a third of bad links move the part of a host', () => {
    const grid = new PairGrid(n, true);
    for (let a = 0; a < n; a++)
      for (let b = a + 1; b < n; b++) grid.set(a, b, 2e-6 * (a === 3 && b % 3 === 0 ? 10 : 1));
    const model = fitModel(grid, KINDS.latency);
    for (const part of model.out) expect(part).to.be.closeTo(0, 0.002);
    expect(model.rest(grid.at(3, 6), 3, 6)).to.be.closeTo(Math.log(10), 0.002);
  });

  it('holds a slow host against itself and nobody else', () => {
    const grid = new PairGrid(n, true);
    for (let a = 0; a < n; a++) for (let b = a + 1; b < n; b++) grid.set(a, b, 2e-6 * (a === 5 || b === 5 ? 1.5 : 1));
    const model = fitModel(grid, KINDS.latency);
    for (const [node, part] of model.out.entries()) expect(part).to.be.closeTo(node === 5 ? Math.log(1.5) : 0, 0.002);
  });

  it('tells levels of the network apart, so that the far half is not slow', () => {
    const grid = new PairGrid(n, true);
    const levelOf = (a: number, b: number): number => (Math.floor(a / 8) === Math.floor(b / 8) ? 0 : 1);
    for (let a = 0; a < n; a++) for (let b = a + 1; b < n; b++) grid.set(a, b, levelOf(a, b) === 0 ? 1e-6 : 3e-6);
    const model = fitModel(grid, KINDS.latency, levelOf, 2);
    grid.forEach((value, a, b) => {
      expect(model.rest(value, a, b)).to.be.closeTo(0, 0.003);
    });
  });

  it('goes without what was not measured', () => {
    const grid = new PairGrid(n, true);
    for (let a = 0; a < n; a++) grid.set(a, (a + 1) % n, 2e-6);
    const model = fitModel(grid, KINDS.latency);
    expect(model.rest(2e-6, 0, 1)).to.be.closeTo(0, 0.003);
    expect(model.rest(NaN, 0, 2)).to.be.NaN;
  });
});
