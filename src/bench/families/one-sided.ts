/** Kernels of one-sided communication between two ranks, or pairs of them: rank 0 is the origin, and where epochs go both ways rank 1 too. */
import type { OsuOptions } from '../../cli/options.js';
import type { EngineBuffer } from '../../engine/buffer.js';
import { checkNumbers, checkReduction, fillNumbers } from '../../engine/numbers.js';
import { check, fill, repeat, type CheckOperation } from '../../engine/operations.js';

import type { Bytes, Operation, Program } from '../../engine/types.js';
import type { OneSidedChannel } from '../../transport/one-sided.js';
import type { Built, Kernel, Measured, Figures } from '../kernels/kernel.js';
import type { Bench, RowTask } from '../row.js';
import { operationsOf, releaseAll, RowBuffers } from './buffers.js';

export type OneSidedCall = 'put' | 'get' | 'accumulate' | 'get_accumulate' | 'compare_and_swap' | 'fetch_and_op';

/** How epochs follow each other: one call at a time and back, windows of calls one way, windows both ways at once. */
export type Flow = 'latency' | 'stream' | 'both-ways';

export interface OneSidedKernel {
  readonly call: OneSidedCall;
  readonly flow: Flow;
  figures(measured: Measured): Figures;
}

/** Whether the target takes part: then latencies go back and forth, as the peer's do. */
const isActive = ({ synchronization }: OsuOptions): boolean =>
  synchronization === 'pscw' || synchronization === 'fence';

/** One rank's memory. Slots are the messages of a window, one after the other. */
interface Memory {
  readonly origin: EngineBuffer;
  /** What fetching calls bring. */
  readonly result: EngineBuffer;
  /** What MPI_Compare_and_swap compares with. */
  readonly compare: EngineBuffer;
  readonly exposed: Bytes;
}

interface Place {
  readonly kernel: OneSidedKernel;
  readonly task: RowTask;
  readonly channel: OneSidedChannel;
  readonly memory: Memory;
  /** Calls per epoch. */
  readonly slots: number;
  readonly rank: number;
}

function callOf({ kernel, task, channel, memory, slots }: Place): Operation {
  const { size } = task;
  const { origin, result, compare } = memory;
  switch (kernel.call) {
    case 'put':
      return slots > 1 ? channel.putWindow(origin, size, slots) : channel.put(origin, size, 0);
    case 'get':
      return slots > 1 ? channel.getWindow(result, size, slots) : channel.get(result, size, 0);
    case 'accumulate':
      return channel.accumulate(origin, size, 0);
    case 'get_accumulate':
      return channel.getAccumulate(origin, result, size, 0);
    case 'compare_and_swap':
      return channel.compareAndSwap(origin, compare, result, 0);
    case 'fetch_and_op':
      return channel.fetchAndOp(origin, result, 0);
  }
}

/** The timed part on one rank, and what opens and closes the epoch around all of them. */
interface Epochs {
  readonly open: readonly Operation[];
  readonly timed: readonly Operation[];
  readonly close: readonly Operation[];
}

function passiveEpochs(place: Place): Epochs {
  const { channel, rank, task } = place;
  if (rank !== 0) return { open: [], timed: [], close: [] };
  const call = callOf(place);
  switch (task.options.synchronization) {
    case 'lock':
      return { open: [], timed: [channel.lock(), call, channel.unlock()], close: [] };
    case 'lock_all':
      return { open: [], timed: [channel.lockAll(), call, channel.unlockAll()], close: [] };
    case 'flush_local':
      return { open: [channel.lock()], timed: [call, channel.flushLocal()], close: [channel.unlock()] };
    default:
      return { open: [channel.lock()], timed: [call, channel.flush()], close: [channel.unlock()] };
  }
}

function fenceEpochs(place: Place): Epochs {
  const { channel, rank, kernel } = place;
  const open = [channel.fence()];
  // Made where they are used only: operations hold their buffers.
  const acts = (): Operation[] => [callOf(place), channel.fence()];
  const waits = (): Operation[] => [channel.fence()];
  if (kernel.flow === 'both-ways') return { open, timed: acts(), close: [] };
  const [own, other] = rank === 0 ? [acts, waits] : [waits, acts];
  return { open, timed: kernel.flow === 'latency' ? [...own(), ...other()] : own(), close: [] };
}

