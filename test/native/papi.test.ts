/** papi.node where it is built, and what is said where it isn't. What a machine counts differs: each test says both. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { builtAddons, LoadError } from '../../src/engine/index.js';
import { CountersError, openCounters, type Counters } from '../../src/papi/index.js';
import { withFolder } from '../unit/project.js';

const built = builtAddons().includes('papi');

/** Opens counters, or returns why they can't be. */
function tryOpen(events: readonly string[]): Counters | Error {
  try {
    return openCounters(events);
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

/** What is wrong with events that can't be counted: PAPI says so, or isn't built in. */
function expectRefusal(error: unknown, reason: CountersError['reason'], sentence: RegExp): void {
  if (built) {
    expect(error).to.be.instanceOf(CountersError).with.property('reason', reason);
    expect((error as Error).message).to.match(sentence);
  } else {
    expect(error).to.be.instanceOf(LoadError).with.property('reason', 'not-built');
  }
}

/** Keeps this thread busy until the process has used so many seconds more of a processor. */
function useProcessor(seconds: number): void {
  const start = process.cpuUsage();
  while (process.cpuUsage(start).user < seconds * 1e6);
}

const openFiles = (): number => readdirSync('/proc/self/fd').length;

describe('papi.node', () => {
  it('counts what the kernel counts, or says why it can not', () => {
    const events = ['perf::TASK-CLOCK', 'perf::PAGE-FAULTS'];
    const counters = tryOpen(events);
    if (counters instanceof Error) {
      expectRefusal(counters, 'not-here', /^(this machine can't count|the kernel forbids to count) perf::TASK-CLOCK /);
      return;
    }
    for (let span = 0; span < 3; ++span) {
      counters.start();
      useProcessor(0.02);
      const values = counters.stop();
      expect(values.map(({ name }) => name)).to.deep.equal(events);
      // The kernel counts nanoseconds; other threads may have used a part of them.
      expect(values[0]?.value).to.be.within(1e6, 1e11);
      expect(values[1]?.value).to.be.at.least(0);
    }
    counters.close();
    counters.close();
    const sentence = /^the counters of perf::TASK-CLOCK, perf::PAGE-FAULTS can't be read \(.+\): name fewer events$/;
    expect(() => counters.start()).to.throw(CountersError, sentence);
  });

  it('counts cycles, or says that this machine has no counter for them', () => {
    const counters = tryOpen(['PAPI_TOT_CYC']);
    if (counters instanceof Error) {
      expectRefusal(counters, 'not-here', /^(this machine can't count|the kernel forbids to count) PAPI_TOT_CYC /);
      return;
    }
    counters.start();
    useProcessor(0.02);
    expect(counters.stop()[0]?.value).to.be.above(1e5);
    counters.close();
  });

  it('refuses names that are none, and components that are not there', () => {
    for (const event of ['PAPI_TOT_CYX', 'perf::NO-SUCH-EVENT'])
      expectRefusal(tryOpen([event]), 'wrong-use', new RegExp(`^PAPI knows no event ${event}: papi_avail and`));
    const sentence =
      /^this machine can't count nothing:::x, because PAPI's component nothing doesn't work here \(this PAPI was built without it\): leave it out$/;
    expectRefusal(tryOpen(['nothing:::x']), 'not-here', sentence);
  });

  it('gives back what it opened before the event that it refuses', () => {
    const round = (): void => {
      expect(tryOpen(['perf::TASK-CLOCK', 'perf::NO-SUCH-EVENT'])).to.be.instanceOf(Error);
      const counters = tryOpen(['perf::TASK-CLOCK']);
      if (!(counters instanceof Error)) counters.close();
    };
    round();
    const before = openFiles();
    for (let times = 0; times < 100; ++times) round();
    expect(openFiles()).to.equal(before);
  });

  it('that is not built is said in one sentence', () => {
    const sources = join(dirname(fileURLToPath(import.meta.url)), '../../src');
    withFolder((folder) => {
      for (const part of ['engine', 'papi']) cpSync(join(sources, part), join(folder, part), { recursive: true });
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      const script = `
        import { openCounters } from ${JSON.stringify(pathToFileURL(join(folder, 'papi/index.js')).href)};
        try { openCounters(['PAPI_TOT_CYC']); } catch (error) { console.log(error.name, error.reason, error.message); }`;
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
        encoding: 'utf8',
      });
      expect(stderr).to.equal('');
      expect(stdout).to.match(
        /^LoadError not-built papi\.node is not built \(looked for .*papi\.node\): install PAPI \(on Debian: apt-get install libpapi-dev\), then npm run build\n$/,
      );
    });
  });
});
