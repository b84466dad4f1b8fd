/** Text to values, each with a check: nothing here throws, and nothing turns nonsense into a number. */

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

export const good = <T>(value: T): Checked<T> => ({ ok: true, value });
export const bad = (reason: string): Checked<never> => ({ ok: false, reason });

/** A value, or the reason why there is none. */
export function orBad<T>(value: T | undefined, reason: string): Checked<T> {
  return value === undefined ? bad(reason) : good(value);
}

/** The value that goes by this name, in exactly these letters. */
export function oneOf<T>(text: string, choices: Readonly<Record<string, T>>, reason: string): Checked<T> {
  const entry = Object.entries(choices).find(([name]) => name === text);
  return entry ? good(entry[1]) : bad(reason);
}

/** One of these words, in any case. */
export function oneWord<const T extends string>(text: string, words: readonly T[], reason: string): Checked<T> {
  return orBad(
    words.find((word) => word === text.toLowerCase()),
    reason,
  );
}

/** Decimal digits only, within `min` and `max`. */
export function parseInteger(text: string, min: number, max = Number.MAX_SAFE_INTEGER): number | undefined {
  const value = /^\+?\d+$/.test(text) ? Number(text) : NaN;
  return value >= min && value <= max ? value : undefined;
}

/** A decimal number such as `1`, `0.5` or `.5`; no exponent, sign or unit. */
export function parseDecimal(text: string, min: number, max = Number.MAX_SAFE_INTEGER): number | undefined {
  const value = /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : NaN;
  return value >= min && value <= max ? value : undefined;
}

const SUFFIXES: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

/** Bytes: an integer with an optional binary suffix K, M or G in either case. */
export function parseBytes(text: string): number | undefined {
  const [, digits, suffix] = /^(\d+)([KMG]?)$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = Number(digits) * (SUFFIXES[(suffix ?? '').toUpperCase()] ?? NaN);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** The shortest exact form that `parseBytes` reads back: 4194304 is `4M`. */
export function formatBytes(bytes: number): string {
  for (const [suffix, unit] of Object.entries(SUFFIXES).reverse()) {
    if (bytes > 0 && bytes % unit === 0) return `${bytes / unit}${suffix}`;
  }
  return String(bytes);
}

/** Parts between commas, each by `parse`; undefined when one of them is wrong or there is none. */
export function parseList<T>(text: string, parse: (part: string) => T | undefined): T[] | undefined {
  const values: T[] = [];
  for (const part of text.split(',')) {
    const value = parse(part.trim());
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/** Processors as a user names them, in the kernel's form: `0,2-3` is 0, 2, 3. What is no such list is undefined. */
export function parseCpuList(text: string): number[] | undefined {
  return parseList(text, parseCpuRange)?.flat();
}

function parseCpuRange(text: string): number[] | undefined {
  const [first = '', last = first, ...more] = text.split('-');
  const from = parseInteger(first, 0);
  const to = parseInteger(last, from ?? 0, (from ?? 0) + 65535);
  if (from === undefined || to === undefined || more.length > 0) return undefined;
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
