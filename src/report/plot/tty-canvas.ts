/** A grid of characters, rows from the top. */
export class Canvas {
  readonly #cells: string[][];

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#cells = Array.from({ length: height }, () => new Array<string>(width).fill(' '));
  }

  /** Puts a character where both positions are from 0 (left, bottom) to 1. */
  put(x: number, y: number, character: string): void {
    this.set(this.column(x), this.row(y), character);
  }

  set(column: number, row: number, character: string): void {
    const line = this.#cells[row];
    if (line && column >= 0 && column < this.width) line[column] = character;
  }

  column(x: number): number {
    return Math.round(x * (this.width - 1));
  }

  row(y: number): number {
    return Math.round((1 - y) * (this.height - 1));
  }

  lines(): string[] {
    return this.#cells.map((cells) => cells.join(''));
  }
}
