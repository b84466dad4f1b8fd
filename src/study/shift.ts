/** All ranks send to one and receive from another at the same time: a step in which the whole network is busy. */
import { operationsOf, releaseAll } from '../bench/families/buffers.js';
import type { Executor, Program } from '../engine/types.js';
import type { Channel, Transport } from '../transport/types.js';
import { spreadOf } from './summary.js';
import type { ShiftStep, Summary } from './types.js';

const TYPE = 'MPI_CHAR';

/** What a rank needs to take part. */
export interface ShiftGround {
  readonly rank: number;
  readonly transport: Transport;
  readonly executor: Executor;
}

/**
 * Windows of messages, each from a barrier of all ranks on. A rank times until the last message to itself has arrived: how
 * long its own sending takes is not in it, and one slow link holds up nobody but its own receiver. Ranks that the step
 * doesn't name keep the barriers.
 */
export function shift(step: ShiftStep, ground: ShiftGround): Omit<Summary, 'rank'> | null {
  const { ranks, by, window, size } = step;
  const { transport } = ground;
  const place = ranks.indexOf(ground.rank);
  if (place < 0) return keepBarriers(step, transport);
  const rankAt = (index: number): number => ranks[(index + ranks.length) % ranks.length] ?? NaN;
  const there = transport.channel({ peer: rankAt(place + by), datatype: TYPE });
  const back = transport.channel({ peer: rankAt(place - by), datatype: TYPE });
  const out = transport.allocate(Math.max(1, size));
  const into = transport.allocate(Math.max(1, size));
  const program: Program = {
    timed: [back.startReceives([into], size, window), there.startSends([out], size, window), back.completeReceives()],
    untimed: { before: [transport.barrier()], after: [there.completeSends()] },
  };
  const summary = timed(program, step, ground.executor);
  releaseAll(operationsOf(program), ground.executor);
  closeAll(there, back);
  out.free();
  into.free();
  return summary;
}

function closeAll(...channels: readonly Channel[]): void {
  for (const channel of channels) channel.close();
}

function timed(program: Program, { warmup, iterations }: ShiftStep, executor: Executor): Omit<Summary, 'rank'> {
  const run = executor.start(program);
  const samples = new Float64Array(iterations);
  if (warmup > 0) run.warmUp(warmup);
  const { seconds } = run.advance({ iterations, samples });
  run.finish();
  return { iterations, seconds, spread: spreadOf(samples) };
}

function keepBarriers({ warmup, iterations }: ShiftStep, transport: Transport): null {
  const barrier = transport.barrier();
  for (let window = 0; window < warmup + iterations; window++) barrier();
  return null;
}
