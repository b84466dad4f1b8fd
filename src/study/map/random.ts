/** Chance that comes out the same for the same seed, on every rank. */

/** Numbers in [0, 1), by mulberry32: a counter and a mixing of its bits. */
export function seeded(seed: number): () => number {
  let counter = seed >>> 0;
  return () => {
    counter = (counter + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(counter ^ (counter >>> 15), counter | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The numbers from 0 to n - 1 in an order that the seed says (Fisher and Yates). */
export function shuffled(n: number, seed: number): Int32Array {
  const random = seeded(seed);
  const order = Int32Array.from({ length: n }, (_, index) => index);
  for (let last = n - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const moved = order[last] ?? 0;
    order[last] = order[other] ?? 0;
    order[other] = moved;
  }
  return order;
}
