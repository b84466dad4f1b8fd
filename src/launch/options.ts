/** The options of `fabricbench run`, from what yargs found to typed values. */
import type { Argv } from 'yargs';
import { WrongUse, type Given } from '../cli/commands/command.js';
import { parseTarget } from '../cli/outputs.js';
import { parseDecimal, parseInteger } from '../cli/values.js';
import type { BindTo, LauncherName } from './types.js';

export interface RunOptions {
  readonly benchmark: string;
  /** The benchmark's own. */
  readonly args: readonly string[];
  readonly mpi: LauncherName | undefined;
  readonly ranks: number | undefined;
  readonly hosts: readonly string[];
  readonly ranksPerNode: number | undefined;
  readonly bindTo: BindTo | undefined;
  /** What `--bind` of the benchmark is to be, as `near:mlx5_0`. */
  readonly bind: string | undefined;
  readonly pml: string | undefined;
  readonly oversubscribe: boolean;
  /** Variables for the ranks: `NAME=VALUE`, or the name of one that is set. */
  readonly env: readonly string[];
  readonly launcherArgs: readonly string[];
  /** Seconds after which a launch is ended. */
  readonly timeout: number | undefined;
  readonly launches: number | undefined;
  /** Relative: 0.02 = 2 %. */
  readonly targetCi: number | undefined;
  /** Seconds in which launches begin and end. */
  readonly timeLimit: number | undefined;
  /** FILE, or `-` for stdout. */
  readonly json: string | undefined;
  readonly dryRun: boolean;
}

/** Names with a value, and what the help says of them. */
const VALUES = {
  mpi: 'who starts the ranks: openmpi, mpich or srun (default: an MPI on PATH that is built)',
  ranks: "how many (default: the benchmark's; of collectives as many as cores)",
  hosts: 'names of hosts, commas between',
  'ranks-per-node': 'ranks of each host',
  'bind-to':
    'what the launcher binds each rank to: core, hwthread or none (default: a core each, while there are enough)',
  near: 'bind ranks to the cores nearest to this device, as mlx5_0 (--bind near:DEV of the benchmark)',
  far: 'bind ranks far from this device',
  pml: "Open MPI's component that carries messages: ucx, ob1, cm (default: ucx where it is there)",
  env: 'a variable for the ranks: NAME=VALUE, or NAME as it is here (repeatable)',
  'launcher-args': 'further options for mpirun or srun, blanks between (repeatable)',
  timeout: 'end a launch after so many seconds',
  launches: 'repeat the whole launch, and tell what the launches have in common',
  'target-ci': 'launch until the 95 % interval of each median is within so much of it, as 2%',
  'time-limit': 'begin no launch that would end after so many seconds',
  json: 'write the record here; of several launches a list of records; - is stdout',
} as const;

const FLAGS = {
  oversubscribe: 'let more ranks than cores run (on this host that is found out)',
  'dry-run': 'print the command and run nothing',
} as const;

type ValueName = keyof typeof VALUES;

export function declareOptions(parser: Argv): Argv {
  const start = parser
    .positional('benchmark', { type: 'string', describe: 'a program that fabricbench list names, or a script' })
    .alias('ranks', 'n')
    .epilogue('Options of the benchmark itself follow --, as in: fabricbench run osu_bw --ranks 2 -- -m 1:4M');
  const withValues = Object.entries(VALUES).reduce<Argv>(
    (all, [name, describe]) => all.option(name, { type: 'string', requiresArg: true, describe }),
    start,
  );
  return Object.entries(FLAGS).reduce<Argv>(
    (all, [name, describe]) => all.option(name, { type: 'boolean', describe }),
    withValues,
  );
}

/** Of repeated launches, and of what a benchmark's record is. */
const NOT_OF_ONE_LAUNCH: readonly string[] = ['launches', 'target-ci', 'time-limit', 'json'];

/** Options by which a command that is a program of ranks starts those itself. */
export const launchNames: readonly string[] = [...Object.keys(VALUES), ...Object.keys(FLAGS)].filter(
  (name) => !NOT_OF_ONE_LAUNCH.includes(name),
);

export function declareLaunch(parser: Argv): Argv {
  const values = Object.entries(VALUES).filter(([name]) => launchNames.includes(name));
  const withValues = values.reduce<Argv>(
    (all, [name, describe]) => all.option(name, { type: 'string', requiresArg: true, describe }),
    parser.alias('ranks', 'n'),
  );
  return Object.entries(FLAGS).reduce<Argv>(
    (all, [name, describe]) => all.option(name, { type: 'boolean', describe }),
    withValues,
  );
}

