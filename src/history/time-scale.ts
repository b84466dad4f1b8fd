/** An axis of dates. */
import type { Scale } from '../report/plot/scales.js';

const DAY = 86_400_000;
const LABEL = 10;

/** From the first to the last moment; times in ms. */
export function timeScale(times: readonly number[]): Scale {
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const span = last - first;
  const position = (time: number): number => (span === 0 ? 0.5 : Math.min(1, Math.max(0, (time - first) / span)));
  const tick = (time: number) => ({ at: position(time), label: labelOf(time, span) });
  return { position, ticks: span === 0 ? [tick(first)] : [tick(first), tick(last)], minor: [] };
}

/** Days, or of a shorter history the time of the day too. */
function labelOf(time: number, span: number): string {
  const text = new Date(time).toISOString();
  return span >= 2 * DAY ? text.slice(0, LABEL) : text.slice(5, 16).replace('T', ' ');
}
