/** Heads of perftest's tables, of all versions: units stand in brackets, and MB are 2^20 bytes. */
import { UNITS, type Unit } from './cells.js';
import { type Column, type Heading, unitIn } from './columns.js';

/** Where `MB` is meant as it is computed. */
function unitOf(name: string): Unit {
  const unit = unitIn(`[${name}]`);
  return unit === UNITS.megabytes ? UNITS.mebibytes : unit;
}

const figure =
  (name: string) =>
  ([, unit = '']: RegExpExecArray): Column => ({ kind: 'figure', name, unit: unitOf(unit) });

const times: readonly (readonly [string, string])[] = [
  ['t_min', 'min'],
  ['t_max', 'max'],
  ['t_typical', 'latency'],
  ['t_avg', 'average'],
  ['t_stdev', 'stdev'],
  ['99%\\s*percentile', 'p99'],
  ['99\\.9%\\s*percentile', 'p99.9'],
];

const rates: readonly (readonly [string, string])[] = [
  ['BW\\s*peak', 'peak'],
  ['BW\\s*average', 'bandwidth'],
  ['MsgRate', 'rate'],
];

export const PERFTEST_HEADS: readonly Heading[] = [
  { pattern: /#bytes(?=\s|$)/iy, column: () => ({ kind: 'size' }) },
  { pattern: /#iterations(?=\s|$)/iy, column: () => ({ kind: 'iterations' }) },
  ...[...times, ...rates].map(([source, name]) => ({
    pattern: new RegExp(`${source}\\s*\\[([^\\]]+)\\]`, 'iy'),
    column: figure(name),
  })),
  { pattern: /tps\s*average(?=\s|$)/iy, column: () => ({ kind: 'figure', name: 'rate', unit: UNITS.perSecond }) },
  { pattern: /CPU_Util\s*\[%\]/iy, column: () => ({ kind: 'figure', name: 'CPU utilisation', unit: UNITS.percent }) },
];

/** Stock perftest 4.5 writes [usec] over cycles too. */
export function inCycles(columns: readonly Column[]): Column[] {
  return columns.map((column) =>
    column.kind === 'figure' && column.unit === UNITS.microseconds ? { ...column, unit: UNITS.cycles } : column,
  );
}
