/** What the comparison with ucx_perftest prints. */
import { verdicts } from '../statistics.mjs';
import { counts, estimate, say, table } from '../text.mjs';
import { words } from './verdict.mjs';

const digitsOf = (unit) => (unit === 'ns' ? 2 : 3);
const amount = (value) => (value >= 1e5 ? value.toExponential(3) : value.toFixed(value < 1 ? 4 : 3));

function timeRow(row) {
  const { unit, figure, control, bound, atLeast } = row;
  const digits = digitsOf(unit);
  return [
    ...[row.id, row.name, amount(row.ours), amount(row.theirs)],
    `${estimate(figure, digits)} ${unit}`.trim(),
    control ? estimate(control, digits) : '',
    row.verdict === verdicts.reported ? '' : `${atLeast ? '>=' : '<='} ${bound} ${unit}`.trim(),
    String(row.values.length),
    row.verdict,
  ];
}

/** Prints all rows of `judgeMeasured`, and last how many there are of each verdict. */
export function print(rows) {
  const columns = [
    ...['cell', 'figure', 'ours', 'theirs', 'ours to theirs [95 % CI]'],
    ...['A/A control', 'bound', 'pairs', 'verdict'],
  ];
  table(
    'Timed (ours to theirs: ratios, below 20 ns nanoseconds more)',
    columns,
    rows.filter((r) => !r.ended).map(timeRow),
  );
  const endings = rows.filter(({ ended }) => ended).map(({ id, verdict, ours, theirs }) => [id, verdict, ours, theirs]);
  table('Not timed', ['cell', 'verdict', 'ours', 'theirs'], endings);
  const all = rows.map(({ verdict }) => verdict);
  say(`\n${counts(all, [...Object.values(verdicts), ...Object.values(words)])}`);
}

/** A cell's verdicts in one line of progress. */
export const brief = (rows) => rows.map(({ name, verdict }) => (name ? `${name} ${verdict}` : verdict)).join(', ');
