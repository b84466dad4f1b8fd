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
