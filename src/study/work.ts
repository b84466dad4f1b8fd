/** One rank's work in a step. */
import { measureRow, type Bench, type ChunkSource, type RowTask } from '../bench/row.js';
import type { Executor } from '../engine/types.js';
import type { Watchdog } from '../engine/watchdog.js';
import { MpiError } from '../mpi/errors.js';
import { mpi } from '../mpi/mpi.js';
import type { Mpi } from '../mpi/types.js';
import type { MpiRendezvous } from '../rendezvous/mpi.js';
import { LayerRefusal } from '../transport/messages.js';
import type { Transport } from '../transport/types.js';
import { backgroundChunks, countedChunks } from './chunks.js';
import { pairRendezvous, pairTransport } from './pair-view.js';
import { carriedBy, Grounds, nodesIn, pairsOf, placeIn, type Place } from './parts.js';
import { taskOf } from './programs.js';
import { shift } from './shift.js';
import { Collected, spreadOf } from './summary.js';
import type { PairStep, Part, PartStep, ShiftStep, Step, Summary } from './types.js';

/** What a rank says of a step. */
export interface Seen {
  /** Null where its times don't count. */
  readonly summary: Omit<Summary, 'rank'> | null;
  /** Of parts that count. */
  readonly samples: Float64Array;
  /** Why its part can't be had here, in a sentence; all ranks of the part find the same. */
  readonly refusal?: string;
}

export interface World {
  readonly rendezvous: MpiRendezvous;
  readonly transport: Transport;
  readonly executor: Executor;
  readonly watchdog: Watchdog;
  /** Seconds that a rank waits for others to end their part of a step. */
  readonly patience: number;
}

const NOTHING: Seen = { summary: null, samples: new Float64Array(0) };
/** Of the leaders of parts: the background has begun, and a part that counts is through. */
const BEGUN_TAG = 32011;
const OVER_TAG = 32012;

const now = (): number => performance.now() / 1000;

/** Every rank has one, and calls `perform` with the same steps. */
export class Worker {
  readonly #world: World;
  readonly #mpi: Mpi;
  readonly #grounds: Grounds;

  constructor(world: World) {
    this.#world = world;
    this.#mpi = mpi();
    this.#grounds = new Grounds(this.#mpi, world.rendezvous);
  }

  /** Returns at once where this rank has no part in the step; the others may then be at work still. */
  perform(step: Step): Seen {
    if (step.kind === 'shift') return this.#shift(step);
    if (step.kind === 'pairs') return this.#pair(step);
    try {
      return this.#part(step);
    } catch (error) {
      const refused = error instanceof LayerRefusal || (step.tries === true && error instanceof MpiError);
      if (!refused) throw error;
      return { ...NOTHING, refusal: error.message };
    }
  }

  /** Every rank calls it together. */
  close(): void {
    this.#grounds.close();
  }

  #pair(step: PairStep): Seen {
    const { rendezvous, transport, watchdog } = this.#world;
    const { rank } = rendezvous;
    const pair = step.pairs.find((ranks) => ranks.includes(rank));
    watchdog.context(
      `${step.program} between ${step.pairs.length} pair${step.pairs.length === 1 ? '' : 's'}, size ${step.size}`,
    );
    if (!pair) {
      rendezvous.barrier(); // that of the pairs, before they begin
      return NOTHING;
    }
    const own = pairRendezvous(this.#mpi, rendezvous, pair, pair[0] === rank ? 0 : 1);
    const bench = this.#bench({ rendezvous: own, transport: pairTransport(transport, pair) });
    return measured(taskOf(step, { pairs: 1, barriers: 0 }), bench, countedChunks(own, step));
  }

