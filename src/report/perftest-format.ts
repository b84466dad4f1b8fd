/** Numbers as C's printf writes them, as far as perftest's text has them. */

/** `%-<width>.<digits>f` */
export function fixed(value: number, digits: number, width = 0): string {
  return value.toFixed(digits).padEnd(width);
}

/** `%g`: six significant digits without trailing zeros. */
export function general(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential(5).split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return withoutZeros(value.toFixed(5 - power));
  const sign = power < 0 ? '-' : '+';
  return `${withoutZeros(mantissa)}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}

function withoutZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** `%#0<width>x`, where a zero has no 0x. */
export function hex(value: number | bigint, width: number): string {
  const digits = value.toString(16);
  return Number(value) === 0 ? digits.padStart(width, '0') : `0x${digits.padStart(width - 2, '0')}`;
}

export function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
