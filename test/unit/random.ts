/** A seeded generator, so that simulations give the same result every time: numbers in [0, 1). */
export { generator as seeded } from '../../src/history/random.js';
