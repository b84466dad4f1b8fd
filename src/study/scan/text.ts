/** A scan as text: what was measured, one table for each size and window, and what follows from it. */
import { formatBytes } from '../../cli/values.js';
import { median } from '../../bench/measure/robust.js';
import { ENOUGH, fairnessOf, saturationOf, type Saturation } from './saturation.js';
import type { Cell, PairRate, Setting } from './measure.js';

const WIDTHS = [8, 14, 16, 12, 16, 16, 10] as const;
const HEADS = ['# Pairs', 'MB/s', 'Messages/s', 'Per pair %', 'Slowest pair/s', 'Fastest pair/s', 'Fair %'];
/** Of the median pair's rate: who has less is named. */
const NOTABLY_SLOW = 0.8;
const MOST_NAMED = 4;

const line = (texts: readonly string[]): string =>
  texts.map((text, index) => (index === 0 ? text.padEnd(WIDTHS[0]) : text.padStart(WIDTHS[index] ?? 10))).join('');

/** Title and head of one size and window. */
export function groupHead({ size, window }: Pick<Setting, 'size' | 'window'>): string {
  return `\n# Size ${size}, window ${window}\n${line(HEADS)}\n`;
}

/** `base` is the rate of one pair of the group with the fewest pairs. */
function cellLine(cell: Cell, base: number): string {
  const { pairs, size, rate, rates } = cell;
  const { slowest, fastest, ratio } = fairnessOf(rates.map((one) => one.rate));
  return line([
    ...[String(pairs), ((rate * size) / 1e6).toFixed(2), rate.toFixed(2), ((100 * rate) / pairs / base).toFixed(1)],
    ...[slowest.toFixed(2), fastest.toFixed(2), (100 * ratio).toFixed(1)],
  ]);
}

export function groupLines(cells: readonly Cell[]): string {
  const [first] = cells;
  const base = first ? first.rate / first.pairs : NaN;
  return cells.map((cell) => `${cellLine(cell, base)}\n`).join('');
}

/** A number of messages per second as people say it. */
export function rateText(rate: number): string {
  const [unit, name] = rate >= 1e6 ? [1e6, 'million'] : rate >= 1e3 ? [1e3, 'thousand'] : [1, ''];
  return `${Number((rate / unit).toPrecision(3))}${name === '' ? '' : ` ${name}`}`;
}

const pairsText = (pairs: number): string => `${pairs} pair${pairs === 1 ? '' : 's'}`;

export function saturationText({ pairs, peak, reached, left }: Saturation): string {
  const most = `${rateText(peak.value)} messages/s with ${pairsText(peak.pairs)}`;
  if (!reached) return `not saturated: the rate rises up to ${most}`;
  const enough = `the fewest to reach ${100 * ENOUGH} % of the highest rate, ${most}`;
  const verb = pairs === 1 ? 'saturates' : 'saturate';
  const falls = left < ENOUGH ? `; with the most pairs ${(100 * left).toFixed(0)} % of it is left` : '';
  return `${pairsText(pairs)} ${verb}: ${enough}${falls}`;
}

/** Pairs that have notably less than the others with the most pairs, slowest first. */
export function slowPairs(cells: readonly Cell[]): PairRate[] {
  const rates = cells.at(-1)?.rates ?? [];
  if (rates.length < 3) return [];
  const middle = median(rates.map(({ rate }) => rate));
  return rates.filter(({ rate }) => rate < NOTABLY_SLOW * middle).sort((a, b) => a.rate - b.rate);
}

function slowText(cells: readonly Cell[], hosts: readonly string[]): string[] {
  const rates = cells.at(-1)?.rates ?? [];
  const slow = slowPairs(cells);
  if (slow.length === 0) return [];
  const middle = median(rates.map(({ rate }) => rate));
  const named = slow.slice(0, MOST_NAMED).map(({ pair, rate }) => {
    const [first, second] = pair.map((rank) => `${rank} on ${hosts[rank]}`);
    return `rank ${first} to ${second} (${((100 * rate) / middle).toFixed(0)} %)`;
  });
  const more = slow.length > MOST_NAMED ? ` and ${slow.length - MOST_NAMED} more` : '';
  return [`slower than ${100 * NOTABLY_SLOW} % of the median pair: ${named.join(', ')}${more}`];
}

/** What follows from one group. */
export function groupRemarks(cells: readonly Cell[], hosts: readonly string[]): string {
  const saturation = saturationOf(cells.map(({ pairs, rate }) => ({ pairs, value: rate })));
  const remarks = [...(saturation ? [saturationText(saturation)] : []), ...slowText(cells, hosts)];
  return remarks.map((text) => `# ${text}\n`).join('');
}

export interface Where {
  readonly hosts: readonly string[];
  readonly layer: string;
  readonly repeats: number;
}

/** What stands above everything. */
export function scanHead({ hosts, layer, repeats }: Where): string {
  const half = Math.floor(hosts.length / 2);
  const within = hosts.slice(0, half).filter((host, rank) => host === hosts[rank + half]).length;
  const places =
    within === half ? 'within hosts' : within === 0 ? 'between hosts' : `${within} of ${half} within a host`;
  return [
    `# fabricbench scan: osu_mbw_mr, layer ${layer}, ${repeats} repeat${repeats === 1 ? '' : 's'}`,
    `# Pairs are of rank i and i + ${half}: ${places}`,
    '',
  ].join('\n');
}

export const settingText = ({ size, window }: Pick<Setting, 'size' | 'window'>): string =>
  `${formatBytes(size)} bytes, window ${window}`;
