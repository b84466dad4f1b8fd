/** Kernels between one node and all others: the i-th ranks of all nodes exchange windows with the i-th of the first. */
import { check, fill, repeat, type CheckOperation } from '../../engine/operations.js';
import type { EngineBuffer } from '../../engine/buffer.js';
import type { Operation, Program } from '../../engine/types.js';
import type { Channel } from '../../transport/types.js';
import type { Built, Figures, Kernel, Measured } from '../kernels/kernel.js';
import type { Nodes } from '../nodes.js';
import type { Bench, RowTask } from '../row.js';
import { operationsOf, releaseAll, RowBuffers } from './buffers.js';

/** `in`: the others send to the first node; `out`: it sends to them. */
export type Direction = 'in' | 'out';

export interface FanKernel {
  readonly name: string;
  readonly direction: Direction;
  figures(measured: Measured): Figures;
}

const CONTROL_BYTES = 1;
const CONTROL_TYPE = 'MPI_CHAR';

/** One rank's part: whom it exchanges with. The first node's ranks have a peer on every other node, others one. */
export interface FanPart {
  readonly parent: boolean;
  readonly peers: readonly number[];
}

export function fanPart(nodes: Nodes, rank: number): FanPart {
  const [first = [], ...others] = nodes;
  const local = (nodes.find((ranks) => ranks.includes(rank)) ?? []).indexOf(rank);
  if (first.includes(rank)) return { parent: true, peers: others.flatMap((ranks) => ranks[local] ?? []) };
  return { parent: false, peers: first.slice(local, local + 1) };
}

interface Stream {
  readonly peer: number;
  readonly channel: Channel;
  readonly control: Channel;
  /** One, or one for each message of the window. */
  readonly buffers: readonly EngineBuffer[];
}

/** Windows to all peers, then an acknowledgement from each; or the other side of that. */
function timedOf(
  streams: readonly Stream[],
  sends: boolean,
  acknowledgement: EngineBuffer,
  { size, window }: RowTask,
): Operation[] {
  if (sends) {
    return [
      ...streams.map(({ channel, buffers }) => channel.startSends(buffers, size, window)),
      ...streams.map(({ channel }) => channel.completeSends()),
      ...streams.map(({ control }) => control.receive(acknowledgement, CONTROL_BYTES)),
    ];
  }
  return [
    ...streams.map(({ channel, buffers }) => channel.startReceives(buffers, size, window)),
    ...streams.map(({ channel }) => channel.completeReceives()),
    ...streams.map(({ control }) => control.send(acknowledgement, CONTROL_BYTES)),
  ];
}

interface Exchange {
  readonly timed: readonly Operation[];
  readonly streams: readonly Stream[];
  readonly sends: boolean;
}

function withChecks(
  exchange: Exchange,
  task: RowTask,
  bench: Bench,
): { program: Program; checks: readonly CheckOperation[] } {
  const { timed, streams, sends } = exchange;
  const { rank } = bench.rendezvous;
  const { size: length, validationWarmup: repeats = 0 } = task;
  const slots = (shift: number, of: (stream: Stream, buffer: EngineBuffer, slot: number) => Operation): Operation[] =>
    streams.flatMap((stream) => stream.buffers.map((buffer, slot) => of(stream, buffer, slot + shift)));
  const fills = (shift: number): Operation[] =>
    sends ? slots(shift, (_, buffer, slot) => fill(buffer, { sender: rank, length, slot })) : [];
  const checks = sends
    ? []
    : streams.flatMap(({ peer, buffers }) =>
        buffers.map((buffer, slot) => check(buffer, { sender: peer, length, slot })),
      );
  const receive = streams.flatMap(({ buffers }) => buffers);
  const tampering = sends ? [] : (bench.tamper?.({ rank, receive, size: length }) ?? []);
  const warming = repeats > 0 ? [...fills(task.window), repeat(timed, repeats)] : [];
  const before = [...warming, ...fills(0), bench.transport.barrier()];
  return { program: { timed, untimed: { before, after: [...tampering, ...checks] } }, checks };
}

function build({ direction }: FanKernel, task: RowTask, bench: Bench): Built {
  const { rendezvous, transport, nodes = [] } = bench;
  const { parent, peers } = fanPart(nodes, rendezvous.rank);
  const sends = parent === (direction === 'out');
  const { datatype, layout, size } = task;
  const rowBuffers = new RowBuffers(transport);
  const count = task.manyBuffers ? task.window : 1;
  const streams = peers.map((peer) => ({
    peer,
    channel: transport.channel({ peer, datatype, ...(layout ? { layout } : {}) }),
    control: transport.channel({ peer, datatype: CONTROL_TYPE }),
    buffers: rowBuffers.several(count, size),
  }));
  const exchange = { timed: timedOf(streams, sends, rowBuffers.allocate(CONTROL_BYTES), task), streams, sends };
  const plain = { program: { timed: exchange.timed }, checks: [] };
  const { program, checks } = task.validationWarmup === undefined ? plain : withChecks(exchange, task, bench);
  return {
    phases: [{ name: 'windows', program: () => program }],
    times: sends,
    checks,
    transmitSize: streams[0]?.channel.transmitSize(size) ?? size,
    release: () => {
      releaseAll(operationsOf(program), bench.executor);
      for (const { channel, control } of streams) for (const each of [channel, control]) each.close();
      rowBuffers.free();
    },
  };
}

/** Declares a kernel between one node and all others. */
export function fan(kernel: FanKernel): Kernel {
  return Object.freeze<Kernel>({
    name: kernel.name,
    figures: (measured) => kernel.figures(measured),
    build: (task, bench) => build(kernel, task, bench),
  });
}
