/** `fabricbench congest` over simulated hosts: a slow-down that is planted is found, drift and noise are not taken for one. */
import { expect } from 'chai';
import { Impossible, WrongUse } from '../../src/cli/commands/command.js';
import { congestProgram } from '../../src/study/congest/congest.js';
import { orderOf, STATES } from '../../src/study/congest/measure.js';
import { readCongest } from '../../src/study/congest/options.js';
import { AGGRESSORS, bytesPerIteration, rolesAmong } from '../../src/study/congest/roles.js';
import { verdictOf } from '../../src/study/congest/verdict.js';
import type { SimulatedNetwork } from '../../src/study/simulated.js';
import type { Field, PartStep, Step } from '../../src/study/types.js';
import { seeded } from '../unit/random.js';
import { led } from './led.js';

const LATENCY = 2e-6;
const quick = { iterations: '200', warmup: '2', victim: 'latency' };

const backgroundOf = (step: Step): string[] =>
  step.kind === 'parts' ? step.parts.filter(({ background }) => background).map(({ program }) => program) : [];

/** Messages take so many times as long beside an aggressor's program; every 50th ten times as long again, if asked for. */
function network(factors: Readonly<Record<string, number>>, tail = false): SimulatedNetwork {
  const random = seeded(7);
  return {
    hosts: Array.from({ length: 20 }, (_, rank) => `node${Math.floor(rank / 4)}`),
    oneWay: ({ call }, step) => {
      const factor = backgroundOf(step).reduce((most, program) => Math.max(most, factors[program] ?? 1), 1);
      const late = tail && backgroundOf(step).length > 0 && call % 50 === 0 ? 10 : 1;
      return LATENCY * factor * late * (1 + 0.02 * random());
    },
  };
}

interface ToldMeasure {
  readonly factor: { readonly value: number };
  readonly verdict: string;
}
interface ToldImpact {
  readonly victim: string;
  readonly aggressor: string;
  readonly measures: Readonly<Record<string, ToldMeasure | null>>;
}

const impactsOf = (study: unknown): readonly ToldImpact[] => (study as { impacts: readonly ToldImpact[] }).impacts;

describe('a victim beside aggressors', () => {
  it('is found slower by as much as it is, beside that aggressor alone', () => {
    const { study, text, rows, code } = led(congestProgram, quick, network({ osu_bw_fan_in: 3 }));
    expect(code).to.equal(0);
    const [alltoall, incast, put] = impactsOf(study);
    expect([alltoall?.aggressor, incast?.aggressor, put?.aggressor]).to.deep.equal(['alltoall', 'incast', 'put']);
    for (const name of ['mean', 'median', 'p99']) {
      expect(incast?.measures[name]?.factor.value).to.be.closeTo(3, 0.1);
      expect(incast?.measures[name]?.verdict).to.equal('slower');
      for (const other of [alltoall, put]) expect(other?.measures[name]?.verdict).to.equal('no change');
    }
    expect(text).to.contain('# latency beside incast: mean 3.00 times as long; P99 3.0');
    expect(text).to.contain('# latency beside put: mean no other than without traffic');
    expect(rows.map(({ parameters }) => [parameters['aggressor'], parameters['state']])).to.deep.equal(
      ['alltoall', 'incast', 'put'].flatMap((aggressor) => STATES.map((state) => [aggressor, state])),
    );
    expect(rows[0]?.figures['latency']?.value).to.be.closeTo(LATENCY * 1.01, LATENCY / 100);
  });

  it('tells a tail from a mean', () => {
    const { study } = led(congestProgram, { ...quick, aggressors: 'alltoall' }, network({}, true));
    const measures = impactsOf(study)[0]?.measures;
    expect(measures?.['median']?.verdict).to.equal('no change');
    expect(measures?.['p99']?.verdict).to.equal('slower');
    expect(measures?.['p99']?.factor.value).to.be.above(4);
  });

  it('has P99.9 where there are samples enough', () => {
    const some = led(congestProgram, { ...quick, aggressors: 'put' }, network({}));
    expect(impactsOf(some.study)[0]?.measures['p999']).to.equal(null);
    expect(some.text).to.match(/^P99\.9 +- +-/m);
    const many = led(congestProgram, { ...quick, aggressors: 'put', iterations: '600' }, network({}));
    expect(impactsOf(many.study)[0]?.measures['p999']).to.not.equal(null);
  });

  it('does not take a drift for traffic', () => {
    let steps = 0;
    const drifting = (field: Field): Field => ({
      ...field,
      run: (step) => {
        const { summaries, samples } = field.run(step);
        const slower = 1 + 0.01 * steps++;
        return {
          summaries,
          samples: new Map([...samples].map(([rank, all]) => [rank, all.map((one) => one * slower)])),
        };
      },
    });
    const { study, rows } = led(
      congestProgram,
      { ...quick, rounds: '9', aggressors: 'alltoall' },
      network({}),
      drifting,
    );
    const { factor, verdict } = impactsOf(study)[0]?.measures['mean'] ?? {};
    expect(verdict).to.equal('no change');
    expect(factor?.value).to.be.closeTo(1, 0.002);
    expect(rows.every(({ n }) => n === 1800)).to.equal(true);
  });

  it('measures an allreduce by all its ranks', () => {
    const { rows, study } = led(congestProgram, { ...quick, victim: 'allreduce' }, network({ osu_put_bw: 2 }));
    expect(rows[0]?.statistics?.n).to.equal(4 * 200 * 8);
    expect(rows[0]?.figures['latency']?.value).to.be.closeTo(LATENCY * 1.01, LATENCY / 100);
    expect(impactsOf(study).map(({ measures }) => measures['mean']?.verdict)).to.deep.equal([
      'no change',
      'no change',
      'slower',
    ]);
  });

  it('claims nothing of few rounds', () => {
    const { study, text } = led(congestProgram, { ...quick, rounds: '5' }, network({ osu_alltoall: 3 }));
    expect(impactsOf(study)[0]?.measures['mean']?.verdict).to.equal('unsure');
    expect(text).to.contain('not sure: it takes 6 rounds to tell');
  });

  it('does without an aggressor that these ranks can not have, and ends where there is no other', () => {
    const refusing = (field: Field): Field => ({
      ...field,
      run: (step) => {
        if (step.kind === 'parts' && step.tries) throw new Impossible('no windows');
        return field.run(step);
      },
    });
    const { study, warnings } = led(congestProgram, { ...quick, rounds: '1' }, network({}), refusing);
    expect(impactsOf(study).map(({ aggressor }) => aggressor)).to.deep.equal(['alltoall', 'incast']);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/^there can be no put here: no windows; .* it is left out$/);
    for (const aggressors of ['put', 'put,mixed'])
      expect(() => led(congestProgram, { ...quick, aggressors }, network({}), refusing)).to.throw(Impossible, 'no put');
  });

  it('tells its state after each aggressor', () => {
    expect(led(congestProgram, quick, network({})).saved).to.equal(3);
  });
});

