import { expect } from 'chai';
import { planRun } from '../../src/bench/plan.js';
import { runBenchmark } from '../../src/bench/run.js';
import { programs } from '../../src/bench/suites/index.js';
import { parseOsu } from '../../src/cli/osu.js';
import { jsExecutor, makeJsExecutor } from '../../src/engine/js-executor.js';
import { nativeExecutor } from '../../src/engine/native-executor.js';
import type { Executor } from '../../src/engine/types.js';
import { loopbackRendezvous } from '../../src/rendezvous/loopback.js';
import type { RowRecord } from '../../src/results/types.js';
import { linearModel, mockTransport, VirtualClock } from '../../src/transport/mock.js';

/** Warm-up iterations of the rows of 8192 and 8193 bytes, by an executor that is as soon steady as `like`. */
function warmups(like: Executor, ...argv: string[]): (number | null | undefined)[] {
  const row = programs.get('osu_latency');
  if (!row || !('kernel' in row)) throw new Error('there is no osu_latency');
  const parsed = parseOsu(['--sizes', '8192,8193', '-i', '5', ...argv], row);
  if (parsed.kind !== 'run') throw new Error(`not a run: ${argv.join(' ')}`);
  const clock = new VirtualClock();
  const { now } = clock;
  const transport = mockTransport(clock, linearModel(1e-6, 1e9));
  const steady = like.steadyAfter === undefined ? {} : { steadyAfter: like.steadyAfter };
  const executor = { ...makeJsExecutor({ name: 'mock', now }), ...steady };
  const rows: RowRecord[] = [];
  const nothing = (): void => undefined;
  runBenchmark({
    row,
    options: parsed.options,
    plan: planRun(row, parsed.options, { ranks: 2, nodes: [], datatypes: transport.datatypes, readText: () => '' }),
    bench: { rendezvous: loopbackRendezvous(2), transport, executor, now },
    reporters: [{ begin: nothing, section: nothing, end: nothing, row: (record) => rows.push(record) }],
  });
  return rows.map(({ warmup }) => warmup);
}

describe('warm-up', () => {
  it('of the native engine is as long as the peer’s', () => {
    expect(warmups(nativeExecutor)).to.deep.equal([100, 10]);
  });

  it('of the js engine is longer up to 8K, unless -x is given', () => {
    expect(warmups(jsExecutor)).to.deep.equal([8000, 10]);
    expect(warmups(jsExecutor, '-x', '20')).to.deep.equal([20, 20]);
  });
});
