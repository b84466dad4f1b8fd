/** Numbers as plots show them. */

const UNITS: readonly (readonly [unit: number, letter: string])[] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];
/** Numbers from here on are shown with a letter. */
const LETTERS_FROM = 1e4;

/** The decimal power of a number's first digit: 2 for 100 to 999. */
export function exponentOf(value: number): number {
  return Number(value.toExponential(12).split('e')[1]);
}

/** `digit` x 10^`exponent` as the double next to it, which a product of powers need not be. */
export function decimal(digit: number, exponent: number): number {
  return Number(`${digit}e${exponent}`);
}

/** The unit that numbers up to `most` are shown in: 1, or a power of 1000 with its letter. */
export function unitFor(most: number): { readonly unit: number; readonly letter: string } {
  const [unit, letter] = UNITS.find(([size]) => most >= LETTERS_FROM && most >= size) ?? [1, ''];
  return { unit, letter };
}

/** Three significant digits: `0.123`, `12.3`, `1230`, `12.3k`, `4.2e-7`. */
export function shortNumber(value: number): string {
  const rounded = Number(value.toPrecision(3));
  const { unit, letter } = unitFor(Math.abs(rounded));
  if (rounded !== 0 && Math.abs(rounded) < 1e-4) return rounded.toExponential();
  return `${Number((rounded / unit).toPrecision(3))}${letter}`;
}

/** At most six significant digits, without exponent where it isn't needed. */
export function longNumber(value: number): string {
  return String(Number(value.toPrecision(6)));
}
