/** `fabricbench report RECORDS... -o report.html`: records as one page. */
import { programs } from '../../bench/suites/index.js';
import { perftests } from '../../bench/suites/perftest.js';
import { reportPage } from '../../report/html-report/report.js';
import { runsOf } from '../../report/html-report/runs.js';
import { writeOutput } from '../output.js';
import { WrongUse, type Answer, type Command } from './command.js';
import { textOf } from './given.js';

export const report: Command = {
  usage: 'report <records..>',
  summary: 'draw records, or text of OSU, perftest and ucx_perftest, into one HTML page that needs nothing else',
  options: (parser) =>
    parser
      .positional('records', {
        type: 'string',
        describe: 'files or folders; LABEL=FILE,FILE calls all that was measured in these files LABEL',
      })
      .options({
        output: { alias: 'o', type: 'string', requiresArg: true, describe: 'the page; - is stdout' },
        title: { type: 'string', requiresArg: true, describe: 'heading of the page' },
        together: { type: 'boolean', describe: 'one chart for all tests that do the same, through whatever layer' },
      }),
  run: (given): Answer => {
    const output = textOf(given, 'output');
    if (output === undefined) throw new WrongUse('report needs -o FILE.html: where the page goes');
    const runs = runsOf(given['records'] as string[]);
    const options = { title: textOf(given, 'title'), together: Boolean(given['together']), titleOf, now: new Date() };
    const { html, reduced } = reportPage(runs, options);
    return writeOutput(output, html, {
      what: 'report',
      notes: reduced ? ['the page leaves out parts of the samples, to stay below 2 MB; the records keep all'] : [],
    });
  },
};

function titleOf(program: string): string | undefined {
  return programs.get(program)?.title ?? perftests.find(({ name }) => name === program)?.description;
}
