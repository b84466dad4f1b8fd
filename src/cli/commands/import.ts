/** `fabricbench import FILE...`: what people kept of other tools, as records. */
import { writeFileSync } from 'node:fs';
import { loadRecords } from '../../results/load.js';
import type { ResultRecord } from '../../results/types.js';
import { EXIT, WrongUse, type Answer, type Command } from './command.js';

/** Lines of prose that are shown; more of them are counted. */
const MOST_SHOWN = 5;

interface Imported {
  readonly records: ResultRecord[];
  readonly lines: string[];
  problems: number;
}

function read(files: readonly string[], label: string | undefined): Imported {
  const all: Imported = { records: [], lines: [], problems: 0 };
  for (const file of files) {
    const { records, problems, passedOver } = loadRecords(file, { label });
    all.records.push(...records);
    all.problems += problems.length;
    for (const { line, text } of problems) all.lines.push(`${file}:${line}: ${text}`);
    for (const { line, text } of passedOver.slice(0, MOST_SHOWN))
      all.lines.push(`${file}:${line}: passed over: ${text}`);
    const more = passedOver.length - MOST_SHOWN;
    if (more > 0) all.lines.push(`${file}: ${more} more lines are no tables and were passed over`);
    const rows = records.reduce((sum, record) => sum + record.rows.length, 0);
    all.lines.push(`${file}: ${counted(records.length, 'run')} with ${counted(rows, 'row')}`);
  }
  return all;
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Error(`${file} can't be written: ${(error as Error).message}`, { cause: error });
  }
}

export const importCommand: Command = {
  usage: 'import <files..>',
  summary:
    'read text of OSU, Intel MPI Benchmarks, perftest and ucx_perftest as records; says what it did not understand, and where',
  options: (parser) =>
    parser
      .positional('files', { type: 'string', describe: 'texts with any number of runs' })
      .option('label', { type: 'string', describe: "how these runs are called (default: the file's name)" })
      .option('output', { alias: 'o', type: 'string', describe: 'write the records here instead of to stdout' })
      .option('strict', { type: 'boolean', describe: 'exit with 1 where a row, column or cell was not understood' }),
  run: ({ files, label, output, strict }): Answer => {
    if (label === '') throw new WrongUse('--label takes a name');
    const { records, lines, problems } = read(files as string[], label as string | undefined);
    const text = `${JSON.stringify(records.length === 1 ? records[0] : records, null, 2)}\n`;
    if (typeof output === 'string') write(output, text);
    return {
      exitCode: strict === true && problems > 0 ? EXIT.failed : EXIT.done,
      stdout: typeof output === 'string' ? '' : text,
      stderr: lines.map((line) => `${line}\n`).join(''),
    };
  },
};
