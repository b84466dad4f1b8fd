/** The program `fabricbench`: its commands say what there is, start benchmarks, and work on records. It is no rank. */
import yargs, { type Argv } from 'yargs';
import { VERSION } from '../bench/version.js';
import { readLauncher } from '../rendezvous/launcher.js';
import { sentence as sentenceOf, type Streams } from '../report/say.js';
import { FdSink, SinkError } from '../report/sink.js';
import { EXIT, Impossible, WrongUse, type Answer, type Command, type Given } from './commands/command.js';
import { commands } from './commands/index.js';

const NAME = 'fabricbench';

const ownStreams: Streams = { stdout: new FdSink(1), stderr: new FdSink(2) };

/** Answers a command line (without interpreter and script). What takes long writes to `streams` meanwhile. */
export async function answer(argv: readonly string[], streams: Streams = ownStreams): Promise<Answer> {
  let chosen: (() => Answer | Promise<Answer>) | undefined;
  let help = '';
  let problem: string | undefined;
  const [given, rest] = cutAt(argv, '--');
  const words = readsFiles(given) ? given.map(standardInput) : given;
  const parser = parserOf(words, (command, given) => {
    if (rest.length > 0 && !command.takesRest) problem = 'nothing may follow --';
    chosen = () => command.run({ ...given, '--': rest }, streams);
  });
  parser.parseSync(words, {}, (error: Error | undefined | null, _given: unknown, output: string) => {
    if (error) problem = error.message;
    else if (output !== '') help = `${output}\n`;
  });
  if (problem !== undefined) return failure(EXIT.wrongUse, `${lowered(problem)}; ${adviceFor(words)}`);
  if (!chosen) return { exitCode: EXIT.done, stdout: help, stderr: '' };
  try {
    return await chosen();
  } catch (error) {
    return failure(codeOf(error), sentenceOf(error));
  }
}

function codeOf(error: unknown): number {
  if (error instanceof WrongUse) return EXIT.wrongUse;
  return error instanceof Impossible ? EXIT.impossible : EXIT.failed;
}

const failure = (exitCode: number, text: string): Answer => ({ exitCode, stdout: '', stderr: `${NAME}: ${text}\n` });

const commandOf = ([name]: readonly string[]): Command | undefined =>
  commands.find(({ usage }) => usage.split(' ')[0] === name);

/** Where someone may look who wrote what there is not. */
const adviceFor = (words: readonly string[]): string =>
  commandOf(words)?.advice ?? `${NAME} --help names what there is`;

/** Whether its words are files, and not a launch's. */
const readsFiles = (words: readonly string[]): boolean =>
  /<(?:files|records|sides)\.\.>/.test(commandOf(words)?.usage ?? '');

/** A file called `-` is standard input; yargs would drop the word. What `-o` is given is left as it is. */
function standardInput(word: string, index: number, words: readonly string[]): string {
  return word === '-' && !/^(?:-o|--output)$/.test(words[index - 1] ?? '') ? '/dev/stdin' : word;
}

/** What stands before a word, and what after it: yargs would turn numbers there into other ones. */
function cutAt(words: readonly string[], word: string): [readonly string[], readonly string[]] {
  const at = words.indexOf(word);
  return at < 0 ? [words, []] : [words.slice(0, at), words.slice(at + 1)];
}

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
    .parserConfiguration({ 'boolean-negation': false, 'camel-case-expansion': false })
    .check(({ json }) => typeof json !== 'boolean' || !argv.some(isJsonWithValue) || new Error('--json takes no value'))
    .help('help', 'print this help')
    .alias('help', 'h')
    .version('version', 'print the version', VERSION)
    .alias('version', 'v')
    .wrap(80)
    .exitProcess(false)
    .showHelpOnFail(false);
}

const isJsonWithValue = (word: string): boolean => word.startsWith('--json=');

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
    if (stdout !== '') ownStreams.stdout.write(stdout);
    if (stderr !== '') ownStreams.stderr.write(stderr);
  } catch (error) {
    if (!(error instanceof SinkError)) throw error;
    if (error.code === 'EPIPE') return;
    process.exitCode = EXIT.failed;
    process.stderr.write(`${NAME}: ${error.message}\n`);
  }
}
