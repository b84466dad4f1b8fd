/** Text as people keep it, cut into lines: whatever line ends, colours, quotes and rank tags it has. */

export interface Line {
  /** In the file, from 1. */
  readonly number: number;
  /** Without blanks around it, colours, and what a launcher or a mail put before it. */
  readonly text: string;
  readonly words: readonly string[];
}

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');
/** Open MPI's --tag-output, srun's --label, Hydra's -prepend-rank. */
const RANK_TAG = /^\s*(?:\[\d+,\d+\](?:<std\w+>)?:?|\d+:|\[\d+\])\s(?=\s*\S)/;
/** Of a quoted mail, where a line of a table follows. */
const QUOTED = /^(?:>\s?)+(?=\s*[#+|\d-])/;
const CONTINUED = /\s\\$/;

/** Lines with something on them. A line that ends with a backslash goes on with the next one. */
export function* linesOf(text: string): Generator<Line> {
  const raw = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  for (let at = 0; at < raw.length; at++) {
    const number = at + 1;
    let joined = cleaned(raw[at] ?? '');
    while (CONTINUED.test(joined) && at + 1 < raw.length)
      joined = `${joined.slice(0, -1).trimEnd()} ${cleaned(raw[++at] ?? '')}`;
    if (joined !== '') yield { number, text: joined, words: joined.split(/\s+/) };
  }
}

function cleaned(text: string): string {
  const plain = text.includes('\u001b') ? text.replace(COLOURS, '') : text;
  return plain.replace(RANK_TAG, '').replace(QUOTED, '').trim();
}

/** Lines of rules, frames and nothing else, which mean nothing by themselves. */
export const isRule = (text: string): boolean => /^[-=+*#_~`|.\s]+$/.test(text);
