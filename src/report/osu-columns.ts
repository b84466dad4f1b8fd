/** From a table's description to its columns. */
import type { StatsColumn } from '../cli/stats-columns.js';
import type { RowRecord } from '../results/types.js';
import type { OsuTable } from './types.js';

const FIELD_WIDTH = 18;
const SIZE_WIDTH = 10;
const ITERATIONS_WIDTH = 12;
const PRECISION = 2;
/** Shown where a figure is not known. */
const UNKNOWN = '-';

interface Column {
  readonly header: string;
  readonly width: number;
  readonly text: (row: RowRecord) => string;
}

/** The header line, without newline. */
export function headerLine(table: OsuTable): string {
  const columns = columnsOf(table);
  if (table.sizeColumn)
    return '# Size'.padEnd(SIZE_WIDTH) + columns.map(({ header, width }) => header.padStart(width)).join('');
  return columns
    .map(({ header, width }, index) => (index === 0 ? firstHeader(header) : header.padStart(width)))
    .join('');
}

/** One row, without newline. */
export function rowLine(table: OsuTable, row: RowRecord): string {
  const cells = columnsOf(table).map(({ header, width, text }, index) =>
    text(row).padStart(index === 0 && !table.sizeColumn ? firstHeader(header).length : width),
  );
  const size = table.sizeColumn ? String(row.parameters.size ?? UNKNOWN).padEnd(SIZE_WIDTH) : '';
  return size + cells.join('');
}

/** A number as the tables show it. */
export function formatFigure(value: number | null | undefined, scale: number, precision = PRECISION): string {
  return value === null || value === undefined ? UNKNOWN : (value * scale).toFixed(precision);
}

/** Without a size column the first figure begins the line. */
function firstHeader(header: string): string {
  return `# ${header}`;
}

function columnsOf(table: OsuTable): Column[] {
  return [
    ...figureColumns(table),
    ...(table.iterations
      ? [{ header: 'Iterations', width: ITERATIONS_WIDTH, text: (row: RowRecord) => String(row.n) }]
      : []),
    ...(table.validation ? [{ header: 'Validation', width: FIELD_WIDTH, text: validationText }] : []),
    ...tailColumns(table),
    ...(table.transmitSize ? [{ header: 'Transmit Size', width: FIELD_WIDTH, text: transmitText }] : []),
    ...statsColumns(table),
  ];
}

function figureColumns(table: OsuTable): Column[] {
  return table.columns.map(({ figure, header, scale, width = FIELD_WIDTH, precision }) => ({
    header,
    width,
    text: (row) => formatFigure(row.figures[figure]?.value, scale, precision),
  }));
}

function validationText({ validation }: RowRecord): string {
  if (!validation) return UNKNOWN;
  return validation.passed ? 'Pass' : 'Fail';
}

function transmitText({ parameters }: RowRecord): string {
  return String(parameters.transmitSize ?? UNKNOWN);
}

function tailColumns({ percentiles = [], statistics: { tailName, scale } }: OsuTable): Column[] {
  return percentiles.map((percent) =>
    ownColumn(`P${percent} Tail ${tailName}`, ({ statistics }) =>
      formatFigure(statistics?.percentiles.find((entry) => entry.percent === percent)?.value, scale),
    ),
  );
}

type Known = NonNullable<RowRecord['statistics']>;

/** Of each name of `--stats`: what heads its columns, with the unit after it where `measure` takes the figure's. */
function statsColumns({ stats = [], statistics: { unit, scale, precision } }: OsuTable): Column[] {
  const column = (header: string, text: (statistics: Known) => string): Column =>
    ownColumn(header, ({ statistics }) => (statistics ? text(statistics) : UNKNOWN));
  const measure = (name: string, value: (statistics: Known) => number | null | undefined): Column =>
    column(`${name}(${unit})`, (statistics) => formatFigure(value(statistics), scale, precision));
  const percent = (name: string, value: (statistics: Known) => number | null | undefined): Column =>
    column(`${name}(%)`, (statistics) => formatFigure(value(statistics), 100));
  const columns: Record<StatsColumn, () => readonly Column[]> = {
    min: () => [measure('Min', ({ min }) => min)],
    p1: () => [measure('P1', ({ p1 }) => p1)],
    p5: () => [measure('P5', ({ p5 }) => p5)],
    p10: () => [measure('P10', ({ p10 }) => p10)],
    p25: () => [measure('P25', ({ p25 }) => p25)],
    median: () => [measure('Median', ({ median }) => median)],
    p75: () => [measure('P75', ({ p75 }) => p75)],
    p90: () => [measure('P90', ({ p90 }) => p90)],
    p95: () => [measure('P95', ({ p95 }) => p95)],
    p99: () => [measure('P99', ({ p99 }) => p99)],
    'p99.9': () => [measure('P99.9', ({ p999 }) => p999)],
    max: () => [measure('Max', ({ max }) => max)],
    mean: () => [measure('Mean', ({ mean }) => mean)],
    sd: () => [measure('SD', ({ sd }) => sd)],
    mad: () => [measure('MAD', ({ mad }) => mad)],
    ci: () => [
      measure('CI Low', ({ medianInterval }) => medianInterval?.low),
      measure('CI High', ({ medianInterval }) => medianInterval?.high),
    ],
    uncertainty: () => [percent('Uncertainty', ({ uncertainty }) => uncertainty)],
    outliers: () => [column('Outliers', ({ outliers }) => String(outliers ?? UNKNOWN))],
    autocorrelation: () => [column('Autocorrelation', ({ autocorrelation: value }) => formatFigure(value, 1))],
    drift: () => [percent('Drift', ({ drift }) => drift?.change)],
    verdict: () => [column('Verdict', ({ verdict }) => verdict ?? UNKNOWN)],
    n: () => [column('N', ({ n }) => String(n))],
  };
  return stats.flatMap((name) => columns[name]());
}

/** A column that the peer has not, or only with shorter headers: at least one blank stays before the header. */
function ownColumn(header: string, text: Column['text']): Column {
  return { header, width: Math.max(FIELD_WIDTH, header.length + 1), text };
}
