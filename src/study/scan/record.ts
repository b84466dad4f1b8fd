/** A scan in a record: a row for each line of its tables, and what follows from them. */
import type { RowRecord, StudyRecord } from '../../results/types.js';
import type { Cell } from './measure.js';
import { ENOUGH, fairnessOf, saturationOf } from './saturation.js';
import { slowPairs } from './text.js';

/** Parameters and main figures as those of osu_mbw_mr. */
export function rowOfCell(cell: Cell): RowRecord {
  const { size, window, pairs, rate, lowest, highest } = cell;
  const { slowest, fastest, ratio, jain } = fairnessOf(cell.rates.map((one) => one.rate));
  const rateFigure = (value: number) => ({ value, unit: '1/s' });
  return {
    parameters: { size, datatype: 'MPI_CHAR', window, pairs },
    ...{ n: cell.iterations, warmup: cell.warmup },
    figures: {
      bandwidth: { value: rate * size, unit: 'B/s' },
      ...{ rate: rateFigure(rate), lowestRate: rateFigure(lowest), highestRate: rateFigure(highest) },
      ...{ slowestPair: rateFigure(slowest), fastestPair: rateFigure(fastest) },
      ...{ fairness: { value: 100 * ratio, unit: '%' }, jain: { value: 100 * jain, unit: '%' } },
    },
    statistics: { ...cell.statistics, figure: 'bandwidth', unit: 'B/s' },
  };
}

/** `pairRates` are of the most pairs of each group, by pair. */
export function studyOf(groups: readonly (readonly Cell[])[]): StudyRecord {
  return {
    kind: 'scan',
    enough: ENOUGH,
    groups: groups.flatMap((cells) => {
      const last = cells.at(-1);
      if (!last) return [];
      const saturation = saturationOf(cells.map(({ pairs, rate }) => ({ pairs, value: rate })));
      return [
        {
          ...{ size: last.size, window: last.window },
          saturation: saturation && { ...saturation, peak: { ...saturation.peak } },
          pairRates: last.rates.map(({ pair, rate }) => ({ ranks: [...pair], rate })),
          slowPairs: slowPairs(cells).map(({ pair }) => [...pair]),
        },
      ];
    }),
  };
}
