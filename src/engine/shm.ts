/** A flag and a buffer in shared memory between ranks of one host: the floor that other layers are compared to. */
import { wholeNumber } from './arguments.js';
import { engine, type NativeShmSegments } from './native.js';
import type { Bytes, Operation } from './types.js';

type Several = readonly Bytes[];

/**
 * Messages to and from one peer, in order. Every method builds an operation. Of a window what there is no room for goes
 * whenever an operation of this line waits. One thread at a time may run a line's operations.
 */
export class ShmLine {
  readonly #segments: NativeShmSegments;
  readonly #peer: number;
  readonly #index: number;
  /** What is under way may still be read or written. */
  readonly #held: Several[] = [];

  constructor(segments: NativeShmSegments, peer: number, index: number) {
    this.#segments = segments;
    this.#peer = peer;
    this.#index = index;
    segments.prepare(peer, index);
  }

  /** Returns when the message is in shared memory, or at the peer. */
  send(buffer: Bytes, size: number): Operation {
    this.#held.push([buffer]);
    return this.#segments.send(this.#peer, this.#index, [buffer], wholeNumber(size, 'size'));
  }

  /** Fails where the message is longer than `size`. */
  receive(buffer: Bytes, size: number): Operation {
    this.#held.push([buffer]);
    return this.#segments.receive(this.#peer, this.#index, [buffer], wholeNumber(size, 'size'));
  }

  /** `window` sends, from `buffers[i % buffers.length]`. */
  startSends(buffers: Several, size: number, window: number): Operation {
    this.#check(buffers, size, window);
    return this.#segments.startSends(this.#peer, this.#index, buffers, size, window);
  }

  /** `window` receives, which are filled in order. */
  startReceives(buffers: Several, size: number, window: number): Operation {
    this.#check(buffers, size, window);
    return this.#segments.startReceives(this.#peer, this.#index, buffers, size, window);
  }

  /** Waits for all sends that were started. */
  completeSends(): Operation {
    return this.#segments.completeSends(this.#peer, this.#index);
  }

  /** Waits for all receives that were started. */
  completeReceives(): Operation {
    return this.#segments.completeReceives(this.#peer, this.#index);
  }

  /**
   * Lets go of buffers. Where something was started and not completed the line can't be used any more, by whatever comes
   * after this one.
   */
  close(): void {
    this.#segments.forget(this.#peer, this.#index);
    this.#held.length = 0;
  }

  #check(buffers: Several, size: number, window: number): void {
    wholeNumber(size, 'size');
    wholeNumber(window, 'window', 1);
    if (buffers.length === 0) throw new RangeError('a window needs at least one buffer');
    this.#held.push(buffers);
  }
}

/** The segments of all ranks of one host. Each rank makes its own, opens those of all, and then takes its name away. */
export class ShmSegments {
  readonly #native: NativeShmSegments;
  readonly #rank: number;
  readonly #ranks: number;
  /** Peers and, for each, the lines in use. */
  readonly #used = new Map<number, Set<number>>();

  /** Makes this rank's file below /dev/shm. Throws an Error of one sentence where that can't be. */
  constructor(rank: number, ranks: number) {
    wholeNumber(ranks, 'ranks', 1);
    if (wholeNumber(rank, 'rank') >= ranks) throw new RangeError(`there is no rank ${rank} among ${ranks}`);
    this.#rank = rank;
    this.#ranks = ranks;
    this.#native = new (engine().ShmSegments)(rank, ranks);
  }

  /** Of this rank's file; empty once it is unlinked. */
  get path(): string {
    return this.#native.path;
  }

  /** Opens the files of the others, by rank. Throws an Error of one sentence. */
  open(paths: readonly string[]): void {
    if (paths.length !== this.#ranks) throw new RangeError(`there are ${paths.length} paths for ${this.#ranks} ranks`);
    this.#native.open(paths);
  }

  /** Takes the name of this rank's file away. */
  unlink(): void {
    this.#native.unlink();
  }

  /**
   * A line to a peer: the lowest that is free. The peer's line that was made after as many others is the other end, so both
   * must make and close theirs in the same order. Throws an Error of one sentence.
   */
  line(peer: number): { readonly line: ShmLine; close(): void } {
    if (wholeNumber(peer, 'peer') >= this.#ranks || peer === this.#rank) {
      throw new RangeError(`rank ${this.#rank} has no peer ${peer} among ${this.#ranks} ranks`);
    }
    const used = this.#used.get(peer) ?? new Set<number>();
    this.#used.set(peer, used);
    let index = 0;
    while (used.has(index)) index += 1;
    const { shmLines } = engine();
    if (index >= shmLines) throw new Error(`there are ${shmLines} channels to rank ${peer} already: close one first`);
    const line = new ShmLine(this.#native, peer, index);
    used.add(index);
    let open = true;
    return {
      line,
      close: () => {
        if (!open) return;
        open = false;
        line.close();
        used.delete(index);
      },
    };
  }
}
