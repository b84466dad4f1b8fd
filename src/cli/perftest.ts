/** argv of the ib_* programs to one typed value. Pure: no file, device or process is looked at. */
import { perftest } from '../bench/suites/perftest.js';
import { VERSION } from '../bench/version.js';
import { findBindingConflict } from './binding-options.js';
import { getopt, type GetoptProblem, type GetoptResult } from './getopt.js';
import { buildPerftest } from './perftest-build.js';
import { findGivenConflict, findOptionsConflict, perftestNotes } from './perftest-conflicts.js';
import { perftestHelp } from './perftest-help.js';
import type { ParsedPerftest, PerftestName } from './perftest-options.js';
import { perftestParsers, type GivenPerftest } from './perftest-parsers.js';
import { REFUSED_CONNECTIONS, REFUSED_LIMITS, REFUSED_OPTIONS } from './perftest-refused.js';
import { PERFTEST_OPTIONS } from './perftest-table.js';
import { isBadValue, parseGiven } from './yargs.js';

export interface PerftestContext {
  /** Whether a launcher of MPI started this process as a rank. */
  readonly underLauncher: boolean;
}

type Refusal = Extract<ParsedPerftest, { kind: 'refuse' }>;

const SHAPES = [...PERFTEST_OPTIONS, ...REFUSED_OPTIONS];

/** Parses argv without interpreter and script. */
export function parsePerftest(
  name: PerftestName,
  argv: readonly string[],
  { underLauncher }: PerftestContext,
): ParsedPerftest {
  const found = untilHelp(getopt(argv, SHAPES));
  const unavailable = findRefused(found);
  if (unavailable) return unavailable;
  const given = parseGiven(found, perftestParsers);
  if (isBadValue(given)) return refuse(`Invalid argument of ${given.option.given}: ${given.reason}`);
  const place = { test: perftest(name), underLauncher, positionals: found.positionals };
  if (given.help) return { kind: 'help', text: perftestHelp(place.test) };
  if (given.version) return { kind: 'version', text: `Version: fabricbench ${VERSION}\n` };
  if (found.problem) return refuse(problemText(name, found.problem));
  const conflict =
    findUnavailable(given) ?? refuseWith(findBindingConflict(found, given)?.[0] ?? findGivenConflict(given, place));
  if (conflict) return conflict;
  const options = buildPerftest(given, place);
  const wrong = refuseWith(findOptionsConflict(options, given));
  return wrong ?? { kind: 'run', options, notes: perftestNotes(given, options, place) };
}

/** What stands after -h or -V isn't looked at, what stands before is. */
function untilHelp(found: GetoptResult): GetoptResult {
  const index = found.options.findIndex(({ name }) => name === 'help' || name === 'version');
  return index < 0 ? found : { options: found.options.slice(0, index + 1), positionals: [] };
}

function refuse(sentence: string, exitCode: 1 | 77 = 1): Refusal {
  return { kind: 'refuse', exitCode, stderr: `${sentence}\n` };
}

function refuseWith(sentence: string | undefined): Refusal | undefined {
  return sentence === undefined ? undefined : refuse(sentence);
}

/** The first option that fabricbench knows and has not. */
function findRefused({ options }: GetoptResult): Refusal | undefined {
  for (const { name, given } of options) {
    const row = REFUSED_OPTIONS.find((option) => option.name === name);
    if (row) return refuse(`${given} ${row.reason}`, row.exitCode);
  }
  return undefined;
}

/** Words that are known and can't be had. */
function findUnavailable(given: GivenPerftest): Refusal | undefined {
  const row =
    REFUSED_CONNECTIONS[given.connection?.at(-1) ?? ''] ?? REFUSED_LIMITS[given['rate-limit-type']?.at(-1) ?? ''];
  return row && refuse(row.reason, row.exitCode);
}

/** In the words of getopt, by which perftest says it. */
function problemText(program: string, problem: GetoptProblem): string {
  const { given } = problem;
  const long = given.startsWith('--');
  const name = given.replace(/^-+/, '');
  const mend = `: see ${program} --help`;
  switch (problem.kind) {
    case 'unknown':
      return `${program}: ${long ? `unrecognized option '${given}'` : `invalid option -- '${name}'`}${mend}`;
    case 'missing':
      return `${program}: option ${long ? `'${given}' requires an argument` : `requires an argument -- '${name}'`}${mend}`;
    case 'unexpected':
      return `${program}: option '${given}' doesn't allow an argument${mend}`;
    case 'ambiguous':
      return `${program}: option '${given}' is ambiguous: write ${problem.candidates.join(' or ')}`;
  }
}
