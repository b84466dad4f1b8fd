/** Whether a record's figures can be set beside each other. */
import type { ResultRecord } from './types.js';
import { RecordProblem } from './validate.js';

/**
 * A figure has one unit in all rows.
 *
 * @throws RecordProblem where it has not
 */
export function refuseMixedUnits({ rows }: ResultRecord): void {
  const units = new Map<string, string>();
  for (const [index, { figures }] of rows.entries())
    for (const [name, { unit }] of Object.entries(figures)) {
      const before = units.get(name) ?? unit;
      if (before !== unit)
        throw new RecordProblem(
          `/rows/${index}/figures/${name}`,
          `its units are mixed: "${name}" is in ${shown(unit)} here and in ${shown(before)} above`,
        );
      units.set(name, unit);
    }
}

const shown = (unit: string): string => (unit === '' ? 'no unit' : unit);
