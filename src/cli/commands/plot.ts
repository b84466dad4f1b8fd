/** `fabricbench plot RECORDS...`: curves of several runs in one figure, in the terminal or as SVG. */
import { writeFileSync } from 'node:fs';
import { labelsOf, panelsOf, type Source } from '../../report/html-report/model.js';
import type { ReportPanel, ReportPoint } from '../../report/html-report/types.js';
import { svgOfPanels } from '../../report/plot/svg.js';
import { panelsText } from '../../report/plot/tty.js';
import type { Panel, Point } from '../../report/plot/types.js';
import { loadRecords } from '../../results/load.js';
import { done, WrongUse, type Command } from './command.js';

const FIGURES = ['latency', 'bandwidth', 'rate'] as const;
const UNITS: Readonly<Record<string, string>> = { latency: 's', bandwidth: 'B/s', rate: '1/s' };

function pointOf({ size, value, median, interval }: ReportPoint, factor: number): Point {
  return {
    size,
    value: value * factor,
    ...(median === undefined ? {} : { median: median * factor }),
    ...(interval ? { interval: { low: interval[0] * factor, high: interval[1] * factor } } : {}),
  };
}

function plotted({ title, unit, factor, sized, series }: ReportPanel, labels: readonly string[]): Panel {
  return {
    ...{ title, unit, ordinal: false },
    kind: sized && series.some(({ points }) => points.length > 1) ? 'lines' : 'bars',
    series: series.map(({ run, title: own, points }) => ({
      name: [labels[run] ?? '', own].filter(Boolean).join(', '),
      points: points.map((point) => pointOf(point, factor)),
    })),
  };
}

export const plot: Command = {
  usage: 'plot <files..>',
  summary: 'draw runs over message sizes, several in one figure: in the terminal, or as SVG',
  options: (parser) =>
    parser
      .positional('files', { type: 'string', describe: 'records, or text that import reads' })
      .option('output', { alias: 'o', type: 'string', requiresArg: true, describe: 'write an SVG here' })
      .option('figure', { choices: FIGURES, describe: 'only figures of this kind' })
      .option('title', { type: 'string', requiresArg: true, describe: 'what stands above the SVG' }),
  run: ({ files, output, figure, title }) => {
    const sources: Source[] = (files as string[]).flatMap((file) =>
      loadRecords(file).records.map((record) => ({ file, record })),
    );
    const labels = labelsOf(sources);
    const wanted = typeof figure === 'string' ? UNITS[figure] : undefined;
    const panels = panelsOf(sources).filter(({ base }) => wanted === undefined || base === wanted);
    if (panels.length === 0)
      throw new WrongUse(`these files hold no ${typeof figure === 'string' ? figure : 'figures'} to plot`);
    const drawn = panels.map((panel) => plotted(panel, labels));
    if (typeof output !== 'string') return done(panelsText(drawn));
    const names = [...new Set(sources.map(({ record }) => record.run.name))].join(', ');
    try {
      writeFileSync(output, svgOfPanels(typeof title === 'string' ? title : names, drawn));
    } catch (error) {
      throw new Error(`${output} can't be written: ${(error as Error).message}`, { cause: error });
    }
    return done('');
  },
};
