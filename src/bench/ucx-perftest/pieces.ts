/** Which tests over UCT have messages of several pieces. */
import { messageSize } from '../../cli/ucx-perftest-checks.js';
import type { UcxTestOptions } from '../../cli/ucx-perftest-options.js';

/** Layouts without pieces take the sum of the sizes from one place, as the peer's do. */
export function piecesOf(options: UcxTestOptions): Pick<UcxTestOptions, 'sizes' | 'stride'> {
  const { layout, sizes, stride } = options;
  const takesPieces = layout === 'shortiov' || layout === 'zcopy';
  return takesPieces ? { sizes, stride } : { sizes: [messageSize(options)], stride: 0 };
}
