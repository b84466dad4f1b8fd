/** Files with two numbers a line, as options name them. */
import { bad, good, parseInteger, type Checked } from './values.js';

export type Pair = readonly [number, number];

export interface PairForm {
  /** What a line holds, for error messages: `"src,dst"`. */
  readonly shown: string;
  /** What the numbers count, for error messages. */
  readonly unit: string;
  readonly least: Pair;
  readonly most: number;
}

/**
 * Reads one pair a line (blanks serve as well as the comma); empty lines and what follows a `#` are skipped. A file
 * without a pair is refused.
 */
export function parsePairs(text: string, form: PairForm): Checked<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const words = line
      .replace(/#.*/, '')
      .split(/[\s,]+/)
      .filter((word) => word !== '');
    if (words.length === 0) continue;
    const pair = parsePair(words, form);
    if (!pair) return bad(`line ${index + 1} is not ${form.shown} in ${form.unit}`);
    pairs.push(pair);
  }
  return pairs.length === 0 ? bad(`it holds no ${form.shown} line`) : good(pairs);
}

function parsePair(words: readonly string[], { least, most }: PairForm): Pair | undefined {
  const first = parseInteger(words[0] ?? '', least[0], most);
  const second = parseInteger(words[1] ?? '', least[1], most);
  return words.length === 2 && first !== undefined && second !== undefined ? [first, second] : undefined;
}