function postedEpochs(place: Place): Epochs {
  const { channel, rank, kernel } = place;
  const around = { open: [], close: [] };
  if (kernel.flow === 'both-ways') {
    const timed = [channel.post(), channel.start(), callOf(place), channel.complete(), channel.wait()];
    return { ...around, timed };
  }
  const acts = (): Operation[] => [channel.start(), callOf(place), channel.complete()];
  const exposes = (): Operation[] => [channel.post(), channel.wait()];
  const [first, second] = rank === 0 ? [acts, exposes] : [exposes, acts];
  return { ...around, timed: kernel.flow === 'latency' ? [...first(), ...second()] : first() };
}

function epochsOf(place: Place): Epochs {
  const { synchronization } = place.task.options;
  if (synchronization === 'fence') return fenceEpochs(place);
  return synchronization === 'pscw' ? postedEpochs(place) : passiveEpochs(place);
}

interface Data {
  readonly fills: (shift: number) => readonly Operation[];
  readonly checks: readonly CheckOperation[];
}

/** Each slot of `bytes`, made by `of`. */
function perSlot<T>(
  slots: number,
  size: number,
  of: (place: { offset: number; length: number; slot: number }) => T,
): T[] {
  return Array.from({ length: slots }, (_, slot) => of({ offset: slot * size, length: size, slot }));
}

const none: Data = { fills: () => [], checks: [] };

/** Of calls that combine: the start values are those of sender 0, the origin's those of sender 1, apart by target. */
function combinedData({ kernel, task, memory, rank }: Place, asOrigin: boolean): Data {
  const { datatype: type, size: length } = task;
  const peer = 1 - rank;
  const senders = 2;
  const numbers = (buffer: Bytes, sender: number, slot: number) =>
    fillNumbers(buffer, { type, sender, senders, length, slot });
  if (!asOrigin) {
    return {
      fills: (shift) => [numbers(memory.exposed, 0, rank + shift)],
      checks: [checkReduction(memory.exposed, { type, operation: 'sum', senders, length, slot: rank })],
    };
  }
  const fetches = kernel.call !== 'accumulate';
  return {
    fills: (shift) => [numbers(memory.origin, 1, peer + shift)],
    checks: fetches ? [checkNumbers(memory.result, { type, sender: 0, senders, length, slot: peer })] : [],
  };
}

/** What this rank fills and checks in its part. Slots of the target's own data stand apart from the origin's. */
function dataOf(place: Place, asOrigin: boolean): Data {
  const { kernel, memory, slots, task, rank } = place;
  const { size } = task;
  const peer = 1 - rank;
  const each = <T>(of: (at: { offset: number; length: number; slot: number }) => T): T[] => perSlot(slots, size, of);
  const fills = (buffer: Bytes, sender: number) => (shift: number) =>
    each(({ slot, ...at }) => fill(buffer, { ...at, sender, slot: slot + shift }));
  const checks = (buffer: Bytes, sender: number) => each((at) => check(buffer, { ...at, sender }));
  switch (kernel.call) {
    case 'put':
      return asOrigin
        ? { fills: fills(memory.origin, rank), checks: [] }
        : { fills: () => [], checks: checks(memory.exposed, peer) };
    case 'get':
      return asOrigin
        ? { fills: () => [], checks: checks(memory.result, peer) }
        : { fills: fills(memory.exposed, rank), checks: [] };
    case 'compare_and_swap': {
      // It compares with what the target has, so that it swaps: the target's data come back, the origin's stand there.
      const swapped = 2;
      if (!asOrigin) return { fills: fills(memory.exposed, rank), checks: checks(memory.exposed, peer + swapped) };
      const [own, compared] = [fills(memory.origin, rank + swapped), fills(memory.compare, peer)];
      return { fills: (shift) => [...own(shift), ...compared(shift)], checks: checks(memory.result, peer) };
    }
    default:
      return combinedData(place, asOrigin);
  }
}

