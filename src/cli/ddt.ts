/** The index file of `-D indx:FILE`. */
import { parsePairs } from './pair-file.js';
import { bad, good, type Checked } from './values.js';

export interface IndexBlock {
  /** Elements. */
  readonly length: number;
  /** Elements from the start of the buffer. */
  readonly displacement: number;
}

const FORM = {
  shown: '"displacement,length"',
  unit: 'elements',
  least: [0, 1],
  most: Number.MAX_SAFE_INTEGER,
} as const;

/**
 * Reads one block a line, `displacement,length` in elements, in the form of `parsePairs`. Blocks may not be empty nor
 * overlap, since they are received into as well.
 */
export function parseIndexFile(text: string): Checked<readonly IndexBlock[]> {
  const pairs = parsePairs(text, FORM);
  return pairs.ok ? checkOverlap(pairs.value.map(([displacement, length]) => ({ length, displacement }))) : pairs;
}

function checkOverlap(blocks: readonly IndexBlock[]): Checked<readonly IndexBlock[]> {
  const sorted = [...blocks].sort((a, b) => a.displacement - b.displacement);
  const overlap = sorted.find((block, index) => {
    const previous = sorted[index - 1];
    return previous !== undefined && previous.displacement + previous.length > block.displacement;
  });
  return overlap ? bad(`the block at displacement ${overlap.displacement} overlaps the one before it`) : good(blocks);
}
