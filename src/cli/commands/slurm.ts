/** `fabricbench slurm KIND`: a batch script for Slurm; `fabricbench slurm verdict FOLDER`: what an acceptance came to. */
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { loadSides, requestsOf } from '../../analysis/sides.js';
import { checkWritable, RecordError } from '../../report/record-target.js';
import { loadRecords } from '../../results/load.js';
import { expandHostlist } from '../../slurm/hostlist.js';
import { declareOptions, readScript, valueOf } from '../../slurm/options.js';
import { restOf } from '../../slurm/rest.js';
import { scriptText } from '../../slurm/script.js';
import { verdictOf } from '../../slurm/verdict.js';
import { isPassed, verdictText } from '../../slurm/verdict-text.js';
import { done, EXIT, WrongUse, type Answer, type Command, type Given } from './command.js';

export const slurm: Command = {
  usage: 'slurm <what..>',
  summary: 'write a batch script for Slurm, or tell what the acceptance of nodes came to',
  options: declareOptions,
  advice: 'fabricbench slurm --help names its options',
  run: (given) => {
    const [first = ''] = given['what'] as string[];
    return (OTHERS[first] ?? script)(given);
  },
};

/** What is no kind of script. */
const OTHERS: Readonly<Record<string, (given: Given) => Answer>> = { verdict, rest };

const EXECUTABLE = 0o755;

function script(given: Given): Answer {
  const text = scriptText(readScript(given, wordsOf(process.argv), dirname(import.meta.dirname)));
  const file = valueOf(given, 'output');
  if (file === undefined) return done(text);
  const problem = checkWritable(file, 'script');
  if (problem !== undefined) throw new WrongUse(problem);
  try {
    writeFileSync(file, text);
    if (statSync(file).isFile()) chmodSync(file, EXECUTABLE);
  } catch (error) {
    throw new RecordError(file, error, 'script');
  }
  return { exitCode: EXIT.done, stdout: '', stderr: `fabricbench: ${file} is written: sbatch ${file}\n` };
}

/** What was typed, without where it is written to. */
function wordsOf(argv: readonly string[]): string[] {
  const words = argv.slice(argv.indexOf('slurm') + 1);
  return words.filter((word, at) => !isOutput(word) && !['-o', '--output'].includes(words[at - 1] ?? ''));
}

const isOutput = (word: string): boolean => /^(-o.*|--output(=.*)?)$/.test(word);

function verdict(given: Given): Answer {
  const [, ...folders] = given['what'] as string[];
  if (folders.length === 0) throw new WrongUse('verdict needs the folder of an acceptance: fabricbench slurm verdict FOLDER'); // prettier-ignore
  const list = valueOf(given, 'nodelist');
  const nodes = list === undefined ? undefined : expandHostlist(list);
  if (list !== undefined && nodes === undefined) throw new WrongUse(`--nodelist ${list}: give names, as node[1-4]`);
  const found = verdictOf(
    loadSides(requestsOf(folders)).flatMap(({ records }) => records),
    nodes,
  );
  return { exitCode: isPassed(found) ? EXIT.done : EXIT.failed, stdout: verdictText(found), stderr: '' };
}

/** For batch scripts: the sizes that an interrupted run has not measured; nothing where it has to begin again. */
function rest(given: Given): Answer {
  const [, file, ...more] = given['what'] as string[];
  if (file === undefined || more.length > 0) throw new WrongUse('rest needs one record: fabricbench slurm rest FILE');
  const [record] = loadRecords(file).records;
  const sizes = record === undefined ? undefined : restOf(record);
  return done(sizes === undefined ? '' : `${sizes}\n`);
}
