/** Repeatable randomness: the same history gives the same answer every time. */

/** Numbers in [0, 1), by the generator mulberry32. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** In place, every order equally likely (Fisher and Yates). */
export function shuffle(values: Int32Array, random: () => number): void {
  for (let index = values.length - 1; index > 0; --index) {
    const other = Math.floor(random() * (index + 1));
    const value = values[index] ?? 0;
    values[index] = values[other] ?? 0;
    values[other] = value;
  }
}