/** Throws `WrongUse` for what makes no sense, in one sentence. */
export function readOptions(given: Given): RunOptions {
  const one = (name: ValueName): string | undefined => textsOf(given, name).at(-1);
  const count = (name: ValueName): number | undefined => whole(name, one(name));
  const seconds = (name: ValueName): number | undefined => positive(name, one(name));
  const options: RunOptions = {
    benchmark: String(given['benchmark']),
    args: given['--'] as readonly string[],
    mpi: wordOf('mpi', one('mpi'), ['openmpi', 'mpich', 'srun']),
    ranks: count('ranks'),
    hosts: hostsOf(one('hosts')),
    ranksPerNode: count('ranks-per-node'),
    bindTo: wordOf('bind-to', one('bind-to'), ['core', 'hwthread', 'none']),
    bind: placeOf(one('near'), one('far')),
    pml: one('pml'),
    oversubscribe: given['oversubscribe'] === true,
    env: textsOf(given, 'env').map(variableOf),
    launcherArgs: textsOf(given, 'launcher-args').flatMap((text) => text.split(/\s+/).filter(Boolean)),
    timeout: seconds('timeout'),
    launches: count('launches'),
    targetCi: shareOf(one('target-ci')),
    timeLimit: seconds('time-limit'),
    json: one('json'),
    dryRun: given['dry-run'] === true,
  };
  refuseContradictions(options);
  return options;
}

/** Every text given for an option, in order. */
function textsOf(given: Given, name: ValueName): string[] {
  const value = given[name];
  const all = value === undefined ? [] : [value].flat();
  if (all.some((text) => text === '')) throw new WrongUse(`--${name} is empty`);
  return all.map(String);
}

function whole(name: ValueName, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = parseInteger(text, 1);
  if (value === undefined) throw new WrongUse(`--${name} ${text}: give a whole number above 0`);
  return value;
}

function positive(name: ValueName, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = parseDecimal(text, Number.MIN_VALUE);
  if (value === undefined) throw new WrongUse(`--${name} ${text}: give seconds above 0, as 60 or 2.5`);
  return value;
}

function wordOf<const T extends string>(name: ValueName, text: string | undefined, words: readonly T[]): T | undefined {
  const word = words.find((one) => one === text);
  if (text !== undefined && word === undefined) throw new WrongUse(`--${name} ${text}: give ${words.join(' or ')}`);
  return word;
}

function shareOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const target = parseTarget(text);
  if (!target.ok) throw new WrongUse(`--target-ci ${text}: give a percentage above 0 and below 100, as 2%`);
  return target.value;
}

function hostsOf(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !/^[\w.-]+$/.test(name));
  if (wrong !== undefined) throw new WrongUse(`--hosts ${text}: give names with commas between, as node1,node2`);
  if (new Set(names).size < names.length)
    throw new WrongUse(`--hosts ${text}: give each host once, and how many ranks it gets by --ranks-per-node`);
  return names;
}

function placeOf(near: string | undefined, far: string | undefined): string | undefined {
  if (near !== undefined && far !== undefined) throw new WrongUse('give --near or --far, not both');
  if (near !== undefined) return `near:${near}`;
  return far === undefined ? undefined : `far:${far}`;
}

function variableOf(text: string): string {
  if (/^[A-Za-z_]\w*(=|$)/.test(text)) return text;
  throw new WrongUse(`--env ${text}: give NAME=VALUE, or the name of a variable that is set`);
}

const OWN_RECORD = /^--js(on?)?(=|$)/;

function refuseContradictions({ args, json, launches, targetCi, timeLimit, bind, bindTo }: RunOptions): void {
  const repeats = launches !== undefined || targetCi !== undefined;
  if (args.some((word) => OWN_RECORD.test(word)) && (json !== undefined || repeats))
    throw new WrongUse('give --json before the --: there it takes the records of all launches');
  if (timeLimit !== undefined && !repeats)
    throw new WrongUse('--time-limit is of --launches and --target-ci: end a single launch by --timeout');
  if (bind !== undefined && (bindTo === 'core' || bindTo === 'hwthread'))
    throw new WrongUse('--near and --far bind the ranks themselves: leave --bind-to out');
}
