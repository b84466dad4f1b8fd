/** Records against a file of what they should show (`--expect`): reference values with bounds, as ReFrame's. */
import type { Json, ResultRecord, RowRecord } from '../results/types.js';
import type { Side } from './sides.js';
import { testOf } from './tests.js';
import { bytes } from './units.js';

export interface Expectation {
  /** Program, or test of ucx_perftest. */
  readonly benchmark: string;
  /** Bytes; null: rows without a size. */
  readonly size: number | null;
  readonly figure: string;
  /** In base units (s, B/s, 1/s). */
  readonly value: number;
  /** Relative to the value, as -0.05 and 0.1; null = open. Of a value of 0 they are absolute, in base units. */
  readonly lower: number | null;
  readonly upper: number | null;
  /** As the file has it, and what its figures are multiplied by. */
  readonly unit: string;
  readonly factor: number;
  readonly baseUnit: string;
  /** Parameters that a row must have too. */
  readonly where: Readonly<Record<string, Json>>;
}

export interface Finding {
  readonly expectation: Expectation;
  readonly side: string;
  /** In base units; null where no row was found, or it has no such figure. */
  readonly value: number | null;
  readonly within: boolean;
  /** One sentence. */
  readonly text: string;
}

/** One finding for each side and expectation, or for each row that fits where several do. */
export function checkExpectations(expectations: readonly Expectation[], sides: readonly Side[]): Finding[] {
  return sides.flatMap((side) => expectations.flatMap((expectation) => checkOne(expectation, side)));
}

function checkOne(expectation: Expectation, { label, records }: Side): Finding[] {
  const fitting = records.flatMap((record) => record.rows.filter((row) => fits(expectation, record, row)));
  if (fitting.length === 0) return [finding(expectation, label, null, 'is not in the record')];
  return fitting.map(({ figures }) => {
    const figure = figures[expectation.figure];
    if (typeof figure?.value !== 'number') return finding(expectation, label, null, 'is not in the record');
    if (figure.unit !== expectation.baseUnit)
      return finding(expectation, label, null, `is in ${figure.unit}, which ${expectation.unit} is no unit of`);
    return finding(expectation, label, figure.value, '');
  });
}

function fits({ benchmark, size, where }: Expectation, record: ResultRecord, row: RowRecord): boolean {
  const { name, program } = testOf(record, row);
  const named = name === benchmark || program === benchmark;
  const same = Object.entries(where).every(
    ([parameter, value]) => JSON.stringify(row.parameters[parameter] ?? null) === JSON.stringify(value),
  );
  return named && row.parameters.size === size && same;
}

function finding(expectation: Expectation, side: string, value: number | null, problem: string): Finding {
  const { low, high } = boundsOf(expectation);
  const within = value !== null && value >= low && value <= high;
  const { benchmark, size, figure } = expectation;
  const subject = `${figure} of ${benchmark}${size === null ? '' : ` at ${bytes(size)}`}`;
  const told = problem === '' ? valueText(expectation, value ?? NaN, within) : problem;
  return { expectation, side, value, within, text: `${subject} ${told}` };
}

/** Rounding must not put a value outside that stands on the bound. */
const ROUNDING = 1e-12;

function boundsOf({ value, lower, upper }: Expectation): { low: number; high: number } {
  const size = value === 0 ? 1 : Math.abs(value);
  return {
    low: lower === null ? -Infinity : value + lower * size - ROUNDING * size,
    high: upper === null ? Infinity : value + upper * size + ROUNDING * size,
  };
}

function valueText(expectation: Expectation, value: number, within: boolean): string {
  const { factor, unit } = expectation;
  const { low, high } = boundsOf(expectation);
  const shown = (one: number): string => String(Number((one / factor).toPrecision(6)));
  const range = [
    ...(low === -Infinity ? [] : [`at least ${shown(low)}`]),
    ...(high === Infinity ? [] : [`at most ${shown(high)}`]),
  ];
  const bounds = range.length === 0 ? 'anything' : range.join(' and ');
  return `is ${shown(value)} ${unit}, ${within ? 'as expected' : 'and not as expected'}: ${bounds}`;
}
