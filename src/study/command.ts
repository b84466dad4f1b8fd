/** A study as a command of `fabricbench`: under a launcher it is a program of ranks, else it starts itself as one. */
import { WrongUse, type Answer, type Command, type Given } from '../cli/commands/command.js';
import { EXIT } from '../cli/commands/command.js';
import { scriptOf, type Benchmark } from '../launch/benchmark.js';
import { declareLaunch, launchNames, readOptions } from '../launch/options.js';
import { launchBenchmark } from '../launch/run.js';
import { readLauncher } from '../rendezvous/launcher.js';
import { checkWritable } from '../report/record-target.js';
import type { Streams } from '../report/say.js';
import { runStudy } from './job.js';
import { COMMON_ROWS, declareRows, readCommon, textOf, wordsOf } from './options.js';
import type { StudyProgram } from './program.js';

export function studyCommand<Options>(program: StudyProgram<Options>): Command {
  return {
    usage: program.name,
    summary: program.summary,
    options: (parser) => declareLaunch(declareRows(declareRows(parser, program.options), COMMON_ROWS)),
    run: (given, streams) => {
      const options = program.read(given);
      const common = readCommon(given);
      const launcher = readLauncher(process.env);
      if (launcher.launcher === null) return start(program, options, given, streams);
      refuseLaunch(given);
      const exitCode = runStudy({ program, options, common, launcher, streams });
      // Launchers end a job at the first rank that fails, maybe before rank 0 has spoken: the code is rank 0's to give.
      return answer((launcher.rank ?? 0) === 0 ? exitCode : EXIT.done);
    },
  };
}

const answer = (exitCode: number): Answer => ({ exitCode, stdout: '', stderr: '' });

function refuseLaunch(given: Given): void {
  const name = launchNames.find((one) => given[one] !== undefined && given[one] !== false);
  if (name !== undefined)
    throw new WrongUse(`--${name} is about starting ranks, and these have been started already: leave it out`);
}

/** What is about the launch, and the record, which its rank 0 writes. */
const ofLaunch = (given: Given): Given =>
  Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== undefined && [...launchNames, 'json'].includes(name)),
  );

/** The same command under a launcher, without what is the launch's own. */
function start<Options>(
  program: StudyProgram<Options>,
  options: Options,
  given: Given,
  streams: Streams,
): Promise<Answer> {
  const json = textOf(given, 'json');
  const problem = json === undefined ? undefined : checkWritable(json);
  if (problem !== undefined) throw new WrongUse(problem);
  const rows = [...program.options, ...COMMON_ROWS.filter(({ name }) => name !== 'json')];
  const args = [program.name, ...wordsOf(given, rows)];
  const benchmark: Benchmark = {
    ...{ name: program.name, script: scriptOf('fabricbench'), takesBind: true, manyThreads: false, megabyte: 1e6 },
    oneSided: program.windows === true,
    ranks: (places, cores) => places ?? program.ranks(options, cores),
  };
  const perNode = given['hosts'] !== undefined && given['ranks'] === undefined ? program.ranksPerNode : undefined;
  const places = perNode === undefined ? {} : { 'ranks-per-node': String(perNode) };
  const all = { ...places, ...ofLaunch(given), benchmark: program.name, '--': args };
  return launchBenchmark(readOptions(all), benchmark, streams);
}
