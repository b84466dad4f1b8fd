/** The text of every bench: tables to stdout, progress to stderr. */
import { tableLines } from '../lib/project.mjs';

export const say = (text = '') => process.stdout.write(`${text}\n`);
export const progress = (text) => process.stderr.write(`${text}\n`);

/** `median [low, high]`. */
export function estimate({ median, interval }, digits) {
  const inner = interval ? `${interval.low.toFixed(digits)}, ${interval.high.toFixed(digits)}` : 'too few';
  return `${median.toFixed(digits)} [${inner}]`;
}

/** Prints a heading and aligned rows under their columns' names; nothing where there are no rows. */
export function table(heading, columns, rows) {
  if (rows.length === 0) return;
  say(`\n${heading}`);
  for (const line of tableLines([columns, ...rows])) say(`  ${line}`);
}

/** How many of all verdicts are each of the words, in the words' order: `3 met; 1 MISSED`. */
export function counts(all, words) {
  const counted = words.map((word) => [all.filter((one) => one === word).length, word]);
  return counted
    .filter(([n]) => n > 0)
    .map(([n, word]) => `${n} ${word}`)
    .join('; ');
}
