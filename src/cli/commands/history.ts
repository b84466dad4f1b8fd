/** `fabricbench history DIR`: a folder of records over time. */
import { recordLines, trackLines } from '../../history/history-text.js';
import { readStore, tracksOf } from '../../history/history.js';
import { EXIT, WrongUse, type Command, type Given } from './command.js';

const THRESHOLD = 0.03;

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function dateOf(given: Given, name: string): string | undefined {
  const value = text(given[name]);
  if (value !== undefined && !/^\d{4}(-\d{2}(-\d{2}(T[\d:.]+Z?)?)?)?$/.test(value))
    throw new WrongUse(`--${name} takes a date such as 2026-11 or 2026-11-30, not ${value}`);
  return value;
}

export const history: Command = {
  usage: 'history <folder>',
  summary: 'list the records in a folder, show how each figure went over time, and where it changed',
  options: (parser) =>
    parser
      .positional('folder', { type: 'string', describe: 'records, also in folders below it' })
      .option('host', { type: 'string', requiresArg: true, describe: 'only records of this host' })
      .option('benchmark', { type: 'string', requiresArg: true, describe: 'only records of this program' })
      .option('since', { type: 'string', requiresArg: true, describe: 'only what was started on this day or later' })
      .option('until', { type: 'string', requiresArg: true, describe: 'only what was started on this day or before' })
      .option('changes', { type: 'boolean', describe: 'only figures that changed' })
      .option('json', { type: 'boolean', describe: 'write it as JSON' }),
  run: (given) => {
    const { folder, host, benchmark, changes, json } = given;
    const wanted = { host: text(host), benchmark: text(benchmark), since: dateOf(given, 'since'), until: dateOf(given, 'until') }; // prettier-ignore
    const { kept, skipped } = readStore(folder as string, wanted);
    if (kept.length === 0) throw new WrongUse(`${folder as string} holds no such record${skipped.length > 0 ? `; ${skipped[0] ?? ''}` : ''}`); // prettier-ignore
    const tracks = tracksOf(kept, THRESHOLD).filter((track) => changes !== true || track.changes.length > 0);
    const lines = [...recordLines(kept), ...(tracks.length > 0 ? ['', ...trackLines(tracks)] : [])];
    const plain = tracks.map(({ series, ...track }) => ({ ...track, figure: series.figure, parameters: series.parameters })); // prettier-ignore
    const records = kept.map(({ file, record: { run, status } }) => ({ file, run, status }));
    return {
      exitCode: EXIT.done,
      stdout: json === true ? `${JSON.stringify({ records, tracks: plain, skipped }, null, 2)}\n` : `${lines.join('\n')}\n`, // prettier-ignore
      stderr: skipped.map((sentence) => `fabricbench: skipped: ${sentence}\n`).join(''),
    };
  },
};
