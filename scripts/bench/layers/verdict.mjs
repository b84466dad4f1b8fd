/** Whether layers cost more the higher they lie. Pure. */
import { medianOf, verdicts } from '../statistics.mjs';

export const words = {
  inOrder: 'in order',
  same: 'no difference to be seen',
  inverted: 'INVERTED',
  failed: 'FAILED',
};

/** A verdict as one over a bound, for the exit code. */
export const asBound = (verdict) =>
  verdict === words.inverted || verdict === words.failed ? verdicts.missed : verdict;

/** What an upper layer's times say against those of the one below, from the interval of their ratios. */
export function verdictOf({ interval }) {
  if (!interval) return verdicts.noisy;
  if (interval.high < 1) return words.inverted;
  return interval.low >= 1 ? words.inOrder : words.same;
}

/** Ratios of neighbours within each round. `rounds` are objects of seconds by layer; layers that failed are left out. */
export function compareNeighbours(layers, rounds) {
  return layers.slice(1).map((upper, n) => {
    const lower = layers[n];
    const values = rounds.map((round) => round[upper] / round[lower]);
    const figure = medianOf(values);
    return { id: `${upper} / ${lower}`, upper, lower, values, figure, verdict: verdictOf(figure) };
  });
}
