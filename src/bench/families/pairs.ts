/** Kernels of pairs: rank r and rank r + pairs talk to each other, all pairs at once. */
import type { EngineBuffer } from '../../engine/buffer.js';
import { check, fill, repeat, type CheckOperation } from '../../engine/operations.js';
import type { Operation, Program } from '../../engine/types.js';
import type { Channel } from '../../transport/types.js';
import type { Built, Figures, Kernel, Measured } from '../kernels/kernel.js';
import type { Bench, RowTask } from '../row.js';
import { operationsOf, releaseAll, RowBuffers } from './buffers.js';

type Several = readonly [EngineBuffer, ...EngineBuffer[]];

/** What a kernel builds its operations from, on one rank and for one row of the table. */
export interface PairContext {
  /** `first` is the lower rank of a pair: the one that starts. */
  readonly role: 'first' | 'second';
  /** Data to and from the peer, in the row's datatype and layout. */
  readonly channel: Channel;
  /** Acknowledgements to and from the peer: plain bytes, whatever the datatype. */
  readonly control: Channel;
  readonly buffers: {
    /** One buffer, or one per message of the window (`-b multiple`); made when a kernel first asks for them. */
    readonly send: Several;
    readonly receive: Several;
    /** A few bytes for acknowledgements. */
    readonly control: EngineBuffer;
  };
  /** Bytes per message. */
  readonly size: number;
  /** Messages per iteration. */
  readonly window: number;
}

/** What a kernel does per iteration on one rank. */
export interface PairProgram {
  readonly timed: readonly Operation[];
  /** Whether this rank's send buffers go out, and whether data arrives in its receive buffers: what validation fills and checks. */
  readonly sends: boolean;
  readonly receives: boolean;
  /** Completes what `timed` leaves in flight. */
  readonly drain?: readonly Operation[];
}

export interface PairKernel {
  readonly name: string;
  program(context: PairContext): PairProgram;
  figures(measured: Measured): Figures;
}

/** Declares a kernel of pairs. */
export function definePairKernel({ name, program, figures }: PairKernel): Kernel {
  return Object.freeze<Kernel>({ name, figures, build: (task, bench) => build(program, task, bench) });
}

const CONTROL_BYTES = 64;
const CONTROL_TYPE = 'MPI_CHAR';

interface Side {
  readonly role: 'first' | 'second';
  readonly peer: number;
}

/** The rank that a rank talks to; undefined where it only keeps the barriers. */
export function partnerOf(rank: number, pairs: number): number | undefined {
  return sideOf(rank, pairs)?.peer;
}

function sideOf(rank: number, pairs: number): Side | null {
  if (rank < pairs) return { role: 'first', peer: rank + pairs };
  return rank < 2 * pairs ? { role: 'second', peer: rank - pairs } : null;
}

/** Buffers of one row, made when a kernel first asks for them. */
class PairBuffers extends RowBuffers {
  #send: Several | undefined;
  #receive: Several | undefined;
  #control: EngineBuffer | undefined;
  constructor(
    { transport }: Bench,
    private readonly size: number,
    readonly count: number,
  ) {
    super(transport);
  }
  get send(): Several {
    return (this.#send ??= this.several(this.count, this.size));
  }
  get receive(): Several {
    return (this.#receive ??= this.several(this.count, this.size));
  }
  get control(): EngineBuffer {
    return (this.#control ??= this.allocate(CONTROL_BYTES));
  }
}

interface Pairing {
  readonly side: Side;
  readonly buffers: PairBuffers;
  readonly control: Channel;
}

/**
 * Adds what fills and checks the data. The untimed repeats of `-u` leave their own data behind, so the send buffers are
 * filled with other data after them: what arrives late or not at all is seen. A short exchange then puts the pair in
 * step, since a barrier lets its ranks go one after the other.
 */
function withChecks(
  plan: PairProgram,
  { side, buffers, control }: Pairing,
  task: RowTask,
  bench: Bench,
): { program: Program; checks: readonly CheckOperation[] } {
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

/** A rank without a peer keeps the barriers of the others. */
function buildIdle(task: RowTask, { transport, executor }: Bench): Built {
  const count = task.barriers + (task.validationWarmup === undefined ? 0 : 1);
  const before = Array.from({ length: count }, () => transport.barrier());
  const program = count === 0 ? null : { timed: [], untimed: { before } };
  return {
    phases: [{ name: 'idle', program: () => program }],
    times: false,
    checks: [],
    transmitSize: task.size,
    release: () => {
      releaseAll(before, executor);
    },
  };
}

function build(programOf: PairKernel['program'], task: RowTask, bench: Bench): Built {
  const { rendezvous, transport } = bench;
  const side = sideOf(rendezvous.rank, task.pairs);
  if (!side) return buildIdle(task, bench);
  const barriers = Array.from({ length: task.barriers }, () => transport.barrier());
  const buffers = new PairBuffers(bench, task.size, task.manyBuffers ? task.window : 1);
  const { datatype, layout, size, window } = task;
  const channel = transport.channel({ peer: side.peer, datatype, ...(layout ? { layout } : {}) });
  const control = transport.channel({ peer: side.peer, datatype: CONTROL_TYPE });
  const plan = programOf({ role: side.role, channel, control, buffers, size, window });
  const built =
    task.validationWarmup === undefined
      ? { program: { timed: plan.timed, drain: plan.drain ?? [] } as Program, checks: [] }
      : withChecks(plan, { side, buffers, control }, task, bench);
  const before = [...(built.program.untimed?.before ?? []), ...barriers];
  const after = built.program.untimed?.after ?? [];
  // An empty untimed part would cost a second read of the clock per iteration.
  const untimed = before.length + after.length > 0 ? { untimed: { before, after } } : {};
  const program = { timed: built.program.timed, ...untimed, drain: built.program.drain ?? [] };
  return {
    phases: [{ name: 'exchange', program: () => program }],
    times: side.role === 'first',
    checks: built.checks,
    transmitSize: channel.transmitSize(size),
    release: () => {
      releaseAll(operationsOf(program), bench.executor);
      channel.close();
      control.close();
      buffers.free();
    },
  };
}
