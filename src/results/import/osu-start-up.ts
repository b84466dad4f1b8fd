/** What osu_init says: one line of the peer, and one more of ours. */
import type { Figure, RowRecord } from '../types.js';
import { UNITS, valueOf } from './cells.js';

const SPREAD = /min:\s*([\d.]+)\s*ms,\s*max:\s*([\d.]+)\s*ms,\s*avg:\s*([\d.]+)\s*ms/;

/** The row with what this line adds; undefined where it is no such line. */
export function startUpRow(text: string, row: RowRecord | undefined): RowRecord | undefined {
  const [, min = '', max = '', mean = ''] = SPREAD.exec(text) ?? [];
  if (mean === '') return undefined;
  const [, processes] = /^nprocs:\s*(\d+)/.exec(text) ?? [];
  if (processes !== undefined) {
    const ranks = Number(processes);
    return {
      parameters: { size: null, ranks },
      n: ranks,
      figures: figuresOf('init', min, max, mean),
      statistics: null,
    };
  }
  if (!row || !/^#\s*From the start/.test(text)) return undefined;
  return { ...row, figures: { ...row.figures, ...figuresOf('ready', min, max, mean) } };
}

function figuresOf(name: string, min: string, max: string, mean: string): Record<string, Figure> {
  const seconds = (text: string): Figure => ({ value: valueOf(text, UNITS.milliseconds), unit: 's' });
  return { [name]: seconds(mean), [`min-${name}`]: seconds(min), [`max-${name}`]: seconds(max) };
}
