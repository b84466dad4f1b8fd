/** Figures as people read them. */

const MOST_DIGITS = 4;

export function shown(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e4) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(MOST_DIGITS)));
}

/** `8`, `4K`, `1M`: bytes by powers of two. */
export function sizeText(size: number): string {
  for (const [letter, unit] of [
    ['G', 2 ** 30],
    ['M', 2 ** 20],
    ['K', 2 ** 10],
  ] as const)
    // prettier-ignore
    if (size >= unit && size % unit === 0) return `${size / unit}${letter}`;
  return String(size);
}
