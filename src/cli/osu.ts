/** argv of an osu_* program to one typed value. Pure: nothing is printed and nothing of the process is looked at. */
import { getopt, type GetoptProblem, type GetoptResult } from './getopt.js';
import { helpText } from './help.js';
import {
  OMB_VERSION,
  type OptionName,
  type OsuOptions,
  type OsuSpec,
  type ParsedOsu,
  type SizeRequest,
} from './options.js';
import {
  datatypesOf,
  DEFAULT_VALIDATION_WARMUP,
  DEFAULT_WATCHDOG,
  DEFAULT_WINDOW,
  NOT_AVAILABLE,
  rowsOf,
} from './osu-table.js';
import { osuParsers } from './osu-parsers.js';
import { isBadValue, parseGiven, type Given } from './yargs.js';

/** Exit codes of a refused command line. */
const OSU_EXIT = { wrongUse: 1, notAvailable: 77 } as const;

type GivenOsu = Given<ReturnType<typeof osuParsers>>;

/** Parses argv without interpreter and script, e.g. `process.argv.slice(2)`. */
export function parseOsu(argv: readonly string[], spec: OsuSpec): ParsedOsu {
  const found = untilAnswer(getopt(argv, rowsOf(spec)));
  const given = parseGiven(found, osuParsers(spec));
  if (isBadValue(given)) return refuse(spec, given.reason, shown(given.option.given, given.option.value));
  if (given.help) return { kind: 'help', text: helpText(spec) };
  if (given.version) return { kind: 'version', text: `# ${spec.title} v${OMB_VERSION}\n` };
  if (found.problem) return refuse(spec, problemText(found.problem), found.problem.given);
  const conflict = findConflict(given);
  if (conflict) return refuse(spec, ...conflict);
  return notAvailable(found) ?? { kind: 'run', options: makeOptions(given, spec), notes: notesOf(found, given) };
}

/** As the peer: what stands after -h or -v isn't looked at, what stands before is. */
function untilAnswer(found: GetoptResult): GetoptResult {
  const index = found.options.findIndex(({ name }) => name === 'help' || name === 'version');
  return index < 0 ? found : { options: found.options.slice(0, index + 1), positionals: [] };
}

function refuse(spec: OsuSpec, message: string, option: string): ParsedOsu {
  return { kind: 'refuse', exitCode: OSU_EXIT.wrongUse, stderr: `${message} [${option}]\n\n`, help: helpText(spec) };
}

function shown(given: string, value: string | undefined): string {
  return value === undefined ? given : `${given} ${value}`;
}

function problemText(problem: GetoptProblem): string {
  switch (problem.kind) {
    case 'unknown':
      return 'Invalid option';
    case 'missing':
      return 'Option Missing Required Argument';
    case 'unexpected':
      return 'Option Takes No Argument';
    case 'ambiguous':
      return `Ambiguous option: write ${problem.candidates.join(' or ')}`;
  }
}

/** Options that are each right and can't be had together: the sentence and the option to name. */
function findConflict(given: GivenOsu): [string, string] | undefined {
  if (given.validation && given.ddt) return ['Derived data type does not support validation: leave out -c or -D', '-c'];
  if (given.sizes && given['message-size'])
    return ['Message sizes are given twice: leave out -m or --sizes', '--sizes'];
  if (given.samples && !given.json) return ['Samples are kept in the record: add --json FILE', '--samples'];
  return undefined;
}

function notAvailable({ options }: GetoptResult): ParsedOsu | undefined {
  const option = options.find(({ name }) => NOT_AVAILABLE.has(name));
  if (!option) return undefined;
  const names = option.given === `--${option.name}` ? option.given : `${option.given} (--${option.name})`;
  const stderr = `${names} is not available in this version of fabricbench: run without it.\n`;
  return { kind: 'refuse', exitCode: OSU_EXIT.notAvailable, stderr };
}

function makeOptions(given: GivenOsu, spec: OsuSpec): OsuOptions {
  const { defaults } = spec;
  return Object.freeze<OsuOptions>({
    sizes: sizesOf(given) ?? { kind: 'range', ...defaults.sizes },
    iterations: given.iterations?.at(-1),
    warmup: given.warmup?.at(-1),
    window: given['window-size']?.at(-1) ?? defaults.window ?? DEFAULT_WINDOW,
    buffers: given['buffer-num']?.at(-1) ?? 'single',
    validation: given.validation?.at(-1),
    validationWarmup: given['validation-warmup']?.at(-1) ?? DEFAULT_VALIDATION_WARMUP,
    percentiles: given['tail-lat']?.at(-1) ?? [],
    datatypes: [...new Set(given.type?.flat() ?? datatypesOf(spec).slice(0, 1))],
    ddt: given.ddt?.at(-1),
    printRate: given['print-rate']?.at(-1) ?? true,
    pairs: given['num-pairs']?.at(-1),
    varyWindow: given['vary-window'] !== undefined,
    engine: given.engine?.at(-1) ?? 'native',
    stats: given.stats !== undefined,
    json: given.json?.at(-1),
    samples: given.samples !== undefined,
    timeLimit: given['time-limit']?.at(-1),
    watchdog: given.watchdog?.at(-1) ?? DEFAULT_WATCHDOG,
    bind: given.bind?.at(-1),
    reportBinding: given['report-binding'] !== undefined,
  });
}

function sizesOf(given: GivenOsu): SizeRequest | undefined {
  const list = given.sizes?.at(-1);
  return list ? { kind: 'list', sizes: list } : given['message-size']?.at(-1);
}

/** Options that add columns, which the matrices of `-V` have not. */
const NOT_IN_MATRICES = [
  ['validation', '-c'],
  ['ddt', '-D'],
  ['tail-lat', '-z'],
  ['stats', '--stats'],
  ['time-limit', '--time-limit'],
] as const satisfies readonly (readonly [OptionName, string])[];

/** What is accepted and does nothing, so that nobody wonders. */
function notesOf(found: GetoptResult, given: GivenOsu): string[] {
  const notes: string[] = [];
  if (found.positionals.length > 0) notes.push(`Ignored: ${found.positionals.join(' ')}${glueHint(found)}`);
  if (given['vary-window'] && given['window-size']) notes.push('Ignored: -W, because -V varies the window');
  if (given['num-test-calls']) notes.push('Ignored: -t, because this benchmark makes no test calls');
  const unseen = given['vary-window'] ? NOT_IN_MATRICES.filter(([name]) => given[name]) : [];
  if (unseen.length > 0) {
    const options = unseen.map(([, shown]) => shown).join(', ');
    notes.push(`Not shown: the matrices of -V have no room for the columns of ${options}; --json FILE records them`);
  }
  if (given['validation-warmup'] && !given.validation) notes.push('Ignored: -u, because it needs -c');
  return notes;
}

/** `-z 50` is a bare -z and a stray 50, as getopt has it; say so. */
function glueHint({ options, positionals }: GetoptResult): string {
  const looks: Readonly<Record<string, RegExp>> = { 'tail-lat': /^[\d.,]+$/, validation: /^log/ };
  const bare = options.find(
    ({ name, value }) => value === undefined && positionals.some((word) => looks[name]?.test(word)),
  );
  return bare ? ` (an argument of ${bare.given} must be glued to it)` : '';
}
