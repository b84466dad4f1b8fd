import { expect } from 'chai';
import { startWatchdog, WATCHDOG_LIMIT } from '../../src/engine/index.js';
import { runCase } from './run-case.js';
import { blockedSignals, testOperations } from './test-addon.js';

const test = testOperations();

/** How the sentence ends. */
const mend = ', so the process ends; --watchdog S sets this limit in seconds, 0 switches it off\n';

describe('watchdog', () => {
  const biting: [string, string, string][] = [
    [
      'an operation that blocks in the native executor',
      'native',
      `fabricbench: rank 0 made no progress for 0.3 s in sleepAt, iteration 7 of osu_latency, size 8${mend}`,
    ],
    [
      'an operation that blocks in the JavaScript executor',
      'js',
      `fabricbench: rank 0 made no progress for 0.3 s in sleepAt, iteration 7 of osu_latency, size 8${mend}`,
    ],
    [
      'an operation that blocks within others',
      'groups',
      `fabricbench: rank 0 made no progress for 0.3 s in sleepAt, iteration 7 of osu_latency, size 8${mend}`,
    ],
    [
      'one of several threads that blocks while others go on',
      'threads',
      `fabricbench: rank 0 made no progress for 0.3 s in sleepAt, iteration 7 of osu_latency, size 8${mend}`,
    ],
    [
      'a native call outside of programs that blocks',
      'call',
      `fabricbench: rank 0 made no progress for 0.3 s in osu_latency, size 8${mend}`,
    ],
    [
      'JavaScript that never ends',
      'loop',
      `fabricbench: rank 0 made no progress for 0.3 s in osu_latency, size 8${mend}`,
    ],
    [
      'an event loop that waits',
      'idle',
      `fabricbench: rank 0 made no progress for 0.3 s in osu_latency, size 8${mend}`,
    ],
    ['a process without a context', 'bare', `fabricbench: rank 0 made no progress for 0.3 s${mend}`],
    ['a process that was disarmed and armed again', 'rearmed', `fabricbench: rank 0 made no progress for 0.3 s${mend}`],
  ];
  for (const [name, scenario, sentence] of biting) {
    it(`ends ${name}, with one sentence`, () => {
      const { code, stdout, stderr } = runCase('watchdog', { args: [scenario, '0.3', '0'] });
      expect(stderr).to.equal(sentence);
      expect(stdout).to.equal('started\n');
      expect(code).to.equal(1);
    });
  }

  const sparing: [string, string, string][] = [
    ['a program that goes on', 'progress', '0.4'],
    ['operations that take turns within one long iteration', 'long-iteration', '0.4'],
    ['what tells of its progress', 'kicks', '0.4'],
    ['what changes its context', 'contexts', '0.4'],
    ['an event loop that waits while it is disarmed', 'disarmed', '0.3'],
    ['anything once it is stopped', 'stopped', '0.3'],
    ['anything where it is switched off', 'blocking-a-while', '0'],
  ];
  for (const [name, scenario, limit] of sparing) {
    it(`spares ${name}`, () => {
      const { code, stdout, stderr } = runCase('watchdog', { args: [scenario, limit, '0'] });
      expect(stderr).to.equal('');
      expect(stdout).to.equal('started\nended\n');
      expect(code).to.equal(0);
    });
  }

  it('gives other ranks than 0 more time, and says the limit as it was set', () => {
    const start = process.hrtime.bigint();
    const { code, stderr } = runCase('watchdog', { args: ['call', '0.3', '3'] });
    expect(Number(process.hrtime.bigint() - start) / 1e9).to.be.greaterThan(2.3);
    expect(stderr).to.match(/^fabricbench: rank 3 made no progress for 0\.3 s in osu_latency/);
    expect(code).to.equal(1);
  });

  it('runs once at a time, and can be started again', () => {
    const first = startWatchdog({ seconds: 1000, rank: 0 });
    expect(() => startWatchdog({ seconds: 1000, rank: 0 })).to.throw('the watchdog is running already: stop it first');
    first.stop();
    first.stop();
    const second = startWatchdog({ seconds: 1000, rank: 0 });
    first.stop();
    expect(() => startWatchdog({ seconds: 1000, rank: 0 })).to.throw('is running already');
    second.stop();
  });

  it('says so where the system gives no thread, leaves signals as they were, and can be started later', () => {
    const before = blockedSignals();
    test.refuseThreads(true);
    try {
      expect(() => startWatchdog({ seconds: 1000, rank: 0 })).to.throw(
        /^the system gives no thread for the watchdog \(.+\): raise the limit of processes, or switch it off with/,
      );
    } finally {
      test.refuseThreads(false);
    }
    expect(blockedSignals()).to.equal(before);
    const dog = startWatchdog({ seconds: 1000, rank: 0 });
    dog.context('watching');
    dog.stop();
  });

  it('takes a limit of up to a day', () => {
    expect(WATCHDOG_LIMIT).to.equal(24 * 60 * 60);
    startWatchdog({ seconds: WATCHDOG_LIMIT, rank: 1 }).stop();
  });

  it('refuses limits that are no time', () => {
    for (const seconds of [-1, NaN, Infinity, WATCHDOG_LIMIT + 1, '5' as unknown as number]) {
      expect(() => startWatchdog({ seconds, rank: 0 })).to.throw(RangeError, /the watchdog limit must be a number/);
    }
    expect(() => startWatchdog({ seconds: 1, rank: 0, graceOfOthers: -1 })).to.throw(RangeError, /grace/);
  });
});
