/** From a table's description to its columns. */
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
    ...(table.stats ? statsColumns(table) : []),
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

function statsColumns({ statistics: { unit, scale, precision } }: OsuTable): Column[] {
  const column = (
    name: string,
    value: (statistics: NonNullable<RowRecord['statistics']>) => number | null | undefined,
  ): Column =>
    ownColumn(`${name}(${unit})`, ({ statistics }) => formatFigure(statistics && value(statistics), scale, precision));
  return [
    column('Min', ({ min }) => min),
    column('Median', ({ median }) => median),
    column('P90', ({ p90 }) => p90),
    column('P99', ({ p99 }) => p99),
    column('Max', ({ max }) => max),
    column('SD', ({ sd }) => sd),
    column('CI Low', ({ medianInterval }) => medianInterval?.low),
    column('CI High', ({ medianInterval }) => medianInterval?.high),
    ownColumn('N', ({ statistics }) => String(statistics?.n ?? UNKNOWN)),
  ];
}

/** A column that the peer has not, or only with shorter headers: at least one blank stays before the header. */
function ownColumn(header: string, text: Column['text']): Column {
  return { header, width: Math.max(FIELD_WIDTH, header.length + 1), text };
}
