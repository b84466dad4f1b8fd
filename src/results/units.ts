/** Whether a record's figures can be set beside each other. */
import type { ResultRecord } from './types.js';

export interface UnitProblem {
  /** As a JSON pointer. */
  readonly pointer: string;
  readonly text: string;
}

/** Undefined where a figure has one unit in all rows, and so have the statistics of it. */
export function mixedUnits({ rows }: ResultRecord): UnitProblem | undefined {
  const units = new Map<string, string>();
  for (const [index, { figures, statistics }] of rows.entries()) {
    for (const [name, { unit }] of Object.entries(figures)) {
      const before = units.get(name) ?? unit;
      const text = `its units are mixed: "${name}" is in ${shown(unit)} here and in ${shown(before)} above`;
      if (before !== unit) return { pointer: `/rows/${index}/figures/${name}`, text };
      units.set(name, unit);
    }
    const own = statistics ? figures[statistics.figure]?.unit : undefined;
    if (!statistics || own === undefined || own === statistics.unit) continue;
    const text = `its units are mixed: "${statistics.figure}" is in ${shown(own)}, and its statistics in ${shown(statistics.unit)}`;
    return { pointer: `/rows/${index}/statistics`, text };
  }
  return undefined;
}

const shown = (unit: string): string => (unit === '' ? 'no unit' : unit);
