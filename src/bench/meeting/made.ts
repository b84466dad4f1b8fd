/** What was made, to be closed in reverse order. */
export class Made {
  readonly #ends: (() => void)[] = [];

  keep<T>(made: T, end: (made: T) => void): T {
    this.#ends.push(() => {
      end(made);
    });
    return made;
  }

  close(): void {
    for (const end of this.#ends.splice(0).reverse()) end();
  }

  /** After a failure, which is the one to tell: what can't be closed stays as long as the process. */
  closeQuietly(): void {
    for (const end of this.#ends.splice(0).reverse()) {
      try {
        end();
      } catch {
        continue;
      }
    }
  }
}
