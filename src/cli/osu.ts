/** argv of an osu_* program to one typed value. Pure: nothing is printed and nothing of the process is looked at. */
import { bindingOptions, findBindingConflict } from './binding-options.js';
import { getopt, type GetoptProblem, type GetoptResult } from './getopt.js';
import { helpText } from './help.js';
import { OMB_VERSION, type OsuOptions, type OsuSpec, type ParsedOsu, type SizeRequest } from './options.js';
import { findConflict, notesOf, type GivenOsu } from './osu-conflicts.js';
import {
  datatypesOf,
  DEFAULT_MEM_LIMIT,
  DEFAULT_NEIGHBOURS,
  DEFAULT_ROOT,
  DEFAULT_VALIDATION_WARMUP,
  DEFAULT_WATCHDOG,
  DEFAULT_WINDOW,
  DEFAULT_WORKERS,
  MIB,
  oneSidedOf,
} from './osu-defaults.js';
import { osuParsers } from './osu-parsers.js';
import { idleOf, rowsOf } from './osu-table.js';
import { isBadValue, parseGiven } from './yargs.js';

/** Exit code of a refused command line. */
const WRONG_USE = 1;

/** Parses argv without interpreter and script, e.g. `process.argv.slice(2)`. */
export function parseOsu(argv: readonly string[], spec: OsuSpec): ParsedOsu {
  const found = untilAnswer(getopt(argv, rowsOf(spec)));
  const given = parseGiven(found, osuParsers(spec));
  if (isBadValue(given)) return refuse(spec, given.reason, shown(given.option.given, given.option.value));
  if (given.help) return { kind: 'help', text: helpText(spec) };
  if (given.version) return { kind: 'version', text: `# ${spec.title} v${OMB_VERSION}\n` };
  if (found.problem) return refuse(spec, problemText(found.problem), found.problem.given);
  const conflict = findBindingConflict(found, given) ?? findConflict(given);
  if (conflict) return refuse(spec, ...conflict);
  return { kind: 'run', options: makeOptions(withoutIdle(given, spec), spec), notes: notesOf(found, given, spec) };
}

/** As the peer: what stands after -h or -v isn't looked at, what stands before is. */
function untilAnswer(found: GetoptResult): GetoptResult {
  const index = found.options.findIndex(({ name }) => name === 'help' || name === 'version');
  return index < 0 ? found : { options: found.options.slice(0, index + 1), positionals: [] };
}

function refuse(spec: OsuSpec, message: string, option: string): ParsedOsu {
  return { kind: 'refuse', exitCode: WRONG_USE, stderr: `${message} [${option}]\n\n`, help: helpText(spec) };
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

/** What is without effect in this benchmark leaves its options at their defaults. */
function withoutIdle(given: GivenOsu, spec: OsuSpec): GivenOsu {
  const idle: ReadonlyMap<string, string> = idleOf(spec);
  return Object.fromEntries(Object.entries(given).filter(([name]) => !idle.has(name)));
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
    ...patternOptions(given, spec),
    graphs: given.graph?.at(-1) ?? [],
    papi: given.papi?.at(-1),
    session: given.session !== undefined,
    layer: given.layer?.at(-1) ?? { kind: 'mpi' },
    engine: given.engine?.at(-1) ?? 'native',
    ...outputOptions(given),
    timeLimit: given['time-limit']?.at(-1),
    targetCi: given['target-ci']?.at(-1),
    watchdog: given.watchdog?.at(-1) ?? DEFAULT_WATCHDOG,
    noise: given.noise?.at(-1),
    ...bindingOptions(given),
  });
}

function outputOptions(given: GivenOsu) {
  return {
    stats: given.stats !== undefined,
    statsColumns: given.stats?.at(-1) ?? [],
    json: given.json?.at(-1),
    csvFile: given.csv?.at(-1),
    markdown: given.markdown?.at(-1),
    samples: given.samples !== undefined,
  } satisfies Partial<OsuOptions>;
}

function patternOptions(given: GivenOsu, spec: OsuSpec) {
  const { creation, synchronization } = oneSidedOf(spec);
  return {
    full: given.full !== undefined,
    memLimit: Math.max(given['mem-limit']?.at(-1) ?? DEFAULT_MEM_LIMIT, MIB),
    root: given['root-rank']?.at(-1) ?? DEFAULT_ROOT,
    inPlace: given['in-place'] !== undefined,
    neighbours: given.nhbr?.at(-1) ?? DEFAULT_NEIGHBOURS,
    testCalls: given['num-test-calls']?.at(-1) ?? 0,
    workers: given['num-threads']?.at(-1) ?? spec.defaults.workers ?? DEFAULT_WORKERS,
    windowCreation: given['window-option']?.at(-1) ?? creation,
    synchronization: given['sync-option']?.at(-1) ?? synchronization,
    processSync: given.sync?.at(-1) ?? 'barrier',
    perRepetition: given['per-repetition'] !== undefined,
    offCache: given['off-cache'] !== undefined,
    commSizes: given['comm-size']?.at(-1),
    nodesBy: given['nodes-by']?.at(-1),
  } satisfies Partial<OsuOptions>;
}

function sizesOf(given: GivenOsu): SizeRequest | undefined {
  const list = given.sizes?.at(-1);
  return list ? { kind: 'list', sizes: list } : given['message-size']?.at(-1);
}
