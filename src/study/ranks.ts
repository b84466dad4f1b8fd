/** A field of MPI ranks: rank 0 says what is measured, and all others do it. */
import { hostname } from 'node:os';
import { Impossible } from '../cli/commands/command.js';
import { mpi } from '../mpi/mpi.js';
import { QuietBarrier } from './quiet.js';
import { switchesOf } from './switches.js';
import { fromSent, toSent, type SentSummary } from './summary.js';
import type { Field, Step, StepResult } from './types.js';
import { Worker, type Seen, type World } from './work.js';

/** What every rank of a field has. */
class Crew {
  readonly #world: World;
  readonly #worker: Worker;
  readonly #quiet: QuietBarrier;

  constructor(world: World) {
    this.#world = world;
    this.#worker = new Worker(world);
    this.#quiet = new QuietBarrier(mpi(), world.rendezvous);
  }

  /** Every rank calls it together; rank 0 gets what came of it, and throws `Impossible` where a rank can't have its part. */
  perform(step: Step): StepResult {
    const { rendezvous, watchdog } = this.#world;
    const seen = this.#worker.perform(step);
    // Ranks without a part wait for as long as the others take, and those have watchdogs that see them move.
    watchdog.disarm();
    this.#quiet.wait(this.#world.patience);
    watchdog.arm();
    const sent = rendezvous.gather<SentSummary | string | null>(seen.refusal ?? (seen.summary && toSent(seen.summary)));
    const samples = this.#samples(step, seen);
    const refusal = sent.find((one) => typeof one === 'string');
    if (refusal !== undefined) throw new Impossible(refusal);
    const summaries = sent.flatMap((one, rank) =>
      one === null || typeof one === 'string' ? [] : [fromSent(rank, one)],
    );
    return { summaries, samples };
  }

  #samples(step: Step, seen: Seen): ReadonlyMap<number, Float64Array> {
    if (step.kind !== 'parts' || !step.samples) return new Map();
    const all = this.#world.rendezvous.gatherNumbers(seen.samples);
    return new Map([...all.entries()].filter(([, samples]) => samples.length > 0));
  }

  close(): void {
    this.#quiet.close();
    this.#worker.close();
  }
}

/** What rank 0 says next; null ends it. */
type Order = Step | null;

/**
 * Every rank calls it together: on rank 0 `lead` has the field, and all others do what it asks for until it returns or
 * throws. Where it throws while nothing is under way all ranks leave in good order, and rank 0 throws the same.
 *
 * @returns what `lead` returns, on rank 0; undefined elsewhere
 */
export function onRanks<T>(world: World, lead: (field: Field) => T): T | undefined {
  const { rendezvous, watchdog } = world;
  const places = rendezvous.allgather({ host: hostname(), switches: switchesOf(process.env) });
  const hosts = places.map(({ host }) => host);
  const crew = new Crew(world);
  if (rendezvous.rank !== 0) {
    for (;;) {
      watchdog.disarm(); // rank 0 may be busy with what was measured
      const order = rendezvous.broadcast<Order>(null);
      watchdog.arm();
      if (order === null) break;
      crew.perform(order);
    }
    crew.close();
    return undefined;
  }
  let busy = false;
  const field: Field = {
    ...{ size: rendezvous.size, hosts, switches: places.map(({ switches }) => switches) },
    now: () => performance.now() / 1000,
    run: (step) => {
      busy = true;
      rendezvous.broadcast<Order>(step);
      try {
        const result = crew.perform(step);
        busy = false;
        return result;
      } catch (error) {
        busy = !(error instanceof Impossible);
        throw error;
      }
    },
  };
  const end = (): void => {
    if (busy) return; // the others are in the middle of something: whoever catches this ends the job
    rendezvous.broadcast<Order>(null);
    crew.close();
  };
  try {
    const result = lead(field);
    end();
    return result;
  } catch (error) {
    end();
    throw error;
  }
}
