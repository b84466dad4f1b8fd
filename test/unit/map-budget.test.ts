import { expect } from 'chai';
import fc from 'fast-check';
import { planMap, roundSeconds, type Effort, type PlanRequest } from '../../src/study/map/budget.js';
import { EFFORT } from './map-cluster.js';

const request: PlanRequest = {
  rounds: 999,
  limit: 200,
  pilot: { overhead: 1e-3, latency: 2e-6, byte: 1e-10, ways: 2 },
  wanted: EFFORT,
};

describe('the budget of a map', () => {
  it('does all that is wanted where there is time', () => {
    expect(planMap(request)).to.deep.include({ rounds: 999, of: 999, effort: EFFORT });
  });

  it('counts the parts of a round', () => {
    const effort: Effort = { ...EFFORT, latencyIterations: 90, latencyWarmup: 10, windows: 3, windowWarmup: 1 };
    const window = (1 << 20) * 16 * 1e-10 + 4e-6;
    expect(roundSeconds(effort, request.pilot)).to.be.closeTo(1e-3 + 2 * 2e-6 * 100 + 2 * 4 * window, 1e-12);
    expect(roundSeconds({ ...effort, windows: 0 }, request.pilot)).to.be.closeTo(1e-3 + 4e-4, 1e-12);
  });

  it('gives up repeats first, then size, and pairs last', () => {
    const all = roundSeconds(EFFORT, request.pilot) * 999;
    const fewer = planMap({ ...request, limit: all * 0.8 });
    expect(fewer).to.deep.include({ rounds: 999 });
    expect(fewer.effort).to.include({ size: EFFORT.size, window: EFFORT.window });
    expect(fewer.effort.windows).to.be.below(EFFORT.windows);
    const smaller = planMap({ ...request, limit: all * 0.2 });
    expect(smaller).to.deep.include({ rounds: 999 });
    expect(smaller.effort.size).to.be.below(EFFORT.size);
    const sampled = planMap({ ...request, limit: 0.5 });
    expect(sampled.rounds).to.be.within(2, 500);
    expect(sampled.effort).to.include({ latencyIterations: 20, windows: 3 });
  });

  it('leaves alone what the user has fixed', () => {
    const fixed = { size: true, iterations: true };
    const plan = planMap({ ...request, limit: 1, fixed });
    expect(plan.effort).to.deep.equal(EFFORT);
    expect(plan.rounds).to.be.below(999);
    expect(planMap({ ...request, limit: 1, fixed: { rounds: true } }).rounds).to.equal(999);
  });

  it('ends in time, unless two rounds alone take longer', () => {
    const pilots = fc.record({
      overhead: fc.double({ min: 1e-5, max: 0.1, noNaN: true }),
      latency: fc.double({ min: 1e-7, max: 1e-3, noNaN: true }),
      byte: fc.double({ min: 1e-11, max: 1e-7, noNaN: true }),
      ways: fc.constantFrom<1 | 2>(1, 2),
    });
    const limits = fc.double({ min: 0.1, max: 1000, noNaN: true });
    fc.assert(
      fc.property(pilots, limits, fc.integer({ min: 1, max: 5000 }), (pilot, limit, rounds) => {
        const plan = planMap({ rounds, limit, pilot, wanted: EFFORT });
        expect(plan.seconds).to.be.closeTo(plan.rounds * roundSeconds(plan.effort, pilot), 1e-9 * plan.seconds);
        if (plan.rounds > 2) expect(plan.seconds).to.be.at.most(limit * (1 + 1e-9));
        expect(plan.rounds).to.be.within(Math.min(2, rounds), rounds);
        expect(plan.effort.latencyIterations).to.be.at.least(20);
        expect(plan.effort.windows).to.be.at.least(3);
      }),
    );
  });
});
