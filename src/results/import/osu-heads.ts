/** The heads of OSU's tables: those of our own rows, in the words of every version. */
import { osuRows, type OsuRow } from '../../bench/suites/osu.js';
import { UNITS, type Unit } from './cells.js';
import { heading, unitIn, type Column, type Heading, type StatisticName } from './columns.js';

/** In 5.x a latency is no average by its head, and one-sided tests never have one. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  'Avg Latency(us)': ['Latency (us)'],
  'Latency (us)': ['Avg Latency(us)'],
};

/** Columns of our `--stats`, in the unit of the figure. */
const STATISTICS: readonly (readonly [string, StatisticName])[] = [
  ...([1, 5, 10, 25, 75, 90, 95, 99] as const).map((percent) => [`P${percent}`, `p${percent}`] as const),
  ...([
    ['P99.9', 'p999'],
    ['Min', 'min'],
    ['Median', 'median'],
    ['Max', 'max'],
    ['Mean', 'mean'],
  ] as const),
  ...([
    ['SD', 'sd'],
    ['MAD', 'mad'],
    ['CI Low', 'low'],
    ['CI High', 'high'],
  ] as const),
];
const plain = (name: StatisticName): Column => ({ kind: 'statistic', name, unit: { base: '' } });

function unitOfName(name: string): Unit {
  return name.startsWith('MB') ? UNITS.megabytes : UNITS.microseconds;
}

/** What every table may have beside its figures. */
const common = (): readonly Heading[] => [
  heading('Size', { kind: 'size' }),
  heading('Iterations', { kind: 'iterations' }),
  heading('Validation', { kind: 'validation' }),
  heading('Transmit Size', { kind: 'parameter', name: 'transmitSize' }),
  {
    pattern: /P(\d+(?:\.\d+)?)\s*Tail\s*(?:Lat|BW)\s*\((us|MB\/s)\)/iy,
    column: ([, percent, unit = '']) => ({ kind: 'percentile', percent: Number(percent), unit: unitOfName(unit) }),
  },
  ...STATISTICS.map(([word, name]) => ({
    pattern: new RegExp(`${word.replace(' ', '\\s*').replace('.', '\\.')}\\s*\\((us|MB/s)\\)`, 'iy'),
    column: ([, unit = '']: RegExpExecArray): Column => ({ kind: 'statistic', name, unit: unitOfName(unit) }),
  })),
  heading('Uncertainty(%)', { kind: 'statistic', name: 'uncertainty', unit: { base: '', decimal: -2 } }),
  heading('Outliers', plain('outliers')),
  heading('Autocorrelation', plain('autocorrelation')),
  // A record has it with the p of its test alone, which is shown nowhere.
  heading('Drift(%)', { kind: 'unkept' }),
  heading('Verdict', { kind: 'verdict' }),
  heading('N', plain('samples')),
];

/** The columns of these programs, each head once. */
function figureHeadings(rows: readonly OsuRow[]): Heading[] {
  const figures = new Map<string, string>();
  for (const { figure, header } of rows.flatMap(({ columns }) => columns))
    for (const words of [header, ...(OTHER_WORDS[header] ?? [])]) if (!figures.has(words)) figures.set(words, figure);
  return [...figures].map(([words, name]) => heading(words, { kind: 'figure', name, unit: unitIn(words) }));
}

const known = new Map<OsuRow | undefined, readonly Heading[]>();

/** Of one program first; what its own version never had may have been another's. */
export function headingsOf(row: OsuRow | undefined): readonly Heading[] {
  const headings = known.get(row) ?? [...common(), ...figureHeadings(row ? [row, ...osuRows] : osuRows)];
  known.set(row, headings);
  return headings;
}

/** What a title is without accelerator, capitals and signs. */
const essence = (title: string): string =>
  title
    .toLowerCase()
    .replace(/-(?:cuda|rocm|openacc|sycl|managed)\b/, '')
    .replace(/\bone.sided\b/, '')
    .replace(/[^a-z0-9]/g, '');

let byTitle: ReadonlyMap<string, OsuRow> | undefined;

/** The program of a title, whatever its version. */
export function rowOfTitle(title: string): OsuRow | undefined {
  byTitle ??= new Map(osuRows.map((row) => [essence(row.title), row]));
  return byTitle.get(essence(title));
}
