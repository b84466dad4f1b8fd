/** Small pieces of sentences. */
import { formatCpuList } from '../engine/affinity.js';

/** `1 core`, `2 cores`. */
export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`;

/** `processor 3`, `processors 0-2,5`. */
export const processors = (cpus: readonly number[]): string =>
  `processor${cpus.length === 1 ? '' : 's'} ${formatCpuList(cpus)}`;

/** `5 %`, and with one digit where that would be nothing. */
export function percent(fraction: number): string {
  const value = fraction * 100;
  return value > 0 && value < 1 ? `${Math.max(value, 0.01).toFixed(2)} %` : `${Math.round(value)} %`;
}

/** Bytes in the largest binary unit that gives a whole number or at least 10. */
export function size(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let value = bytes;
  while (unit < units.length - 1 && (value >= 10_240 || (value >= 1024 && Number.isInteger(value / 1024)))) {
    value /= 1024;
    ++unit;
  }
  return `${Math.round(value)} ${units[unit]}`;
}

/** Values with the processors that have them: `performance`, or `powersave on 0-3, performance on 4-7`. */
export function perProcessor(values: ReadonlyMap<number, string>): string {
  const byValue = new Map<string, number[]>();
  for (const [cpu, value] of values) byValue.set(value, [...(byValue.get(value) ?? []), cpu]);
  const groups = [...byValue];
  if (groups.length === 1)
    return `${groups[0]?.[0]} on ${values.size > 1 ? `all ${values.size} processors` : 'the one processor'}`;
  return groups.map(([value, cpus]) => `${value} on ${formatCpuList(cpus)}`).join(', ');
}
