/** The program `fabricbench`: its commands say what there is, start benchmarks, and work on records. It is no rank. */
import yargs, { type Argv } from 'yargs';
import { VERSION } from '../bench/version.js';
import { readLauncher } from '../rendezvous/launcher.js';
import { sentence as sentenceOf } from '../report/say.js';
import { FdSink, SinkError } from '../report/sink.js';
import { EXIT, WrongUse, type Answer, type Command, type Given } from './commands/command.js';
import { commands } from './commands/index.js';

const NAME = 'fabricbench';

/** Answers a command line (without interpreter and script). Nothing is printed. */
export async function answer(argv: readonly string[]): Promise<Answer> {
  let chosen: (() => Answer | Promise<Answer>) | undefined;
  let help = '';
  let problem: string | undefined;
  const parser = parserOf(argv, (command, given) => {
    chosen = () => command.run(given);
  });
  parser.parseSync(argv, {}, (error: Error | undefined | null, _given: unknown, output: string) => {
    if (error) problem = error.message;
    else if (output !== '') help = `${output}\n`;
  });
  if (problem !== undefined) return failure(EXIT.wrongUse, `${lowered(problem)}; ${NAME} --help names what there is`);
  if (!chosen) return { exitCode: EXIT.done, stdout: help, stderr: '' };
  try {
    return await chosen();
  } catch (error) {
    return failure(error instanceof WrongUse ? EXIT.wrongUse : EXIT.failed, sentenceOf(error));
  }
}

const failure = (exitCode: number, text: string): Answer => ({ exitCode, stdout: '', stderr: `${NAME}: ${text}\n` });

function parserOf(argv: readonly string[], choose: (command: Command, given: Given) => void): Argv {
  const start = yargs().locale('en').scriptName(NAME).usage(`Usage: ${NAME} COMMAND [options]`);
  return commands
    .reduce<Argv>(
      (parser, command) =>
        parser.command(command.usage, command.summary, command.options, (given) => {
          choose(command, given);
        }),
      start,
    )
    .demandCommand(1, 'a command is missing')
    .strict()
    .strictCommands()
    .parserConfiguration({ 'boolean-negation': false, 'camel-case-expansion': false, 'populate--': true })
    .check(() => !argv.some((word) => word.startsWith('--json=')) || new Error('--json takes no value'))
    .help('help', 'print this help')
    .alias('help', 'h')
    .version('version', 'print the version', VERSION)
    .alias('version', 'v')
    .wrap(80)
    .exitProcess(false)
    .showHelpOnFail(false);
}

function lowered(problem: string): string {
  const text = problem.replace(/\s+/g, ' ');
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** Answers this process's command line. A reader that has gone wants no more of it; other failures are told. */
export async function main(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  const { exitCode, stdout, stderr } = await answer(argv);
  // Ranks of a job see the same wrong use: rank 0 says it, and its exit code is the job's.
  if (exitCode === EXIT.wrongUse && (readLauncher(process.env).rank ?? 0) > 0) return;
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
