/** Names with their texts, as `fabricbench info` writes them. */
import { wrap } from './wrap.js';

const WIDTH = 80;

/** A name and its text, broken into lines below itself. */
export function entry(name: string, text: string, indent: number, broken = wrap): string[] {
  const label = `${' '.repeat(indent)}${name.padEnd(9)} `;
  const lines = broken(text, WIDTH - label.length);
  return lines.map((line, index) => `${index === 0 ? label : ' '.repeat(label.length)}${line}`);
}
