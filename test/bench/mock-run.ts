/** Runs a program of a suite over the mock transport: one process stands for all ranks, time is virtual. */
import { parseOsu } from '../../src/cli/osu.js';
import { makeJsExecutor } from '../../src/engine/js-executor.js';
import { nodesOf } from '../../src/bench/nodes.js';
import { planRun } from '../../src/bench/plan.js';
import { runBenchmark, type RunOutcome } from '../../src/bench/run.js';
import { programs } from '../../src/bench/suites/index.js';
import { MemorySink, OsuTextReporter, osuTable } from '../../src/report/index.js';
import type { Reporter, RunHead } from '../../src/report/types.js';
import { RESULT_SCHEMA, type RowRecord } from '../../src/results/types.js';
import { loopbackRendezvous } from '../../src/rendezvous/loopback.js';
import { linearModel, mockTransport, VirtualClock, type MockModel } from '../../src/transport/mock.js';

export interface MockRun {
  readonly outcome: RunOutcome;
  readonly text: string;
  readonly rows: readonly RowRecord[];
  readonly samples: readonly number[];
  readonly announced: readonly string[];
}

export interface MockOptions {
  readonly ranks?: number;
  readonly model?: MockModel;
  readonly files?: Readonly<Record<string, string>>;
}

const head: RunHead = {
  run: {
    name: 'mock',
    version: RESULT_SCHEMA,
    layer: 'mock',
    engine: 'mock',
    options: {},
    commandLine: [],
    started: '2026-01-01T00:00:00.000Z',
    ended: null,
  },
  environment: {
    hosts: [],
    mpi: null,
    ucx: null,
    verbs: null,
    node: process.version,
    fabricbench: '0',
    clock: { source: 'mock', frequency: null, resolution: null, readCost: null },
    settings: {},
  },
  ranks: [],
};

/** @throws Refusal as the real run does; an Error when the options are refused */
export function mockRun(name: string, argv: readonly string[], options: MockOptions = {}): MockRun {
  const { ranks = 2, model = linearModel(1e-6, 1e9), files = {} } = options;
  const row = programs.get(name);
  if (!row || !('kernel' in row)) throw new Error(`no row named ${name} that measures`);
  const parsed = parseOsu(argv, row);
  if (parsed.kind !== 'run') throw new Error(`not a run: ${JSON.stringify(parsed)}`);
  const clock = new VirtualClock();
  const transport = mockTransport(clock, model, ranks);
  const readText = (file: string): string => {
    const text = files[file];
    if (text === undefined) throw new Error('no such file');
    return text;
  };
  const nodes = nodesOf(Array<string>(ranks).fill('mock'), parsed.options.nodesBy);
  const plan = planRun(row, parsed.options, { ranks, nodes, datatypes: transport.datatypes, readText });
  const sink = new MemorySink();
  const rows: RowRecord[] = [];
  const samples: number[] = [];
  const announced: string[] = [];
  const keep: Reporter = {
    begin: () => undefined,
    section: () => undefined,
    samples: (_rank, seconds) => {
      samples.push(...seconds);
    },
    row: (record) => {
      rows.push(record);
    },
    end: () => undefined,
  };
  const reporters = [new OsuTextReporter(osuTable(row, parsed.options, plan), sink), keep];
  for (const reporter of reporters) reporter.begin({ ...head, run: { ...head.run, name } });
  const outcome = runBenchmark({
    row,
    options: parsed.options,
    plan,
    reporters,
    bench: {
      rendezvous: loopbackRendezvous(ranks),
      transport,
      executor: makeJsExecutor({ name: 'mock', now: clock.now }),
      now: clock.now,
    },
    announce: (what) => {
      announced.push(what);
    },
  });
  for (const reporter of reporters) reporter.end({ state: 'done' });
  return { outcome, text: sink.text, rows, samples, announced };
}
