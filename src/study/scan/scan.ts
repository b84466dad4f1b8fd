/** `fabricbench scan`: message rate and bandwidth over the number of pairs that talk at once. */
import { WrongUse } from '../../cli/commands/command.js';
import type { Study, StudyProgram } from '../program.js';
import { measureGroup, type Cell } from './measure.js';
import { doublings, layerOf, readScan, scanRows, type ScanOptions } from './options.js';
import { drawScan } from './picture.js';
import { rowOfCell, studyOf } from './record.js';
import { groupHead, groupLines, groupRemarks, scanHead } from './text.js';

/** Numbers of pairs to measure on so many ranks; throws `WrongUse` where there are too few. */
export function countsFor({ pairs }: Pick<ScanOptions, 'pairs'>, ranks: number): readonly number[] {
  const half = Math.floor(ranks / 2);
  if (half < 1) throw new WrongUse('a scan needs at least 2 ranks, and there is 1: give more with -n');
  const most = pairs?.at(-1) ?? half;
  if (most > half)
    throw new WrongUse(`--pairs ${most} needs ${2 * most} ranks, and there are ${ranks}: give at most ${half}`);
  return pairs ?? doublings(1, half);
}

function lead({ options, field, table, record }: Study<ScanOptions>): number {
  const counts = countsFor(options, field.size);
  const groups: Cell[][] = [];
  let text = '';
  const tell = (part: string): void => {
    text += part;
    table.write(part);
  };
  tell(scanHead({ hosts: field.hosts, layer: layerOf(options), repeats: options.repeats }));
  for (const size of options.sizes) {
    for (const window of options.windows) {
      tell(groupHead({ size, window }));
      const cells = measureGroup(field, { size, window }, counts, options);
      tell(groupLines(cells) + groupRemarks(cells, field.hosts));
      groups.push(cells);
      for (const cell of cells) record.row(rowOfCell(cell));
      record.study(studyOf(groups));
    }
  }
  drawScan(options, groups, { text, table });
  return 0;
}

export const scanProgram: StudyProgram<ScanOptions> = {
  name: 'scan',
  summary: 'measure message rate and bandwidth over the number of pairs that talk at once, in one job',
  options: scanRows,
  read: readScan,
  layer: layerOf,
  ranks: ({ pairs }, cores) => (pairs ? 2 * (pairs.at(-1) ?? 1) : Math.max(2, 2 * Math.floor(cores / 2))),
  lead,
};
