/** Ping-pongs of several threads on each of two ranks, all at once. */
import type { OsuOptions } from '../../cli/options.js';
import type { EngineBuffer } from '../../engine/buffer.js';
import { check, fill, repeat, type CheckOperation } from '../../engine/operations.js';
import type { Operation, Program } from '../../engine/types.js';
import type { Channel } from '../../transport/types.js';
import type { Built, Figures, Kernel, Measured } from '../kernels/kernel.js';
import type { Bench, RowTask } from '../row.js';
import { operationsOf, releaseAll, RowBuffers } from './buffers.js';

export interface ThreadsKernel {
  readonly name: string;
  figures(measured: Measured): Figures;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

/** Exchanges of one iteration, of all threads of a rank: so many that both ranks' threads share them evenly. */
function exchangesOf({ workers: { send, receive } }: OsuOptions): number {
  return (send * receive) / greatestDivisor(send, receive);
}

/** Above the tags of other channels. */
const FIRST_TAG = 1000;

interface Buffers {
  readonly sent: EngineBuffer;
  readonly received: EngineBuffer;
}

interface Thread {
  readonly program: Program;
  readonly checks: readonly CheckOperation[];
}

/** One round trip of a thread. What is made for checked data only is made when it is asked for: it holds its buffer. */
interface Exchange {
  readonly operations: readonly Operation[];
  readonly fill: (shift: number) => Operation;
  readonly check: () => CheckOperation;
  readonly tampering: () => readonly Operation[];
}

/** Lays out the threads of one rank. */
class Threads {
  readonly #channels: Channel[] = [];
  readonly #buffers: RowBuffers;
  readonly #first: boolean;
  constructor(
    private readonly task: RowTask,
    private readonly bench: Bench,
  ) {
    this.#buffers = new RowBuffers(bench.transport);
    this.#first = bench.rendezvous.rank === 0;
  }

  all(): Thread[] {
    const { send, receive } = this.task.options.workers;
    const count = this.#first ? send : receive;
    return Array.from({ length: count }, (_, index) => this.#thread(index, count));
  }

  close(): void {
    for (const channel of this.#channels) channel.close();
    this.#buffers.free();
  }

  /**
   * Thread `index` takes every `count`-th exchange. All share one tag, so that any thread takes any message; where data
   * is checked each exchange has a tag and buffers of its own, so that it is known whose data must arrive.
   */
  #thread(index: number, count: number): Thread {
    const checked = this.task.validationWarmup !== undefined;
    const exchanges: Exchange[] = [];
    const shared = checked ? undefined : this.#allocate();
    for (let slot = index; slot < exchangesOf(this.task.options); slot += count) {
      exchanges.push(this.#exchange(slot, checked ? FIRST_TAG + slot : FIRST_TAG, shared ?? this.#allocate()));
    }
    const timed = exchanges.flatMap(({ operations }) => operations);
    if (this.task.validationWarmup === undefined) return { program: { timed }, checks: [] };
    return this.#checked(exchanges, timed, this.task.validationWarmup);
  }

  #checked(exchanges: readonly Exchange[], timed: readonly Operation[], repeats: number): Thread {
    const fills = (shift: number): Operation[] => exchanges.map((exchange) => exchange.fill(shift));
    const warming = repeats > 0 ? [...fills(exchangesOf(this.task.options)), repeat(timed, repeats)] : [];
    const checks = exchanges.map((exchange) => exchange.check());
    const tampering = exchanges.flatMap((exchange) => exchange.tampering());
    const untimed = { before: [...warming, ...fills(0)], after: [...tampering, ...checks] };
    return { program: { timed, untimed }, checks };
  }

  #allocate(): Buffers {
    return { sent: this.#buffers.allocate(this.task.size), received: this.#buffers.allocate(this.task.size) };
  }

  #exchange(slot: number, tag: number, { sent, received }: Buffers): Exchange {
    const { size: length, datatype, layout } = this.task;
    const { rank } = this.bench.rendezvous;
    const peer = 1 - rank;
    const channel = this.bench.transport.channel({ peer, datatype, tag, ...(layout ? { layout } : {}) });
    this.#channels.push(channel);
    const both = [channel.send(sent, length), channel.receive(received, length)];
    return {
      operations: this.#first ? both : both.reverse(),
      fill: (shift) => fill(sent, { sender: rank, length, slot: slot + shift }),
      check: () => check(received, { sender: peer, length, slot }),
      tampering: () => this.bench.tamper?.({ rank, receive: [received], size: length }) ?? [],
    };
  }
}

function build(task: RowTask, bench: Bench): Built {
  const layout = new Threads(task, bench);
  const threads = layout.all();
  const programs = threads.map(({ program }) => program);
  return {
    phases: [{ name: 'ping-pongs', program: () => programs }],
    times: bench.rendezvous.rank === 0,
    checks: threads.flatMap(({ checks }) => checks),
    transmitSize: task.size,
    release: () => {
      releaseAll(programs.flatMap(operationsOf), bench.executor);
      layout.close();
    },
  };
}

/** Declares a kernel of ping-pongs between threads. */
export function onThreads(kernel: ThreadsKernel): Kernel {
  return Object.freeze<Kernel>({
    name: kernel.name,
    figures: (measured) => kernel.figures(measured),
    messages: exchangesOf,
    calls: (options) => exchangesOf(options) / options.workers.send,
    build,
  });
}
