/** One-sided kernels as they are laid out, over a channel that moves nothing. */
import { expect } from 'chai';
import { osuRows, type MeasuringRow } from '../../src/bench/suites/osu.js';
import type { Bench, RowTask } from '../../src/bench/row.js';
import { parseOsu } from '../../src/cli/osu.js';
import { EngineBuffer } from '../../src/engine/buffer.js';
import { nativeExecutor } from '../../src/engine/native-executor.js';
import type { Operation, Program } from '../../src/engine/types.js';
import { loopbackRendezvous } from '../../src/rendezvous/loopback.js';
import { mockTransport, linearModel, VirtualClock } from '../../src/transport/mock.js';
import type { OneSidedChannel, OneSidedOptions } from '../../src/transport/one-sided.js';
import { testOperations } from '../native/test-addon.js';

const oneSidedRows = osuRows.filter((row): row is MeasuringRow => row.family === 'one-sided');

interface Seen {
  /** Bytes of each buffer. */
  readonly allocated: readonly number[];
  readonly exposed: number;
  readonly timed: readonly string[];
  readonly program: Program;
}

/** Lays a row out on rank 0, and says what it took. */
function layOut(name: string, argv: readonly string[], size: number): Seen {
  const row = oneSidedRows.find((one) => one.name === name);
  if (!row) throw new Error(`there is no ${name}`);
  const parsed = parseOsu(argv, row);
  if (parsed.kind !== 'run') throw new Error(`not a run: ${argv.join(' ')}`);
  const { options } = parsed;
  const names = new Map<Operation, string>();
  const allocated: number[] = [];
  let exposed = NaN;
  const oneSided = ({ bytes }: OneSidedOptions): OneSidedChannel => {
    exposed = bytes;
    const memory = EngineBuffer.allocate(bytes);
    return new Proxy({} as OneSidedChannel, {
      get: (_, member) => {
        if (member === 'exposed') return memory;
        if (member === 'close') return () => memory.free();
        return () => {
          const operation = testOperations().record(String(member));
          names.set(operation, String(member));
          return operation;
        };
      },
    });
  };
  const clock = new VirtualClock();
  const transport: Bench['transport'] = {
    ...mockTransport(clock, linearModel(1e-6, 1e9)),
    allocate: (bytes) => {
      allocated.push(bytes);
      return EngineBuffer.allocate(bytes);
    },
    barrier: () => testOperations().record('barrier'),
    oneSided,
  };
  const bench: Bench = { rendezvous: loopbackRendezvous(2), transport, executor: nativeExecutor, now: clock.now };
  const [datatype = ''] = options.datatypes;
  const task: RowTask = {
    ...{ kernel: row.kernel, barriers: 0, pairs: 1, size, window: options.window, datatype, layout: undefined },
    ...{
      manyBuffers: false,
      warmup: 1,
      validationWarmup: options.validation ? 0 : undefined,
      stamps: undefined,
      options,
    },
  };
  const built = row.kernel.build(task, bench);
  const program = built.phases[0]?.program([]);
  if (!program || !('timed' in program)) throw new Error('rank 0 does nothing');
  const timed = program.timed.map((operation) => names.get(operation) ?? 'another');
  built.release();
  return { allocated, exposed, timed, program };
}

describe('one-sided benchmarks', () => {
  it('check data and take a type, all nine of them', () => {
    expect(oneSidedRows).to.have.lengthOf(9);
    for (const { name, accepts } of oneSidedRows) expect(accepts, name).to.include.members(['validation', 'type']);
  });

  for (const [name, call] of [
    ['osu_cas_latency', 'compareAndSwap'],
    ['osu_fop_latency', 'fetchAndOp'],
  ] as const) {
    it(`${name} has buffers of one element`, () => {
      const { allocated, exposed } = layOut(name, [], 4);
      expect([...new Set([...allocated, exposed])]).to.deep.equal([4]);
    });

    it(`${name} -c fills and checks outside of the measured time`, () => {
      const { timed, program } = layOut(name, ['-c'], 4);
      expect(timed).to.deep.equal([call, 'flush']);
      expect(program.untimed?.before).to.not.be.empty;
      expect(program.untimed?.after).to.not.be.empty;
    });
  }
});
