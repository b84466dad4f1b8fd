/** `fabricbench import FILE...`: what people kept of other tools, as records. */
import { withCurves } from '../../analysis/curves.js';
import { recordTarget } from '../../report/record-target.js';
import { loadRecords, type LoadedFile, type Problem } from '../../results/load.js';
import { recordsText } from '../../results/records-text.js';
import { EXIT, WrongUse, type Answer, type Command } from './command.js';

/** Pieces of prose that are shown of a file; more of them are counted. */
const MOST_SHOWN = 10;
const LONGEST_SHOWN = 120;

interface Piece {
  readonly first: number;
  last: number;
  readonly text: string;
}

/** Lines that follow each other are one piece. */
function piecesOf(lines: readonly Problem[]): Piece[] {
  const pieces: Piece[] = [];
  for (const { line, text } of lines) {
    const piece = pieces.at(-1);
    if (piece?.last === line - 1) piece.last = line;
    else pieces.push({ first: line, last: line, text });
  }
  return pieces;
}

function passedOverText(file: string, lines: readonly Problem[]): string[] {
  const pieces = piecesOf(lines);
  const shown = pieces.slice(0, MOST_SHOWN).map(({ first, last, text }) => {
    const where = first === last ? `${first}` : `${first}-${last}`;
    const more = first === last ? '' : ' ...';
    return `${file}:${where}: passed over: ${text.slice(0, LONGEST_SHOWN)}${more}`;
  });
  const [next] = pieces.slice(MOST_SHOWN);
  const left = lines.filter(({ line }) => next !== undefined && line >= next.first).length;
  return next === undefined
    ? shown
    : [...shown, `${file}:${next.first}: passed over from here: ${counted(left, 'line')}`];
}

function reportOf(file: string, { records, problems, passedOver }: LoadedFile): string[] {
  const rows = records.reduce((sum, record) => sum + record.rows.length, 0);
  return [
    ...problems.map(({ line, text }) => `${file}:${line}: ${text}`),
    ...passedOverText(file, passedOver),
    `${file}: ${counted(records.length, 'run')} with ${counted(rows, 'row')}`,
  ];
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

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
    if (output === '') throw new WrongUse('-o takes a file');
    const loaded = (files as string[]).map((file) => ({
      file,
      ...loadRecords(file, { label: label as string | undefined }),
    }));
    let stdout = '';
    const sink = { write: (text: string): void => void (stdout += text) };
    const records = loaded.flatMap((file) => file.records).map(withCurves);
    // Not the last version: what can be made again needs no wait for the disk.
    recordTarget(typeof output === 'string' ? output : '-', sink).save(recordsText(records), false);
    const hasProblems = loaded.some(({ problems }) => problems.length > 0);
    return {
      exitCode: strict === true && hasProblems ? EXIT.failed : EXIT.done,
      stdout,
      stderr: loaded.flatMap(({ file, ...one }) => reportOf(file, one).map((line) => `${line}\n`)).join(''),
    };
  },
};
