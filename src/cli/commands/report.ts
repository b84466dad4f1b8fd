/** `fabricbench report RECORDS...`: runs as one page. */
import { writeFileSync } from 'node:fs';
import { VERSION } from '../../bench/version.js';
import { reportOf, type Source } from '../../report/html-report/model.js';
import { reportPage } from '../../report/html-report/page.js';
import { loadRecords } from '../../results/load.js';
import { EXIT, WrongUse, type Command } from './command.js';

const MOST_RUNS = 60;

export const report: Command = {
  usage: 'report <files..>',
  summary: 'draw runs as one page of HTML that needs nothing else: curves, intervals, distributions, environments',
  options: (parser) =>
    parser
      .positional('files', { type: 'string', describe: 'records, or text that import reads' })
      .option('output', { alias: 'o', type: 'string', default: 'report.html', describe: 'the file to write' })
      .option('title', { type: 'string', describe: 'what stands above it' }),
  run: ({ files, output, title }) => {
    const sources: Source[] = (files as string[]).flatMap((file) =>
      loadRecords(file).records.map((record) => ({ file, record })),
    );
    if (sources.length > MOST_RUNS)
      throw new WrongUse(`these files hold ${sources.length} runs, and a page of more than ${MOST_RUNS} shows nothing`);
    const names = [...new Set(sources.map(({ record }) => record.run.name))];
    const heading = typeof title === 'string' && title !== '' ? title : `${names.join(', ')}: ${sources.length} ${sources.length === 1 ? 'run' : 'runs'}`; // prettier-ignore
    const page = reportPage(reportOf({ title: heading, version: VERSION, made: new Date(), sources }));
    try {
      writeFileSync(output as string, page);
    } catch (error) {
      throw new Error(`${output as string} can't be written: ${(error as Error).message}`, { cause: error });
    }
    return {
      exitCode: EXIT.done,
      stdout: '',
      stderr: `${output as string}: ${sources.length} runs, ${Math.ceil(page.length / 1024)} KiB\n`,
    };
  },
};
