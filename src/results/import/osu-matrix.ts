/** The matrices of `osu_mbw_mr -V`: windows across, sizes down; the second one has the rates of the first one's cells. */
import type { Figure, RowRecord } from '../types.js';
import { UNITS, cellOf, countOf, valueOf, type Unit } from './cells.js';
import type { Line } from './lines.js';

const HEADINGS: readonly (readonly [RegExp, string, Unit])[] = [
  [/^#\s*Uni-directional Bandwidth \(MB\/s(?:ec)?\)$/, 'bandwidth', UNITS.megabytes],
  [/^#\s*Message Rate Profile$/, 'rate', UNITS.perSecond],
];

export class Matrix {
  readonly #figure: string;
  readonly #unit: Unit;
  #windows: readonly number[] = [];

  private constructor(figure: string, unit: Unit) {
    this.#figure = figure;
    this.#unit = unit;
  }

  /** The matrix that this line begins or goes on describing; undefined where it does neither. */
  static heading(text: string, current: Matrix | undefined): Matrix | undefined {
    for (const [pattern, figure, unit] of HEADINGS) if (pattern.test(text)) return new Matrix(figure, unit);
    if (!current || !/^#(?:\s*\d+)+$/.test(text)) return undefined;
    current.#windows = text.slice(1).trim().split(/\s+/).map(Number);
    return current;
  }

  /** Adds a line's cells to the rows; what is wrong with it, in words. */
  row({ words }: Line, rows: RowRecord[], { parameters, n }: Pick<RowRecord, 'parameters' | 'n'>): string | undefined {
    const [first, ...cells] = words;
    const size = countOf(first);
    if (size === undefined) return `${first} is no size`;
    if (cells.length !== this.#windows.length)
      return `the row has ${cells.length} cells, and its table has ${this.#windows.length} windows`;
    const figures = cells.map((cell) => this.#figureOf(cell));
    if (figures.includes(undefined)) return 'a cell is no number';
    for (const [index, figure] of figures.entries())
      if (figure)
        addCell(
          rows,
          { parameters: { ...parameters, size, window: this.#windows[index] ?? 0 }, n },
          this.#figure,
          figure,
        );
    return undefined;
  }

  #figureOf(word: string): Figure | undefined {
    const cell = cellOf(word);
    if (!cell || cell.kind === 'nan' || cell.kind === 'infinite') return undefined;
    return { value: cell.kind === 'number' ? valueOf(cell.text, this.#unit) : null, unit: this.#unit.base };
  }
}

/** To the row of its size and window, or a row of its own. */
function addCell(rows: RowRecord[], cell: Pick<RowRecord, 'parameters' | 'n'>, name: string, figure: Figure): void {
  const { size, window, datatype } = cell.parameters;
  const at = rows.findIndex(
    ({ parameters: other, figures }) =>
      other.size === size && other.window === window && other.datatype === datatype && !(name in figures),
  );
  const row = rows[at];
  if (row) rows[at] = { ...row, figures: { ...row.figures, [name]: figure } };
  else rows.push({ ...cell, figures: { [name]: figure }, statistics: null });
}
