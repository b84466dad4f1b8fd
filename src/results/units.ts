/** Whether a record's figures can be true, and set beside each other. */
import type { ResultRecord } from './types.js';

export interface FigureProblem {
  /** As a JSON pointer. */
  readonly pointer: string;
  readonly text: string;
}

const NEVER_BELOW_ZERO: ReadonlySet<string> = new Set(['s', 'B/s', '1/s']);

/** A time, bandwidth or rate below 0; undefined where there is none. */
export function negativeFigure({ rows }: ResultRecord): FigureProblem | undefined {
  for (const [index, { figures }] of rows.entries()) {
    for (const [name, { value, unit }] of Object.entries(figures)) {
      if (value === null || value >= 0 || !NEVER_BELOW_ZERO.has(unit)) continue;
      const text = `${value} ${unit} can't be: nothing takes less time than none, or goes slower than not at all`;
      return { pointer: `/rows/${index}/figures/${name}/value`, text };
    }
  }
  return undefined;
}

/** Undefined where a figure has one unit in all rows, and so have the statistics of it. */
export function mixedUnits({ rows }: ResultRecord): FigureProblem | undefined {
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
