/** Arguments: scenario, limit in seconds, rank. Prints `started`, and `ended` if it gets there. */
import { setTimeout } from 'node:timers/promises';
import {
  jsExecutor,
  nativeExecutor,
  noop,
  repeat,
  rotate,
  startThreads,
  startWatchdog,
} from '../../../src/engine/index.js';
import type { Executor } from '../../../src/engine/types.js';
import { testOperations } from '../test-addon.js';

const test = testOperations();
const [scenario = '', limit = '', rank = ''] = process.argv.slice(2);
const forEver = 3_600_000;

function blockAtSeven(executor: Executor): void {
  executor.start({ timed: [noop(), test.sleepAt(7, forEver)] }).advance({ iterations: 100 });
}

function busy(seconds: number, step: () => void = () => undefined): void {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) step();
}

/** What each scenario does once the watchdog runs. */
const scenarios: Record<string, () => unknown> = {
  native: () => {
    dog.context('osu_latency, size 8');
    blockAtSeven(nativeExecutor);
  },
  js: () => {
    dog.context('osu_latency, size 8');
    blockAtSeven(jsExecutor);
  },
  threads: () => {
    dog.context('osu_latency, size 8');
    const programs = [{ timed: [test.sleepAt(undefined, 1)] }, { timed: [test.sleepAt(7, forEver)] }];
    startThreads(programs).advance({ iterations: 1_000_000 });
  },
  groups: () => {
    dog.context('osu_latency, size 8');
    const turns = rotate([noop(), repeat([noop(), test.sleepAt(7, forEver)], 1)]);
    nativeExecutor.start({ timed: [turns] }).advance({ iterations: 100 });
  },
  call: () => {
    dog.context('osu_latency, size 8');
    test.blockForEver();
  },
  loop: () => {
    dog.context('osu_latency, size 8');
    busy(forEver);
  },
  idle: async () => {
    dog.context('osu_latency, size 8');
    await setTimeout(forEver);
  },
  bare: () => {
    test.blockForEver();
  },
  rearmed: async () => {
    dog.disarm();
    await setTimeout(800);
    dog.arm();
    test.blockForEver();
  },
  progress: () => {
    nativeExecutor.start({ timed: [test.sleepAt(undefined, 50)] }).advance({ iterations: 30 });
    jsExecutor.start({ timed: [test.sleepAt(undefined, 50)] }).advance({ iterations: 30 });
  },
  'long-iteration': () => {
    const timed = Array.from({ length: 30 }, () => test.sleepAt(undefined, 50));
    nativeExecutor.start({ timed }).advance({ iterations: 1 });
  },
  kicks: () => {
    busy(1.5, () => {
      dog.kick();
    });
  },
  contexts: () => {
    busy(1.5, () => {
      dog.context('a row');
    });
  },
  disarmed: async () => {
    dog.disarm();
    await setTimeout(1200);
  },
  stopped: () => {
    dog.stop();
    busy(1.2);
  },
  'blocking-a-while': () => {
    nativeExecutor.start({ timed: [test.sleepAt(undefined, 1500)] }).advance({ iterations: 1 });
  },
};

const dog = startWatchdog({ seconds: Number(limit), rank: Number(rank) });
process.stdout.write('started\n');
await scenarios[scenario]?.();
dog.stop();
process.stdout.write('ended\n');
