/** Measures one row: builds the operations, warms up, runs timed chunks, checks data, and tells what was seen. */
import type { EngineBuffer } from '../engine/buffer.js';
import { check, checkResult, fill, releaseOperation, repeat, type CheckOperation } from '../engine/operations.js';
import type { Executor, Operation, Program } from '../engine/types.js';
import type { Rendezvous } from '../rendezvous/types.js';
import type { Channel, Layout, Transport } from '../transport/types.js';
import type { Kernel, KernelProgram } from './kernels/kernel.js';

/** What a row's measuring needs of its surroundings. */
export interface Bench {
  readonly rendezvous: Rendezvous;
  readonly transport: Transport;
  readonly executor: Executor;
  /** Wall-clock time in seconds, for time limits. */
  readonly now: () => number;
  /** For tests: operations that run after each timed part and before the data is checked. */
  readonly tamper?: (place: TamperPlace) => readonly Operation[];
}

/** Where a test's own operations may meddle. */
export interface TamperPlace {
  readonly rank: number;
  readonly receive: readonly EngineBuffer[];
  readonly size: number;
}

/** What is measured in one row. */
export interface RowTask {
  readonly kernel: Kernel;
  /** Barriers of all ranks before each timed part. */
  readonly barriers: number;
  readonly pairs: number;
  readonly size: number;
  readonly window: number;
  readonly datatype: string;
  readonly layout: Layout | undefined;
  /** One buffer per message of a window instead of one for all. */
  readonly manyBuffers: boolean;
  readonly warmup: number;
  /** Untimed repeats before each timed part, with every byte checked after it; undefined = no validation. */
  readonly validationWarmup: number | undefined;
}

/** One wrong byte, as the log of `-c log` tells it. */
export interface WrongBytes {
  readonly slot: number;
  readonly bytes: number;
  readonly iteration: number;
  readonly offset: number;
  readonly expected: number;
  readonly got: number;
}

/** What this rank saw. */
export interface RowSeen {
  readonly iterations: number;
  /** Sum of the timed parts; null on ranks whose times don't make the figure. */
  readonly seconds: number | null;
  readonly wrong: readonly WrongBytes[];
  readonly transmitSize: number;
}

const CONTROL_BYTES = 64;
const CONTROL_TYPE = 'MPI_CHAR';

interface Side {
  readonly role: 'first' | 'second';
  readonly peer: number;
}

function sideOf(rank: number, pairs: number): Side | null {
  if (rank < pairs) return { role: 'first', peer: rank + pairs };
  return rank < 2 * pairs ? { role: 'second', peer: rank - pairs } : null;
}

type Several = [EngineBuffer, ...EngineBuffer[]];

/** Buffers of one row, made when a kernel first asks for them. */
class RowBuffers {
  readonly #made: EngineBuffer[] = [];
  #send: Several | undefined;
  #receive: Several | undefined;
  #control: EngineBuffer | undefined;
  constructor(
    private readonly transport: Transport,
    private readonly size: number,
    readonly count: number,
  ) {}