function both(first: Data, second: Data): Data {
  return {
    fills: (shift) => [...first.fills(shift), ...second.fills(shift)],
    checks: [...first.checks, ...second.checks],
  };
}

/** No slot of a window is as large. */
const REPEATS_SHIFT = 1 << 20;

/** Adds what fills and checks the data, and the barriers that keep the ranks apart from each other's memory. */
function withChecks(
  place: Place,
  { timed, close }: Epochs,
  bench: Bench,
): { program: Program; checks: readonly CheckOperation[] } {
  const { task, kernel, channel, rank, memory } = place;
  const repeats = task.validationWarmup ?? 0;
  const acts = kernel.flow === 'both-ways' || rank === 0 || (kernel.flow === 'latency' && isActive(task.options));
  const exposes = kernel.flow === 'both-ways' || rank === 1 || (kernel.flow === 'latency' && isActive(task.options));
  const { fills, checks } = both(acts ? dataOf(place, true) : none, exposes ? dataOf(place, false) : none);
  const barrier = (): Operation => bench.transport.barrier();
  const repeated = (): Operation[] => (timed.length > 0 ? [repeat(timed, repeats)] : []);
  const warming = repeats > 0 ? [...fills(REPEATS_SHIFT), barrier(), ...repeated(), barrier()] : [];
  // Of flush_local the data may still be on their way.
  const arriving = task.options.synchronization === 'flush_local' && rank === 0 ? [channel.flush()] : [];
  const size = task.size * place.slots;
  const looked = exposes && kernel.call !== 'get' ? memory.exposed : memory.result;
  const tampering = checks.length > 0 ? (bench.tamper?.({ rank, receive: [looked], size }) ?? []) : [];
  return {
    program: {
      timed,
      untimed: {
        before: [...warming, ...fills(0), barrier()],
        after: [...arriving, barrier(), ...tampering, ...checks],
      },
      drain: close,
    },
    checks,
  };
}

function build(kernel: OneSidedKernel, task: RowTask, bench: Bench): Built {
  const { rendezvous, transport } = bench;
  const { rank: own } = rendezvous;
  // Of several pairs, r and r + pairs, each does what a lone one does: its ranks are 0 and 1.
  const rank = own < task.pairs ? 0 : 1;
  const peer = rank === 0 ? own + task.pairs : own - task.pairs;
  if (!transport.oneSided) throw new Error(`the layer ${transport.layer} has no one-sided calls`);
  const slots = kernel.flow === 'latency' ? 1 : task.window;
  const bytes = task.size * slots;
  const buffers = new RowBuffers(transport);
  const [origin, result, compare] = [buffers.allocate(bytes), buffers.allocate(bytes), buffers.allocate(task.size)];
  const creation = task.options.windowCreation;
  const channel = transport.oneSided({ peer, datatype: task.datatype, bytes, creation }, rendezvous);
  const memory = { origin, result, compare, exposed: channel.exposed };
  const place = { kernel, task, channel, memory, slots, rank };
  const epochs = epochsOf(place);
  const { timed, close, open } = epochs;
  const plain = { program: { timed, drain: close }, checks: [] };
  const { program, checks } = task.validationWarmup === undefined ? plain : withChecks(place, epochs, bench);
  const idle = timed.length === 0 && task.validationWarmup === undefined;
  return {
    phases: [
      {
        name: 'epochs',
        program: () => {
          for (const operation of open) operation();
          return idle ? null : program;
        },
      },
    ],
    times: rank === 0,
    checks,
    transmitSize: task.size,
    release: () => {
      releaseAll([...operationsOf(program), ...open], bench.executor);
      channel.close();
      buffers.free();
    },
  };
}

/** Declares a kernel of one-sided calls. */
export function oneSided(kernel: OneSidedKernel): Kernel {
  return Object.freeze<Kernel>({
    name: `${kernel.call} ${kernel.flow}`,
    figures: (measured) => kernel.figures(measured),
    calls: (options) => (kernel.flow === 'latency' && isActive(options) ? 2 : 1),
    build: (task, bench) => build(kernel, task, bench),
  });
}