  #shift(step: ShiftStep): Seen {
    const { rendezvous, transport, watchdog, executor } = this.#world;
    watchdog.context(`streams of ${step.ranks.length} ranks to those ${step.by} places on, size ${step.size}`);
    return { ...NOTHING, summary: shift(step, { rank: rendezvous.rank, transport, executor }) };
  }

  #part(step: PartStep): Seen {
    const { watchdog, rendezvous } = this.#world;
    const ground = this.#grounds.of(step);
    const place = placeIn(step, rendezvous.rank);
    if (!ground || !place) return NOTHING;
    const { part } = place;
    watchdog.context(`${part.program} on ${part.ranks.length} ranks, size ${part.size}`);
    const carried = carriedBy(ground, part);
    const signals = new Signals(this.#mpi, rendezvous, step, place);
    const chunks = part.background
      ? backgroundChunks(ground.rendezvous, part, signals)
      : countedChunks(ground.rendezvous, part);
    if (!part.background) signals.awaitBackground();
    const bench = { ...this.#bench({ ...ground, transport: carried.transport }), nodes: nodesIn(part) };
    const seen = measured(taskOf(part, { pairs: pairsOf(part) }), bench, chunks);
    if (!part.background) signals.tellOver();
    carried.close();
    return step.samples && !part.background ? seen : { ...seen, samples: NOTHING.samples };
  }

  #bench({ rendezvous, transport }: Pick<Bench, 'rendezvous' | 'transport'>): Bench {
    return { rendezvous, transport, executor: this.#world.executor, now };
  }
}

/** Samples of a background, which may run for long, say nothing. */
function measured(task: RowTask, bench: Bench, chunks: ChunkSource): Seen {
  const collected = new Collected();
  const seen = measureRow(
    task,
    bench,
    () => chunks,
    ({ seconds, times }) => {
      if (times) collected.add(seconds);
    },
  );
  if (!seen.times) return NOTHING;
  const { iterations = 0, seconds = NaN } = seen.phases.at(-1) ?? {};
  const samples = collected.all;
  return { summary: { iterations, seconds, spread: spreadOf(samples) }, samples };
}

const isBackground = ({ background }: Part): boolean => background === true;
const leaderOf = ({ ranks }: Part): number => ranks[0] ?? NaN;

/** How parts that count and those in the background hear of each other: their first ranks tell. */
class Signals {
  readonly #mpi: Mpi;
  readonly #world: MpiRendezvous;
  readonly #leads: boolean;
  /** First ranks of the parts of the other kind. */
  readonly #others: readonly number[];
  readonly #waiting: Set<number>;
  readonly #byte = new Uint8Array(1);

  constructor(MPI: Mpi, world: MpiRendezvous, { parts }: PartStep, { part }: Place) {
    this.#mpi = MPI;
    this.#world = world;
    this.#leads = leaderOf(part) === world.rank;
    this.#others = parts.filter((one) => isBackground(one) !== isBackground(part)).map(leaderOf);
    this.#waiting = new Set(this.#others);
  }

  readonly begun = (): void => {
    this.#tell(BEGUN_TAG);
  };

  /** Whether all parts that count are through; takes what they have said. */
  readonly over = (): boolean => {
    const { comm } = this.#world;
    for (const other of this.#waiting) {
      if (this.#mpi.Iprobe(other, OVER_TAG, comm) === null) continue;
      this.#hear(other, OVER_TAG);
      this.#waiting.delete(other);
    }
    return this.#waiting.size === 0;
  };

  awaitBackground(): void {
    if (this.#leads) for (const other of this.#others) this.#hear(other, BEGUN_TAG);
  }

  tellOver(): void {
    if (this.#leads) this.#tell(OVER_TAG);
  }

  #tell(tag: number): void {
    for (const other of this.#others) this.#mpi.Send(this.#byte, 1, this.#mpi.BYTE, other, tag, this.#world.comm);
  }

  #hear(other: number, tag: number): void {
    const { comm } = this.#world;
    this.#mpi.Recv(this.#byte, 1, this.#mpi.BYTE, other, tag, comm, this.#mpi.STATUS_IGNORE);
  }
}
