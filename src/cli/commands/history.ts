/** `fabricbench history DIR`: a folder of records, listed, filtered and followed over time. */
import { extname } from 'node:path';
import { historyOf, type History } from '../../history/history.js';
import { historyHtml, historySvg } from '../../history/page.js';
import { historyJson } from '../../history/json.js';
import { scan } from '../../history/scan.js';
import { historyText } from '../../history/text.js';
import { writeOutput } from '../output.js';
import { EXIT, WrongUse, type Answer, type Command, type Given } from './command.js';
import { textOf, thresholdOf } from './given.js';

export const history: Command = {
  usage: 'history <folder>',
  summary: 'list the records of a folder and of those below it, and find out when their figures changed',
  options: (parser) =>
    parser.positional('folder', { type: 'string', describe: 'where the records are' }).options({
      host: { type: 'string', requiresArg: true, describe: 'only of this host; * stands for anything' },
      benchmark: { type: 'string', requiresArg: true, describe: 'only this program or test; * stands for anything' },
      since: { type: 'string', requiresArg: true, describe: 'only from this date on: 2026-01-31, UTC' },
      until: { type: 'string', requiresArg: true, describe: 'only up to this date' },
      threshold: { type: 'string', default: '3%', describe: 'changes up to this are of no interest' },
      output: { alias: 'o', type: 'string', requiresArg: true, describe: 'plot over time: FILE.html or FILE.svg' },
      json: { type: 'boolean', describe: 'write it as JSON' },
    }),
  run: (given): Answer => {
    const folder = textOf(given, 'folder') ?? '';
    const output = outputOf(given);
    const [host, benchmark, since, until] = ['host', 'benchmark', 'since', 'until'].map((name) => textOf(given, name));
    const threshold = thresholdOf(given);
    const known = historyOf(folder, scan(folder), { host, benchmark, since, until, threshold });
    const stderr = known.problems.map((text) => `fabricbench: ${text}\n`).join('');
    if (known.records.length === 0) throw new WrongUse(nothingText(folder, known.skipped, given));
    const stdout = given['json'] ? historyJson(known) : historyText(known);
    if (output !== undefined) writeOutput(output, drawn(known, output), { what: 'plot' });
    return { exitCode: EXIT.done, stdout, stderr };
  },
};

const isPage = (file: string): boolean => /^\.html?$/i.test(extname(file));

function drawn(known: History, output: string): string {
  return isPage(output) ? historyHtml(known, { now: new Date() }) : historySvg(known);
}

function outputOf(given: Given): string | undefined {
  const file = textOf(given, 'output');
  if (file === undefined || isPage(file) || extname(file).toLowerCase() === '.svg') return file;
  throw new WrongUse(`-o takes a file that ends with .html or .svg, and not "${file}"`);
}

function nothingText(folder: string, skipped: number, given: Given): string {
  const limits = ['host', 'benchmark', 'since', 'until'].filter((name) => given[name] !== undefined);
  if (limits.length > 0) return `${folder} has no records of this ${limits.map((name) => `--${name}`).join(' ')}`;
  const why = skipped === 0 ? '' : `; of ${skipped} ${skipped === 1 ? 'file' : 'files'} none could be used`;
  return `${folder} has no records${why}`;
}
