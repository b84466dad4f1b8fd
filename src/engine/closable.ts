/** A native object that can be closed once. */
export abstract class Closable<Box> {
  readonly #box: Box;
  #closed = false;

  constructor(
    box: Box,
    /** What an error calls it, and what was done to it. */
    readonly what: string,
    readonly end: string,
  ) {
    this.#box = box;
  }

  /** The native object. Throws once it is closed. */
  get box(): Box {
    if (this.#closed) throw new Error(`${this.what} was ${this.end}`);
    return this.#box;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  protected closeBy(close: (box: Box) => void): void {
    if (this.#closed) return;
    close(this.#box);
    this.#closed = true;
  }
}
