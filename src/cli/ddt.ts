/** The index file of `-D indx:FILE`. */
import { bad, good, parseInteger, type Checked } from './values.js';

export interface IndexBlock {
  /** Elements. */
  readonly length: number;
  /** Elements from the start of the buffer. */
  readonly displacement: number;
}

/**
 * Reads one block a line, `displacement,length` in elements (spaces serve as well as the comma); empty lines and what
 * follows a `#` are skipped. Blocks may not be empty nor overlap, since they are received into as well.
 */
export function parseIndexFile(text: string): Checked<readonly IndexBlock[]> {
  const blocks: IndexBlock[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const words = line
      .replace(/#.*/, '')
      .split(/[\s,]+/)
      .filter((word) => word !== '');
    if (words.length === 0) continue;
    const displacement = parseInteger(words[0] ?? '', 0);
    const length = parseInteger(words[1] ?? '', 1);
    if (words.length !== 2 || displacement === undefined || length === undefined) {
      return bad(`line ${index + 1} is not "displacement,length" in elements`);
    }
    blocks.push({ length, displacement });
  }
  return blocks.length === 0 ? bad('it holds no "displacement,length" line') : checkOverlap(blocks);
}

function checkOverlap(blocks: readonly IndexBlock[]): Checked<readonly IndexBlock[]> {
  const sorted = [...blocks].sort((a, b) => a.displacement - b.displacement);
  const overlap = sorted.find((block, index) => {
    const previous = sorted[index - 1];
    return previous !== undefined && previous.displacement + previous.length > block.displacement;
  });
  return overlap ? bad(`the block at displacement ${overlap.displacement} overlaps the one before it`) : good(blocks);
}