  #allocate(bytes: number): EngineBuffer {
    const buffer = this.transport.allocate(Math.max(bytes, 1));
    this.#made.push(buffer);
    return buffer;
  }
  #several(): Several {
    const others = Array.from({ length: this.count - 1 }, () => this.#allocate(this.size));
    return [this.#allocate(this.size), ...others];
  }
  get send(): Several {
    return (this.#send ??= this.#several());
  }
  get receive(): Several {
    return (this.#receive ??= this.#several());
  }
  get control(): EngineBuffer {
    return (this.#control ??= this.#allocate(CONTROL_BYTES));
  }
  free(): void {
    for (const buffer of this.#made) buffer.free();
  }
}

interface Pairing {
  readonly side: Side;
  readonly buffers: RowBuffers;
  readonly control: Channel;
}

interface Built {
  readonly program: Program;
  readonly checks: readonly CheckOperation[];
  readonly transmitSize: number;
  /** Gives memory back at once: large buffers can't wait for the garbage collector. */
  release(): void;
}

/**
 * Adds what fills and checks the data. The untimed repeats of `-u` leave their own data behind, so the send buffers are
 * filled with other data after them: what arrives late or not at all is seen. A short exchange then puts the pair in
 * step, since a barrier lets its ranks go one after the other.
 */
function withChecks(
  plan: KernelProgram,
  { side, buffers, control }: Pairing,
  task: RowTask,
  bench: Bench,
): Pick<Built, 'program' | 'checks'> {
  const { rank } = bench.rendezvous;
  const { size: length, validationWarmup: repeats = 0 } = task;
  const fills = (from: number): Operation[] =>
    plan.sends ? buffers.send.map((buffer, slot) => fill(buffer, { sender: rank, length, slot: from + slot })) : [];
  const checks = plan.receives
    ? buffers.receive.map((buffer, slot) => check(buffer, { sender: side.peer, length, slot }))
    : [];
  const tampering = plan.receives ? (bench.tamper?.({ rank, receive: buffers.receive, size: length }) ?? []) : [];
  const warming = repeats > 0 ? [...fills(buffers.count), repeat(plan.timed, repeats)] : [];
  const both = [control.send(buffers.control, CONTROL_BYTES), control.receive(buffers.control, CONTROL_BYTES)];
  const exchange = side.role === 'first' ? both : both.reverse();
  return {
    program: {
      timed: plan.timed,
      untimed: {
        before: [...warming, ...fills(0), bench.transport.barrier(), ...exchange, ...exchange],
        after: [...tampering, ...checks],
      },
      drain: plan.drain ?? [],
    },
    checks,
  };
}

function build(task: RowTask, bench: Bench): Built {
  const { rendezvous, transport } = bench;
  const barriers = Array.from({ length: task.barriers }, () => transport.barrier());
  const side = sideOf(rendezvous.rank, task.pairs);
  const validating = task.validationWarmup !== undefined;
  if (!side) {
    const before = validating ? [transport.barrier(), ...barriers] : barriers;
    const program = { timed: [], untimed: { before } };
    return { program, checks: [], transmitSize: task.size, release: () => undefined };
  }
  const buffers = new RowBuffers(transport, task.size, task.manyBuffers ? task.window : 1);
  const { datatype, layout, kernel, size, window } = task;
  const channel = transport.channel({ peer: side.peer, datatype, ...(layout ? { layout } : {}) });
  const control = transport.channel({ peer: side.peer, datatype: CONTROL_TYPE });
  const plan = kernel.program({ role: side.role, channel, control, buffers, size, window });
  const built = validating
    ? withChecks(plan, { side, buffers, control }, task, bench)
    : { program: { timed: plan.timed, drain: plan.drain ?? [] }, checks: [] };
  const before = [...(built.program.untimed?.before ?? []), ...barriers];
  const after = built.program.untimed?.after ?? [];
  // An empty untimed part would cost a second read of the clock per iteration.
  const untimed = before.length + after.length > 0 ? { untimed: { before, after } } : {};
  const program = { timed: built.program.timed, ...untimed, drain: built.program.drain ?? [] };
  return {
    program,
    checks: built.checks,
    transmitSize: channel.transmitSize(size),
    release: () => {
      release(program, bench.executor);
      channel.close();
      control.close();
      buffers.free();
    },
  };
}

/** Untimed operations may hold timed ones (`repeat`), so they go first. A mock's operations hold nothing. */
function release({ timed, untimed, drain }: Program, executor: Executor): void {
  if (executor.name === 'mock') return;
  const all = [...(untimed?.before ?? []), ...(untimed?.after ?? []), ...timed, ...(drain ?? [])];
  for (const operation of new Set(all)) releaseOperation(operation);
}

function wrongBytes(checks: readonly CheckOperation[]): WrongBytes[] {
  return checks.flatMap((operation, slot) => {
    const { errors, first } = checkResult(operation);
    return errors > 0 && first ? [{ slot, bytes: errors, ...first }] : [];
  });
}

/** How many iterations come next: the same answer on every rank. */
export interface ChunkSource {
  /** No chunk is larger. */
  readonly most: number;
  /** 0 = the row is over. */
  next(): number;
  /** Says what a chunk (or, with 0 iterations, the warm-up) took on this rank in seconds of wall-clock time. */
  ran(iterations: number, seconds: number): void;
}

/**
 * Runs one row on this rank; every rank of the run calls it together.
 *
 * @param collect takes the samples of each chunk in seconds, one per iteration, and copies what it keeps; every rank calls it
 * @throws OperationError where a communication call fails
 */
export function measureRow(
  task: RowTask,
  bench: Bench,
  chunks: ChunkSource,
  collect: (seconds: Float64Array) => void,
): RowSeen {
  const { rendezvous, executor } = bench;
  const { program, checks, transmitSize, release: giveBack } = build(task, bench);
  rendezvous.barrier();
  const run = executor.start(program);
  const timeOf = (work: () => void): number => {
    const start = bench.now();
    work();
    return bench.now() - start;
  };
  let seconds = 0;
  let iterations = 0;
  // Touched before the warm-up, or the kernel would map its pages while we measure.
  const room = new Float64Array(chunks.most).fill(0);
  // A chunk begins where the ranks come from elsewhere: without a first iteration beside the measured ones its first
  // sample would hold the wait for the peer. Barriers and exchanges before each timed part do the same.
  const leadIn = task.warmup > 0 && program.untimed === undefined ? 1 : 0;
  if (task.warmup > 0) {
    const took = timeOf(() => {
      run.warmUp(task.warmup);
    });
    chunks.ran(0, took);
  }
  for (let chunk = chunks.next(); chunk > 0; chunk = chunks.next()) {
    const samples = room.subarray(0, chunk);
    const took = timeOf(() => {
      seconds += run.advance({ iterations: chunk, samples, leadIn }).seconds;
    });
    iterations += chunk;
    chunks.ran(chunk, took);
    collect(samples);
  }
  run.finish();
  const wrong = wrongBytes(checks);
  giveBack();
  return { iterations, seconds: rendezvous.rank < task.pairs ? seconds : null, wrong, transmitSize };
}
