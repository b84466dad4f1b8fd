/** Records as JSON text: values unrounded, a missing one null. */

/** JSON of a value. NaN and Infinity become null; what JSON can't hold (functions, maps, big integers) is refused. */
export function toJsonText(value: unknown): string {
  const text: string | undefined = JSON.stringify(value, replace);
  if (text === undefined) throw new TypeError(`${typeof value} is no JSON value`);
  return text;
}

function replace(key: string, value: unknown): unknown {
  if (value instanceof Float64Array) return Array.from(value);
  const foreign =
    typeof value === 'function' || typeof value === 'symbol' || value instanceof Map || value instanceof Set;
  if (foreign || ArrayBuffer.isView(value)) throw new TypeError(`"${key}" holds a value that JSON can't hold`);
  return value;
}
