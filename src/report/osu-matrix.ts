/** The matrices of `osu_mbw_mr -V`: sizes down, windows across; the first is printed while it is measured. */
import type { RowRecord } from '../results/types.js';
import { formatFigure } from './osu-columns.js';
import type { OsuTable, Sink } from './types.js';

type Matrix = NonNullable<OsuTable['matrix']>;
type Part = Matrix['parts'][number];

const SIZE_WIDTH = 7;
const CELL_WIDTH = 10;
const CELL_GAP = '  ';

export class MatrixPrinter {
  readonly #matrix: Matrix;
  readonly #sink: Sink;
  #rows: RowRecord[] = [];
  #lineOpen = false;

  constructor(matrix: Matrix, sink: Sink) {
    this.#matrix = matrix;
    this.#sink = sink;
  }

  /** Ends what came before and begins the first matrix; `lines` come between its heading and its windows. */
  section(lines: readonly string[]): void {
    this.end();
    const [first] = this.#matrix.parts;
    if (first) this.#writeHeading(first, lines);
  }

  /** One cell. */
  row(row: RowRecord): void {
    const [first] = this.#matrix.parts;
    if (!first) return;
    if (beginsLine(row, this.#rows.at(-1), this.#matrix)) this.#closeLine();
    const start = this.#lineOpen ? '' : sizeText(row);
    this.#sink.write(start + cellText(row, first));
    this.#lineOpen = true;
    this.#rows.push(row);
    if (row.parameters.window === this.#matrix.windows.at(-1)) this.#closeLine();
  }

  /** Prints the other matrices from the same rows. */
  end(): void {
    this.#closeLine();
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length === 0) return;
    for (const part of this.#matrix.parts.slice(1)) {
      this.#writeHeading(part, []);
      this.#sink.write(`${rows.map((row, index) => this.#cell(row, rows[index - 1], part)).join('')}\n`);
    }
  }

  #cell(row: RowRecord, previous: RowRecord | undefined, part: Part): string {
    if (!beginsLine(row, previous, this.#matrix)) return cellText(row, part);
    return (previous ? '\n' : '') + sizeText(row) + cellText(row, part);
  }

  #writeHeading(part: Part, lines: readonly string[]): void {
    const windows = this.#matrix.windows.map((window) => CELL_GAP + String(window).padStart(CELL_WIDTH)).join('');
    const heading = ['', `# ${part.heading}`, ...lines, '#'.padEnd(SIZE_WIDTH) + windows];
    this.#sink.write(heading.map((line) => `${line}\n`).join(''));
  }

  #closeLine(): void {
    if (this.#lineOpen) this.#sink.write('\n');
    this.#lineOpen = false;
  }
}

/** A line ends with the last window, and earlier where a row is missing. */
function beginsLine(row: RowRecord, previous: RowRecord | undefined, { windows }: Matrix): boolean {
  return previous?.parameters.size !== row.parameters.size || row.parameters.window === windows[0];
}

function sizeText({ parameters }: RowRecord): string {
  return String(parameters.size).padEnd(SIZE_WIDTH);
}

function cellText(row: RowRecord, { figure, scale }: Part): string {
  return CELL_GAP + formatFigure(row.figures[figure]?.value, scale).padStart(CELL_WIDTH);
}