describe('victims and aggressors', () => {
  const steps: PartStep[] = [];
  const seen = (field: Field): Field => ({
    ...field,
    run: (step) => {
      if (step.kind === 'parts' && !step.tries) steps.push(step);
      return field.run(step);
    },
  });

  it('are never the same ranks, and aggressors rest while the victim is alone', () => {
    steps.length = 0;
    const options = { ...quick, aggressors: 'mixed', rounds: '2', iterations: '10' };
    led(congestProgram, options, network({}), seen);
    expect(steps.map((step) => backgroundOf(step).length)).to.deep.equal([0, 3, 0, 0, 3, 0]);
    for (const { parts } of steps) {
      const ranks = parts.flatMap((part) => part.ranks);
      expect(new Set(ranks).size).to.equal(ranks.length);
    }
  });

  it('are a fifth and the others, spread over the nodes', () => {
    const { victims, aggressors } = rolesAmong(20, undefined, 2);
    expect(victims).to.deep.equal([0, 5, 10, 15]);
    expect(aggressors).to.have.length(16);
    expect(rolesAmong(4, undefined, 2).victims).to.deep.equal([0, 2]);
    expect(() => rolesAmong(4, 4, 2)).to.throw(WrongUse, 'make 6, and there are 4');
    expect(() => rolesAmong(3, undefined, 2)).to.throw(WrongUse, 'give more with -n');
  });

  it('take part in what each kind of traffic needs', () => {
    const ranks = [1, 2, 3, 4, 5, 6, 7];
    const traffic = { size: 1024, window: 4 };
    const parts = (name: keyof typeof AGGRESSORS) => AGGRESSORS[name].parts(ranks, traffic);
    expect(parts('put').map((part) => part.ranks)).to.deep.equal([[1, 2, 3, 4, 5, 6]]);
    expect(parts('mixed').map((part) => part.ranks)).to.deep.equal([
      [1, 4, 7],
      [2, 5],
      [3, 6],
    ]);
    const bytes = [...parts('alltoall'), ...parts('incast'), ...parts('put')].map(bytesPerIteration);
    expect(bytes).to.deep.equal([6 * 1024, 4 * 1024, 4 * 1024]);
  });

  it('come between two measurements without traffic, which change places', () => {
    expect([0, 1, 2].map(orderOf)).to.deep.equal([
      ['isolated', 'congested', 'control'],
      ['control', 'congested', 'isolated'],
      ['isolated', 'congested', 'control'],
    ]);
  });
});

describe('the verdict on a factor', () => {
  const factor = (low: number, high: number) => ({ value: (low + high) / 2, interval: { low, high, level: 0.95 } });

  it('needs an interval beyond 1 and beyond the control', () => {
    const control = factor(0.9, 1.1);
    expect(verdictOf({ factor: factor(1.2, 1.4), control })).to.equal('slower');
    expect(verdictOf({ factor: factor(1.05, 1.2), control })).to.equal('no change');
    expect(verdictOf({ factor: factor(0.5, 0.8), control })).to.equal('faster');
    expect(verdictOf({ factor: factor(0.8, 1.9), control })).to.equal('noisy');
    expect(verdictOf({ factor: factor(20, 30), control: factor(0.1, 40) })).to.equal('noisy');
    expect(verdictOf({ factor: { value: 9, interval: null }, control })).to.equal('unsure');
  });
});

describe('the options of congest', () => {
  it('have the kinds of traffic, and refuse others in one sentence', () => {
    expect(readCongest({}).aggressors).to.deep.equal(['alltoall', 'incast', 'put']);
    expect(readCongest({ victim: 'allreduce', aggressors: 'mixed,put' })).to.deep.include({
      victims: ['allreduce'],
      aggressors: ['mixed', 'put'],
    });
    const wrong = [
      '--victim bcast',
      '--aggressors none',
      '--victims 3',
      '--size 3',
      '--aggressor-size 0',
      '--rounds 0',
    ];
    for (const words of wrong) {
      const [option = '', text = ''] = words.split(' ');
      expect(() => readCongest({ [option.slice(2)]: text }), words).to.throw(WrongUse, new RegExp(`^${option} `));
    }
  });
});
