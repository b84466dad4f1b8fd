/** The program `fabricbench`, which says what there is to run. It is no rank, and needs neither MPI nor a launcher. */
import yargs from 'yargs';
import { programs } from '../bench/suites/index.js';
import { ucxAbilities } from '../bench/ucx-perftest/abilities.js';
import { VERSION } from '../bench/version.js';
import { LoadError } from '../engine/errors.js';
import { builtAddons } from '../engine/load.js';
import { FdSink, SinkError } from '../report/sink.js';
import { infoJson, infoText, type Info } from './info.js';
import { gatherVerbs } from './info-verbs.js';
import { listJson, listPrograms, listText } from './program-list.js';

/** What a command line is answered with. */
export interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const EXIT = { done: 0, failed: 1, wrongUse: 2 } as const;
const NAME = 'fabricbench';

/** Answers a command line (without interpreter and script). Nothing is printed. */
export function answer(argv: readonly string[]): Answer {
  let stdout = '';
  let problem: string | undefined;
  const parser = commands(argv, (text) => {
    stdout = text;
  });
  parser.parseSync(argv, {}, (error: Error | undefined | null, _given: unknown, output: string) => {
    if (error) problem = error.message;
    else if (output !== '') stdout = `${output}\n`;
  });
  if (problem === undefined) return { exitCode: EXIT.done, stdout, stderr: '' };
  return { exitCode: EXIT.wrongUse, stdout: '', stderr: `${NAME}: ${sentence(problem)}\n` };
}

function commands(argv: readonly string[], print: (text: string) => void) {
  return yargs()
    .locale('en')
    .scriptName(NAME)
    .usage(`Usage: ${NAME} COMMAND [options]`)
    .command(
      'list',
      'name all programs: how many ranks they take, what they measure, what they need',
      (options) => options.option('json', { type: 'boolean', describe: 'write them as JSON' }),
      ({ json }) => {
        const all = listPrograms(programs.values());
        print(json ? listJson(all) : listText(all));
      },
    )
    .command(
      'info',
      'say what is here: native parts, the transports of UCX, what each can do and which tests it can run, RDMA devices',
      (options) => options.option('json', { type: 'boolean', describe: 'write it as JSON' }),
      ({ json }) => {
        const info = gatherInfo();
        print(json ? infoJson(info) : infoText(info));
      },
    )
    .demandCommand(1, 'a command is missing')
    .strict()
    .strictCommands()
    .parserConfiguration({ 'boolean-negation': false, 'camel-case-expansion': false })
    .check(() => !argv.some((word) => word.startsWith('--json=')) || new Error('--json takes no value'))
    .help('help', 'print this help')
    .alias('help', 'h')
    .version('version', 'print the version', VERSION)
    .alias('version', 'v')
    .wrap(80)
    .exitProcess(false)
    .showHelpOnFail(false);
}

function gatherInfo(): Info {
  const here = { version: VERSION, node: process.version, addons: builtAddons(), verbs: gatherVerbs() };
  try {
    return { ...here, ucx: ucxAbilities(), problem: null };
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    return { ...here, ucx: null, problem: error.message };
  }
}

function sentence(problem: string): string {
  const text = problem.replace(/\s+/g, ' ');
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}; ${NAME} --help names what there is`;
}

/** Answers this process's command line. A reader that has gone wants no more of it; other failures are told. */
export function main(argv: readonly string[] = process.argv.slice(2)): void {
  const { exitCode, stdout, stderr } = answer(argv);
  process.exitCode = exitCode;
  try {
    if (stdout !== '') new FdSink(1).write(stdout);
    if (stderr !== '') new FdSink(2).write(stderr);
  } catch (error) {
    if (!(error instanceof SinkError)) throw error;
    if (error.code === 'EPIPE') return;
    process.exitCode = EXIT.failed;
    process.stderr.write(`${NAME}: ${error.message}\n`);
  }
}
