/** A field of MPI ranks: rank 0 has a few steps measured, and prints what came of them as JSON. Takes 5 ranks. */
import { writeSync } from 'node:fs';
import { nativeExecutor } from '../../../src/engine/native-executor.js';
import { startWatchdog } from '../../../src/engine/watchdog.js';
import { readLauncher } from '../../../src/rendezvous/launcher.js';
import { mpiRendezvous } from '../../../src/rendezvous/mpi.js';
import { measurePairs } from '../../../src/study/pairs.js';
import { onRanks } from '../../../src/study/ranks.js';
import type { Field, Pair } from '../../../src/study/types.js';
import { mpiTransport } from '../../../src/transport/mpi.js';

const PAIRS: readonly Pair[] = [
  [0, 3],
  [2, 1],
];
const few = { size: 64, window: 4, iterations: 6, warmup: 1 };

function measure(field: Field): unknown {
  const pairs = ['osu_latency', 'osu_bw', 'osu_bibw'].map((program) =>
    measurePairs(field, { ...few, program, pairs: PAIRS }),
  );
  const [lone] = measurePairs(field, { ...few, program: 'osu_latency', pairs: [[4, 2]] });
  const limited = measurePairs(field, {
    ...{ ...few, program: 'osu_latency', pairs: PAIRS, iterations: 1e9, limit: 0.2 },
  });
  const part = { ...few, program: 'osu_mbw_mr', ranks: [3, 1, 4, 0] };
  const parts = field.run({ kind: 'parts', parts: [part], samples: true });
  const samples = [...parts.samples].map(([rank, { length }]) => [rank, length]);
  return { size: field.size, hosts: field.hosts, pairs, lone, limited, part: parts.summaries, samples };
}

const launcher = readLauncher();
const watchdog = startWatchdog({ seconds: 40, rank: launcher.rank ?? 0 });
const rendezvous = mpiRendezvous({ launcher });
const { comm } = rendezvous;
const world = { rendezvous, transport: mpiTransport({ comm }), watchdog, patience: 60, executor: nativeExecutor };
const told = onRanks(world, measure);
if (told !== undefined) writeSync(1, `${JSON.stringify(told)}\n`);
rendezvous.close();
watchdog.stop();
