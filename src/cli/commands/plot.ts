/** `fabricbench plot RECORDS... [-o FILE.svg]`: records as characters in a terminal, or as a drawing. */
import type { CurveKind } from '../../analysis/curve-types.js';
import { panelsOfRuns, plotSvg, plotText } from '../../report/html-report/plots.js';
import { runsOf } from '../../report/html-report/runs.js';
import { writeOutput } from '../output.js';
import { WrongUse, type Answer, type Command } from './command.js';
import { textOf } from './given.js';

const KINDS = ['latency', 'bandwidth', 'rate'] as const satisfies readonly CurveKind[];

export const plot: Command = {
  usage: 'plot <records..>',
  summary: 'draw records, or text of OSU, perftest and ucx_perftest, in the terminal or into an SVG file',
  options: (parser) =>
    parser
      .positional('records', {
        type: 'string',
        describe: 'files or folders; LABEL=FILE,FILE calls all that was measured in these files LABEL',
      })
      .options({
        output: { alias: 'o', type: 'string', requiresArg: true, describe: 'an SVG file, or - for stdout' },
        figure: { choices: KINDS, describe: "what is drawn; default: each test's own figure" },
        together: { type: 'boolean', describe: 'one plot for all tests that do the same, through whatever layer' },
      }),
  run: (given): Answer => {
    const runs = runsOf(given['records'] as string[]);
    const figure = KINDS.find((kind) => kind === textOf(given, 'figure'));
    const panels = panelsOfRuns(runs, { figure, together: Boolean(given['together']) });
    if (panels.length === 0) throw new WrongUse(`these records have no ${figure ?? 'figure'} that could be drawn`);
    const output = textOf(given, 'output');
    if (output === undefined) return { exitCode: 0, stdout: plotText(panels), stderr: '' };
    return writeOutput(output, plotSvg(runs, panels), { what: 'plot' });
  },
};
