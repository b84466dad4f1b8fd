/** What collectives of one row work on: buffers, the operations of each repetition, and what fills and checks them. */
import type { EngineBuffer } from '../../engine/buffer.js';
import { lastLevelCacheBytes } from '../../engine/cache.js';
import { checkReduction, fillNumbers } from '../../engine/numbers.js';
import { check, fill, repeat, rotate, type CheckOperation } from '../../engine/operations.js';
import type { Operation } from '../../engine/types.js';
import { isReduction, type CollectiveName, type Neighbours } from '../../transport/collective-shapes.js';
import type { Collective, CollectiveBuffers } from '../../transport/types.js';
import type { Bench, RowTask } from '../row.js';
import { releaseAll, RowBuffers } from './buffers.js';

/** One repetition out of those that take turns: a root, and a set of buffers. */
export interface Turn {
  readonly collective: Collective;
  readonly buffers: CollectiveBuffers;
}

/** Twice the last-level cache, so that a buffer has left it when its turn comes again. */
const CACHES = 2;
/** Where the machine doesn't tell its cache. */
const USUAL_CACHE = 64 << 20;
const PAGE = 4096;

function rootsOf({ options: { root } }: RowTask, ranks: number): readonly number[] {
  return root.kind === 'rotate' ? Array.from({ length: ranks }, (_, rank) => rank) : [root.rank];
}

/** How many sets of buffers of `bytes` fill the cache twice; one where they need not leave it. */
function setsOf({ options: { offCache }, validationWarmup }: RowTask, bytes: number): number {
  // Filling and checking brings each buffer into the cache: then there is nothing to gain by others.
  if (!offCache || validationWarmup !== undefined) return 1;
  const cache = lastLevelCacheBytes() ?? USUAL_CACHE;
  return Math.ceil((CACHES * cache) / Math.max(Math.ceil(bytes / PAGE) * PAGE, PAGE)) + 1;
}

export interface CollectiveHow {
  readonly neighbours: Neighbours | undefined;
  /** Whether all ranks have as many turns: what is initialised by all together must be. A root has larger buffers than others. */
  readonly agreed: boolean;
}

/** Collectives and buffers of one row, on this rank. */
export class CollectiveData {
  readonly turns: readonly Turn[];
  readonly #collectives: readonly Collective[];
  readonly #buffers: RowBuffers;
  readonly #ranks: number;
  /** Operations that others hold, in the order in which they were made. */
  readonly #held: Operation[] = [];

