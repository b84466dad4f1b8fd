/** Names with their texts, as `fabricbench info` writes them. */
import { wrap } from './wrap.js';

const WIDTH = 80;

/** A name and its text, wrapped below itself. */
export function entry(name: string, text: string, indent: number): string[] {
  const label = `${' '.repeat(indent)}${name.padEnd(9)} `;
  const lines = wrap(text, WIDTH - label.length);
  return lines.map((line, index) => `${index === 0 ? label : ' '.repeat(label.length)}${line}`);
}
