/** Where the pieces of a message (`-s 8,16`) lie in the buffers of the side that sends it and of the one that takes it. */
import type { UcxTestOptions } from '../../cli/ucx-perftest-options.js';
import type { UcxTest } from '../suites/ucx-perftest.js';

export type Which = 'send' | 'receive';

export interface Place {
  readonly offset: number;
  readonly length: number;
}

interface Asked {
  readonly test: UcxTest;
  readonly options: UcxTestOptions;
}

/** Whether UCX is given the message in pieces on a side; otherwise all its bytes lie one after the other there. */
export function isInPieces({ test, options }: Asked, which: Which): boolean {
  const { command } = test;
  // The memory that a get reads, and a put writes, is one run of bytes for UCX; so is an active message that arrives.
  if (command === (which === 'send' ? 'get' : 'put') || (which === 'receive' && command === 'am')) return false;
  if (test.api === 'ucp') return options.datatypes[which === 'send' ? 0 : 1] === 'iov';
  return options.sizes.length > 1 && (options.layout === 'shortiov' || options.layout === 'zcopy');
}

/** Places of the pieces in the buffer of a side, `-i` apart only where UCX is given pieces. */
export function placesOf(asked: Asked, which: Which): Place[] {
  const { sizes, stride } = asked.options;
  const apart = stride > 0 && isInPieces(asked, which);
  let adjacent = 0;
  return sizes.map((length, index) => {
    const offset = apart ? index * stride : adjacent;
    adjacent += length;
    return { offset, length };
  });
}
