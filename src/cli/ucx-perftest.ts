/** argv of ucx_perftest to one typed value. Pure but for the batch files, which the context reads. */
import { basename } from 'node:path';
import type { UcxTestFacts } from '../report/ucx-perftest-types.js';
import { bindingOptions, findBindingConflict } from './binding-options.js';
import { getopt, type GetoptProblem, type GetoptResult } from './getopt.js';
import { DEFAULT_WATCHDOG } from './osu-defaults.js';
import { productOf, readBatchFile, withoutTest } from './ucx-perftest-batch.js';
import { findTestProblem } from './ucx-perftest-checks.js';
import { findUcxConflict, ucxNotes } from './ucx-perftest-conflicts.js';
import { ucxHelpText } from './ucx-perftest-help.js';
import type { ParsedUcxPerftest, UcxPerftestOptions, UcxPerftestRun, UcxTestOptions } from './ucx-perftest-options.js';
import { ucxParsers } from './ucx-perftest-parsers.js';
import { DEFAULT_PORT, REFUSED_OPTIONS, UCX_OPTIONS } from './ucx-perftest-table.js';
import { DEFAULT_TEST_OPTIONS, withGiven, type GivenUcx } from './ucx-perftest-test-options.js';
import { bad, good, type Checked } from './values.js';
import { isBadValue, parseGiven } from './yargs.js';

export interface UcxPerftestContext {
  /** What `-t` knows. */
  readonly tests: readonly UcxTestFacts[];
  /** Text of a batch file; throws the system's error. */
  readonly readFile: (name: string) => string;
  /** Whether a launcher of MPI started this process as a rank. */
  readonly underLauncher: boolean;
}

/** Exit codes of the peer: of a command line that can't be read, and of tests that can't be set up. */
const WRONG_OPTION = 129;
const WRONG_SET_UP = 255;

type Refusal = Extract<ParsedUcxPerftest, { kind: 'refuse' }>;

/** Parses argv without interpreter and script. */
export function parseUcxPerftest(argv: readonly string[], context: UcxPerftestContext): ParsedUcxPerftest {
  const found = untilHelp(getopt(argv, UCX_OPTIONS));
  const parsers = ucxParsers(context.tests);
  const given = parseGiven(found, parsers);
  if (isBadValue(given)) {
    const { option, reason } = given;
    return refuse(`Invalid option argument for ${option.given}: ${reason}`, ucxHelpText(context.tests));
  }
  if (given.help) return { kind: 'help', text: ucxHelpText(context.tests) };
  if (found.problem) return refuseProblem(found.problem, context);
  const conflict = findBindingConflict(found, given)?.[0] ?? findUcxConflict(found, given, context);
  if (conflict !== undefined) return refuse(conflict);
  return makeRun({ found, given, context, parsers });
}

interface CommandLine {
  readonly found: GetoptResult;
  readonly given: GivenUcx;
  readonly context: UcxPerftestContext;
  readonly parsers: ReturnType<typeof ucxParsers>;
}

/** As the peer: what stands after -h isn't looked at, what stands before is. */
function untilHelp(found: GetoptResult): GetoptResult {
  const index = found.options.findIndex(({ name }) => name === 'help');
  return index < 0 ? found : { options: found.options.slice(0, index + 1), positionals: [] };
}

function refuse(sentence: string, help?: string): Refusal {
  return { kind: 'refuse', exitCode: WRONG_OPTION, stderr: `${sentence}\n`, ...(help !== undefined && { help }) };
}

function refuseSetUp(sentence: string): Refusal {
  return { kind: 'refuse', exitCode: WRONG_SET_UP, stderr: `${sentence}\n` };
}

function refuseProblem(problem: GetoptProblem, { tests }: UcxPerftestContext): Refusal {
  const name = problem.given.replace(/^-+/, '');
  const reason = REFUSED_OPTIONS.get(name);
  return reason === undefined ? refuse(problemText(problem, name), ucxHelpText(tests)) : refuse(reason);
}

