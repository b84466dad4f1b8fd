/** Options out of what the parser gives. */
import { WrongUse, type Given } from './command.js';

/** Of an option that was given several times the last counts. */
export function textOf(given: Given, name: string): string | undefined {
  const value = [given[name]].flat().at(-1);
  return typeof value === 'string' ? value : undefined;
}

/** `--threshold`, as `3%` or `0.03`. */
export function thresholdOf(given: Given): number {
  const word = textOf(given, 'threshold') ?? '';
  const [, digits, percent] = /^(\d+(?:\.\d*)?|\.\d+)\s*(%?)$/.exec(word) ?? [];
  const value = Number(digits) / (percent === '%' ? 100 : 1);
  if (!(value >= 0 && value < 1)) throw new WrongUse(`--threshold is a percentage below 100, as 3%, and not "${word}"`);
  return value;
}
