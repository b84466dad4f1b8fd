/** What `--stats` shows, by the names that its list takes. */
import { bad, good, parseList, type Checked } from './values.js';

export const STATS_COLUMNS = [
  ...(['min', 'p1', 'p5', 'p10', 'p25', 'median', 'p75', 'p90', 'p95', 'p99', 'p99.9', 'max'] as const),
  ...(['mean', 'sd', 'mad', 'ci', 'uncertainty', 'outliers', 'autocorrelation', 'drift', 'verdict', 'n'] as const),
] as const;

export type StatsColumn = (typeof STATS_COLUMNS)[number];

/** Without a list; `ci` is two columns. */
export const DEFAULT_STATS: readonly StatsColumn[] = ['min', 'median', 'p90', 'p99', 'max', 'sd', 'ci', 'n'];

/** Names with commas between, in the order in which they are to be shown; nothing = the usual ones. */
export function parseStats(text: string): Checked<readonly StatsColumn[]> {
  if (text === '') return good(DEFAULT_STATS);
  const names = parseList(text, (part) => STATS_COLUMNS.find((name) => name === part));
  return names
    ? good([...new Set(names)])
    : bad(`Invalid Statistics: give names with commas between, of ${STATS_COLUMNS.join(', ')}`);
}