/** In the words of getopt, by which the peer says it. */
function problemText(problem: GetoptProblem, name: string): string {
  const { given } = problem;
  const long = given.startsWith('--');
  switch (problem.kind) {
    case 'unknown':
      return `ucx_perftest: ${long ? `unrecognized option '${given}'` : `invalid option -- '${name}'`}`;
    case 'missing':
      return `ucx_perftest: option ${long ? `'${given}' requires an argument` : `requires an argument -- '${name}'`}`;
    case 'unexpected':
      return `ucx_perftest: option '${given}' doesn't allow an argument`;
    case 'ambiguous':
      return `ucx_perftest: option '${given}' is ambiguous: write ${problem.candidates.join(' or ')}`;
  }
}

function makeRun(line: CommandLine): ParsedUcxPerftest {
  const { found, given, context } = line;
  const base = withGiven(DEFAULT_TEST_OPTIONS, given);
  const server = context.underLauncher || base.loopback ? undefined : found.positionals[0];
  const isServer = !context.underLauncher && !base.loopback && server === undefined;
  const planned = planRuns(line, base, isServer);
  if (!planned.ok) return refuseSetUp(planned.reason);
  const runs = checkRuns(planned.value, context.tests);
  const [only] = runs;
  // Where there is a server it is told too: it would wait for a client that never comes.
  const alone = !isServer && server === undefined;
  if (alone && runs.length === 1 && only?.problem !== undefined) return refuseSetUp(only.problem);
  const options = makeOptions(given, server, runs);
  return { kind: 'run', options, notes: ucxNotes(found, given, { ...context, isServer, runs }) };
}

/** What to run before it is checked. A server needs no test: its client says what to run. */
function planRuns(line: CommandLine, base: UcxTestOptions, isServer: boolean): Checked<readonly UcxPerftestRun[]> {
  const { given } = line;
  if (given.batch) return planBatch(line, base, isServer);
  if (base.test === '') return isServer ? good([]) : bad('command line: missing test name');
  const sweep = given.sizes?.at(-1);
  if (!sweep) return good([{ labels: [], options: base }]);
  return good(sweep.map((size) => ({ labels: [String(size)], options: { ...base, sizes: [size] } })));
}

function planBatch(
  { given, context, parsers }: CommandLine,
  base: UcxTestOptions,
  isServer: boolean,
): Checked<readonly UcxPerftestRun[]> {
  const files = [];
  for (const name of given.batch ?? []) {
    const file = readBatchFile(name, parsers, context.readFile);
    if (!file.ok) return file;
    files.push(file.value);
  }
  const runs = productOf(files, base);
  const nameless = runs.ok ? withoutTest(files, runs.value) : undefined;
  if (nameless === undefined) return runs;
  return isServer ? good([]) : bad(nameless);
}

function checkRuns(runs: readonly UcxPerftestRun[], tests: readonly UcxTestFacts[]): readonly UcxPerftestRun[] {
  return runs.map(({ labels, options }) => {
    const facts = tests.find(({ name }) => name === options.test);
    const problem = facts && findTestProblem(options, facts);
    const whole = Object.freeze({ ...options, wakeup: options.wakeup || options.sleep });
    return { labels, options: whole, ...(problem !== undefined && { problem }) };
  });
}

function makeOptions(given: GivenUcx, server: string | undefined, runs: readonly UcxPerftestRun[]): UcxPerftestOptions {
  return Object.freeze<UcxPerftestOptions>({
    server,
    port: given.port?.at(-1) ?? DEFAULT_PORT,
    ipv6: given.ipv6 !== undefined,
    cpus: given.cpus?.at(-1),
    finalOnly: given.final !== undefined,
    csv: given.csv !== undefined,
    thousands: given.thousands !== undefined,
    extraInfo: given.info !== undefined || given['extra-info'] !== undefined,
    batchFiles: given.sizes ? ['size'] : (given.batch ?? []).map((name) => basename(name)),
    testGiven: given.test !== undefined,
    runs,
    once: given.once !== undefined,
    stats: given.stats !== undefined,
    json: given.json?.at(-1),
    csvFile: given['csv-file']?.at(-1),
    markdown: given.markdown?.at(-1),
    samples: given.samples !== undefined,
    watchdog: given.watchdog?.at(-1) ?? DEFAULT_WATCHDOG,
    noise: given.noise?.at(-1),
    ...bindingOptions(given),
  });
}
