import { expect } from 'chai';
import { clockInfo, engineClock } from '../../src/engine/index.js';
import type { ClockInfo } from '../../src/engine/types.js';
import { runCase } from './run-case.js';

interface ClockCase {
  readonly info: ClockInfo;
  readonly monotonic: boolean;
  /** Seconds of one stretch of time, by the engine's clock, the executor and Node. */
  readonly stretches: { readonly clock: number; readonly executor: number; readonly node: number }[];
}

function clockCase(env: Record<string, string> = {}): ClockCase {
  const { code, stdout, stderr } = runCase('clock', { env });
  expect(stderr).to.equal('');
  expect(code).to.equal(0);
  return JSON.parse(stdout) as ClockCase;
}

describe('clock', () => {
  it('never runs backwards', () => {
    const now = engineClock();
    let last = now();
    for (let i = 0; i < 200_000; i++) {
      const time = now();
      if (time < last) throw new Error(`${time} came after ${last}`);
      last = time;
    }
  });

  it('tells its source, frequency, resolution and cost', () => {
    const info = clockInfo();
    expect(info.source).to.be.oneOf(['tsc', 'cntvct', 'clock_gettime']);
    expect(info.frequency).to.be.greaterThan(1e6);
    expect(info.resolution).to.be.greaterThan(0);
    expect(info.readCost).to.be.greaterThan(0);
    expect(clockInfo().frequency).to.equal(info.frequency);
  });

  const choices: [string, Record<string, string>][] = [
    ['by its best source', {}],
    ['by clock_gettime, where that is asked for', { FABRICBENCH_CLOCK: 'clock_gettime' }],
  ];
  for (const [name, env] of choices) {
    it(`agrees with Node's within 1 % ${name}`, () => {
      const { info, monotonic, stretches } = clockCase(env);
      if (env['FABRICBENCH_CLOCK'] !== undefined) expect(info).to.include({ source: 'clock_gettime', frequency: 1e9 });
      expect(monotonic).to.equal(true);
      // Of several stretches the closest: reads of the two clocks may be torn apart by the scheduler.
      const deviation = (key: 'clock' | 'executor'): number =>
        Math.min(...stretches.map((stretch) => Math.abs(stretch[key] / stretch.node - 1)));
      expect(deviation('clock')).to.be.lessThan(0.01);
      expect(deviation('executor')).to.be.lessThan(0.01);
    });
  }
});