  constructor(
    private readonly name: CollectiveName,
    private readonly task: RowTask,
    private readonly bench: Bench,
    private readonly how: CollectiveHow,
  ) {
    const { transport, rendezvous } = bench;
    const { size, datatype, layout, options } = task;
    const { neighbours } = how;
    this.#ranks = rendezvous.size;
    this.#buffers = new RowBuffers(transport);
    const fixed = { name, size, datatype, inPlace: options.inPlace, ...(layout ? { layout } : {}) };
    this.#collectives = rootsOf(task, this.#ranks).map((root) =>
      transport.collective({ ...fixed, root, ...(neighbours ? { neighbours } : {}) }),
    );
    this.turns = this.#takeTurns();
  }

  /** One operation for all turns: `make` builds each one's. */
  turning(make: (turn: Turn) => Operation): Operation {
    return this.#rotated(this.turns.map(make));
  }

  /** Remembers an operation that another will hold. */
  #hold<T extends Operation>(operation: T): T {
    this.#held.push(operation);
    return operation;
  }

  #sequence(operations: readonly Operation[]): Operation {
    for (const operation of operations) this.#hold(operation);
    return repeat(operations, 1);
  }

  /** What comes before and after each timed part: data filled in and checked, with other data for the untimed repeats. */
  checked(timed: readonly Operation[]): { before: Operation[]; after: Operation[]; checks: CheckOperation[] } {
    const { validationWarmup: repeats } = this.task;
    if (repeats === undefined || this.name === 'barrier') return { before: [], after: [], checks: [] };
    const warming = repeats > 0 ? [this.#fills(this.#ranks), repeat(timed, repeats)] : [];
    const checks = this.turns.map((turn) => this.#checksOf(turn));
    const looks = checks.map((list, index) => this.#sequence([...this.#tampering(index), ...list]));
    return {
      before: [...warming, this.#fills(0), this.bench.transport.barrier()],
      after: [this.#rotated(looks)],
      checks: checks.flat(),
    };
  }

  /** Gives everything back, once the programs' own operations have been released. */
  free(): void {
    releaseAll([...new Set(this.#held)].reverse(), this.bench.executor);
    for (const collective of this.#collectives) collective.close();
    this.#buffers.free();
  }

  #takeTurns(): Turn[] {
    const roots = this.#collectives;
    const most = (of: 'sendBytes' | 'receiveBytes'): number => Math.max(...roots.map(({ shape }) => shape[of]));
    const [send, receive] = [most('sendBytes'), most('receiveBytes')];
    const own = setsOf(this.task, send + receive);
    const sets = this.how.agreed ? Math.max(...this.bench.rendezvous.allgather(own)) : own;
    const allocate = (): CollectiveBuffers => ({ send: this.#allocate(send), receive: this.#allocate(receive) });
    const shared = sets === 1 ? allocate() : undefined;
    return Array.from({ length: Math.ceil(sets / roots.length) * roots.length }, (_, turn) => {
      const collective = roots[turn % roots.length];
      if (!collective) throw new Error('there is no collective to take a turn');
      const { send: sent, receive: received } = shared ?? allocate();
      const { sendBytes, receiveBytes } = collective.shape;
      return {
        collective,
        buffers: { send: sendBytes > 0 ? sent : null, receive: receiveBytes > 0 ? received : null },
      };
    });
  }

  #allocate(bytes: number): EngineBuffer | null {
    return bytes > 0 ? this.#buffers.allocate(bytes) : null;
  }

  #rotated(operations: readonly Operation[]): Operation {
    const [only] = operations;
    if (operations.length === 1 && only) return only;
    for (const operation of operations) this.#hold(operation);
    return rotate(operations);
  }

  /** Fills what this rank contributes; `shift` sets its slots apart from those of other repetitions. */
  #fills(shift: number): Operation {
    return this.turning(({ collective: { shape }, buffers }) => {
      const buffer = buffers[shape.contributes.to];
      const fills = buffer ? shape.contributes.places.map((place) => this.#fill(buffer, place, shift)) : [];
      return this.#sequence(fills);
    });
  }

  #fill(buffer: EngineBuffer, place: { offset: number; length: number; sender: number; slot: number }, shift: number) {
    const pattern = { ...place, slot: place.slot + shift };
    if (!isReduction(this.name)) return fill(buffer, pattern);
    return fillNumbers(buffer, { ...pattern, type: this.task.datatype, senders: this.#ranks });
  }

  #checksOf({ collective: { shape }, buffers: { receive } }: Turn): CheckOperation[] {
    if (!receive) return [];
    const { reduced, arrives } = shape;
    const type = this.task.datatype;
    const results = reduced
      ? [checkReduction(receive, { type, operation: 'sum', senders: this.#ranks, ...reduced })]
      : [];
    return [...results, ...arrives.map((place) => check(receive, place))];
  }

  #tampering(index: number): readonly Operation[] {
    const turn = this.turns[index];
    const receive = turn?.buffers.receive;
    if (!turn || !receive) return [];
    const { reduced, arrives } = turn.collective.shape;
    const size = reduced?.length ?? arrives.reduce((sum, { length }) => sum + length, 0);
    if (size === 0) return [];
    return this.bench.tamper?.({ rank: this.bench.rendezvous.rank, receive: [receive], size }) ?? [];
  }
}
