/**
 * A field of simulated hosts, in one process and in no time: kernels run over the mock transport on clocks of their own, and
 * a model says what a message takes. So a study can be tried on thousands of hosts, with faults that are planted.
 */
import { measureRow } from '../bench/row.js';
import { makeJsExecutor } from '../engine/js-executor.js';
import { loopbackRendezvous } from '../rendezvous/loopback.js';
import { mockTransport, VirtualClock, type MockModel } from '../transport/mock.js';
import { countedChunks } from './chunks.js';
import { nodesIn, pairsOf } from './parts.js';
import { rowOf, taskOf } from './programs.js';
import { Collected, spreadOf } from './summary.js';
import type { Field, Part, Step, StepResult, Summary, Work } from './types.js';

/** One message of a simulated network. */
export interface SimulatedMessage {
  readonly from: number;
  readonly to: number;
  /** Bytes. */
  readonly size: number;
  /** Counts those of this kind between the two from 0, since the step began. */
  readonly call: number;
}

export interface SimulatedNetwork {
  /** Name of each rank's host. */
  readonly hosts: readonly string[];
  /** Seconds that a message takes while all of `step` is going on. */
  oneWay(message: SimulatedMessage, step: Step): number;
  /** Seconds that a collective takes on a rank; default: a message to the rank from the next one of its part. */
  collective?(part: Part, at: { readonly rank: number; readonly call: number }, step: Step): number;
}

interface Task {
  readonly work: Work;
  readonly pairs: number;
  readonly rank: number;
  readonly model: MockModel;
  readonly nodes: ReturnType<typeof nodesIn>;
}

/** A rank of two, which keeps the time. */
function measured(
  { work, pairs, rank, model, nodes }: Task,
  ranks: number,
): { summary: Summary; samples: Float64Array } {
  const clock = new VirtualClock();
  const rendezvous = loopbackRendezvous(ranks);
  const executor = makeJsExecutor({ name: 'mock', now: clock.now });
  const bench = { rendezvous, transport: mockTransport(clock, model, ranks), executor, now: clock.now, nodes };
  const collected = new Collected();
  const task = taskOf(work, { pairs, barriers: 0 });
  const { phases } = measureRow(
    task,
    bench,
    () => countedChunks(rendezvous, work),
    ({ seconds }) => {
      collected.add(seconds);
    },
  );
  const samples = collected.all;
  const { iterations = 0, seconds = NaN } = phases.at(-1) ?? {};
  return { summary: { rank, iterations, seconds, spread: spreadOf(samples) }, samples };
}

/** What one message there, and one back, cost between two ranks. */
function linkModel(network: SimulatedNetwork, [from, to]: readonly [number, number], step: Step): MockModel {
  return {
    oneWay: (size, call) => network.oneWay({ from, to, size, call }, step),
    back: (size, call) => network.oneWay({ from: to, to: from, size, call }, step),
  };
}

/** Ranks of a part that keep the time, with what their messages cost. */
function timersOf(network: SimulatedNetwork, part: Part, step: Step): { rank: number; model: MockModel }[] {
  const { ranks } = part;
  const row = rowOf(part.program);
  if (row.ranks === 'many') {
    return ranks.map((rank, index) => {
      const from = ranks[(index + 1) % ranks.length] ?? rank;
      const oneWay = (size: number, call: number): number =>
        network.collective?.(part, { rank, call }, step) ?? network.oneWay({ from, to: rank, size, call }, step);
      return { rank, model: { oneWay } };
    });
  }
  const pairs = pairsOf(part);
  return ranks.slice(0, pairs).map((rank, index) => {
    return { rank, model: linkModel(network, [rank, ranks[index + pairs] ?? NaN], step) };
  });
}

/** What is measured in a step; the background only weighs on the others. */
function tasksOf(network: SimulatedNetwork, step: Step): Task[] {
  if (step.kind === 'pairs') {
    return step.pairs.map((pair) => {
      return { work: step, pairs: 1, rank: pair[0], model: linkModel(network, pair, step), nodes: [[0], [1]] };
    });
  }
  if (step.kind === 'shift') {
    // Windows as of osu_bw, seen by whom they come to.
    const { ranks, by } = step;
    return ranks.map((from, index) => {
      const rank = ranks[(index + by) % ranks.length] ?? NaN;
      const work = { ...step, program: 'osu_bw' };
      return { work, pairs: 1, rank, model: linkModel(network, [from, rank], step), nodes: [[0], [1]] };
    });
  }
  return step.parts
    .filter(({ background }) => !background)
    .flatMap((part) =>
      timersOf(network, part, step).map((timer) => ({ work: part, pairs: 1, ...timer, nodes: nodesIn(part) })),
    );
}

/** Time goes on by what the slowest rank of each step takes. */
export function simulatedField(network: SimulatedNetwork): Field {
  const { hosts } = network;
  let seconds = 0;
  return {
    ...{ size: hosts.length, hosts, now: () => seconds },
    run: (step): StepResult => {
      if (step.kind === 'parts' && step.tries) return { summaries: [], samples: new Map() };
      const all = tasksOf(network, step).map((task) => measured(task, 2));
      seconds += all.reduce((most, { summary }) => Math.max(most, summary.seconds), 0);
      const summaries = all.map(({ summary }) => summary).sort((a, b) => a.rank - b.rank);
      const wanted = step.kind === 'parts' && step.samples === true;
      return { summaries, samples: new Map(wanted ? all.map(({ summary, samples }) => [summary.rank, samples]) : []) };
    },
  };
}
