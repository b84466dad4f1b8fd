/** What peers must know of each other, as JSON. */
import { encodeBytes } from '../../rendezvous/bytes.js';
import type { Memory } from '../../ucx/types.js';

/** Memory that a peer may write and read. */
export interface MemoryCard {
  readonly address: string;
  readonly key: string;
}

export const cardOf = (memory: Memory): MemoryCard => ({
  address: String(memory.address),
  key: encodeBytes(memory.packKey()),
});

/** What was made, to be closed in reverse order. */
export class Made {
  readonly #ends: (() => void)[] = [];

  keep<T>(made: T, end: (made: T) => void): T {
    this.#ends.push(() => {
      end(made);
    });
    return made;
  }

  close(): void {
    for (const end of this.#ends.splice(0).reverse()) end();
  }
}
