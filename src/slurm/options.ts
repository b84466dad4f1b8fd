/** The options of `fabricbench slurm`: from what yargs found to a script. */
import { resolve } from 'node:path';
import type { Argv } from 'yargs';
import { programs } from '../bench/suites/index.js';
import { WrongUse, type Given } from '../cli/commands/command.js';
import { parseInteger } from '../cli/values.js';
import { expandHostlist } from './hostlist.js';
import { kindNames, kinds, ownKind, type Kind, type KindName } from './kinds.js';
import { slurmTime } from './time.js';
import type { Script } from './script.js';

/** Names with a value, and what the help says of them. */
const VALUES = {
  nodes: 'how many nodes the job gets (acceptance: how many each test takes)',
  nodelist: 'these nodes, as node[1-4] (acceptance: the list to test)',
  'ranks-per-node': 'ranks on each node; of a scan the most pairs',
  pairs: 'of a scan: 1,2,4',
  windows: 'of a scan: messages under way of each pair, as 16,64',
  sizes: 'in bytes, as 8, 1:4M or 64:64K; of a scan 8,4K',
  iterations: 'of each size',
  device: 'of near-far: the network device',
  expect: 'of acceptance: file of reference values for fabricbench compare',
  time: 'limit of the job: minutes, HH:MM:SS, D-HH:MM:SS, 90s, 45m, 2h or 1d',
  partition: 'where it is queued',
  account: 'who is charged',
  qos: 'quality of service',
  constraint: 'features that the nodes must have',
  reservation: 'of nodes',
  'job-name': 'name of the job and of its files',
  modules: 'what `module load` takes, blanks or commas between',
  mpi: 'openmpi or mpich',
  launcher: 'srun or mpirun',
  'cpu-bind': "srun's own, as cores, none or map_cpu:0,1",
  home: 'folder of fabricbench on the cluster (default: that of this one)',
  output: 'write the script here (default: stdout)',
} as const;

type ValueName = keyof typeof VALUES;

export function declareOptions(parser: Argv): Argv {
  const start = parser
    .positional('what', {
      type: 'string',
      describe: `${kindNames.join(', ')}, names of osu_* programs, or verdict and a folder of an acceptance`,
    })
    .alias('output', 'o')
    .alias('nodes', 'N')
    .epilogue('docs/slurm.md explains the scripts, and the variables that each takes from the environment of sbatch');
  return Object.entries(VALUES).reduce<Argv>(
    (all, [name, describe]) => all.option(name, { type: 'string', requiresArg: true, describe }),
    start,
  );
}

/** Value of an option; of one that was given several times the last. */
export function valueOf(given: Given, name: ValueName): string | undefined {
  const value = [given[name]].flat().at(-1);
  return typeof value === 'string' ? value : undefined;
}

/** Throws `WrongUse` for what makes no sense, in one sentence. */
export function readScript(given: Given, words: readonly string[], ownHome: string): Script {
  const what = given['what'] as readonly string[];
  const name = kindNames.find((one) => one === what[0]);
  const kind = name === undefined ? kindOf(what) : kinds[name];
  if (name !== undefined && what.length > 1)
    throw new WrongUse(`${name} measures what it measures: give either ${name}, or ${what.slice(1).join(' ')} alone`);
  refuseOthersOptions(given, name);
  const isAcceptance = name === 'acceptance';
  const nodes = count(given, 'nodes', 1, 10_000);
  return {
    ...{ kind, benchmarks: kind.benchmarks, words, home: homeOf(given, ownHome) },
    jobName: wordOf(given, 'job-name') ?? `fabricbench-${name ?? what[0]}`,
    nodes: isAcceptance ? kind.nodes : (nodes ?? nodesOf(given)?.length ?? kind.nodes),
    ranksPerNode: count(given, 'ranks-per-node', 1, 10_000) ?? ranksOf(given, kind),
    time: timeOf(given) ?? kind.time,
    directives: directivesOf(given, isAcceptance),
    values: { ...valuesOf(given, name === 'scan'), ...(isAcceptance ? ofAcceptance(given, nodes) : {}) },
  };
}

/** As many ranks as the most pairs of a scan need. */
function ranksOf(given: Given, kind: Kind): number {
  return Math.max(kind.ranksPerNode, ...(listOf(given, 'pairs') ?? []));
}

function kindOf(names: readonly string[]): Kind {
  const unknown = names.find((one) => !programs.has(one));
  if (unknown !== undefined)
    throw new WrongUse(`${unknown} is neither a kind of script (${kindNames.join(', ')}) nor an osu_* program`);
  return ownKind(names.every((one) => programs.get(one)?.ranks === 2) ? 'pt2pt' : 'collectives', names);
}

const ONLY_OF: Readonly<Partial<Record<ValueName, KindName>>> = {
  pairs: 'scan',
  windows: 'scan',
  device: 'near-far',
  expect: 'acceptance',
};

function refuseOthersOptions(given: Given, kind: KindName | undefined): void {
  for (const [name, owner] of Object.entries(ONLY_OF) as [ValueName, KindName][]) {
    if (valueOf(given, name) !== undefined && owner !== kind) throw new WrongUse(`--${name} is of ${owner} alone`);
  }
  if (kind === 'near-far' && valueOf(given, 'cpu-bind') !== undefined)
    throw new WrongUse('near-far has the benchmarks bind their ranks: leave --cpu-bind out');
}

function count(given: Given, name: ValueName, least: number, most: number): number | undefined {
  const text = valueOf(given, name);
  if (text === undefined) return undefined;
  const value = parseInteger(text, least, most);
  if (value === undefined) throw new WrongUse(`--${name} ${text}: give a whole number from ${least} to ${most}`);
  return value;
}

function listOf(given: Given, name: 'pairs' | 'windows'): number[] | undefined {
  const text = valueOf(given, name);
  if (text === undefined) return undefined;
  const values = text.split(',').map((part) => parseInteger(part, 1, 10_000));
  const good = values.filter((value) => value !== undefined);
  if (good.length < values.length) throw new WrongUse(`--${name} ${text}: give whole numbers with commas between, as 1,2,4`); // prettier-ignore
  return good;
}

function nodesOf(given: Given): string[] | undefined {
  const text = valueOf(given, 'nodelist');
  if (text === undefined) return undefined;
  const names = expandHostlist(text);
  if (names === undefined || new Set(names).size < names.length)
    throw new WrongUse(`--nodelist ${text}: give each node once, as node[1-4] or node1,node7`);
  return names;
}

function timeOf(given: Given): string | undefined {
  const text = valueOf(given, 'time');
  if (text === undefined) return undefined;
  const time = slurmTime(text);
  if (time === undefined) throw new WrongUse(`--time ${text}: give minutes, HH:MM:SS, D-HH:MM:SS, or as 45m, 2h, 1d`);
  return time;
}

/** What stands in a line of #SBATCH can't have blanks or quotes. */
const PLAIN = /^[\w@%+=:,.&|*()/[\]-]+$/;

function wordOf(given: Given, name: ValueName): string | undefined {
  const text = valueOf(given, name);
  if (text !== undefined && !PLAIN.test(text)) throw new WrongUse(`--${name} ${JSON.stringify(text)}: give it without blanks and quotes`); // prettier-ignore
  return text;
}

function directivesOf(given: Given, isAcceptance: boolean): string[] {
  const list = nodesOf(given);
  const wanted = count(given, 'nodes', 1, 10_000);
  if (!isAcceptance && list !== undefined && wanted !== undefined && wanted < list.length)
    throw new WrongUse(`--nodelist names ${list.length} nodes and --nodes ${wanted}: leave --nodes out`);
  const names = ['partition', 'account', 'qos', 'constraint', 'reservation'] as const;
  const plain = names.flatMap((name) => {
    const value = wordOf(given, name);
    return value === undefined ? [] : [`--${name}=${value}`];
  });
  return [...plain, ...(isAcceptance || list === undefined ? [] : [`--nodelist=${valueOf(given, 'nodelist')}`])];
}

const RANGE = /^\d+[KMG]?(:(\d+[KMG]?)?)?$|^:\d+[KMG]?$/i;
const LIST = /^\d+[KMG]?(,\d+[KMG]?)*$/i;

function sizesOf(given: Given, isScan: boolean): string | undefined {
  const sizes = valueOf(given, 'sizes');
  if (sizes === undefined || (isScan ? LIST : RANGE).test(sizes)) return sizes;
  throw new WrongUse(`--sizes ${sizes}: give ${isScan ? 'bytes with commas between, as 8,4K' : 'bytes, or MIN:MAX, as 1:4M'}`); // prettier-ignore
}

function valuesOf(given: Given, isScan: boolean): Record<string, string> {
  listOf(given, 'windows');
  const settings = {
    FABRICBENCH_SIZES: sizesOf(given, isScan),
    FABRICBENCH_ITERATIONS: count(given, 'iterations', 1, Number.MAX_SAFE_INTEGER)?.toString(),
    FABRICBENCH_PAIRS: valueOf(given, 'pairs'),
    FABRICBENCH_WINDOWS: valueOf(given, 'windows'),
    FABRICBENCH_DEVICE: wordOf(given, 'device'),
    FABRICBENCH_MODULES: modulesOf(given),
    FABRICBENCH_MPI: oneOf(given, 'mpi', ['openmpi', 'mpich']),
    FABRICBENCH_LAUNCHER: oneOf(given, 'launcher', ['srun', 'mpirun']),
    FABRICBENCH_CPU_BIND: wordOf(given, 'cpu-bind'),
  };
  return known(settings);
}

const known = (values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

function modulesOf(given: Given): string | undefined {
  const text = valueOf(given, 'modules')
    ?.split(/[\s,]+/)
    .filter(Boolean);
  const wrong = text?.find((word) => !/^[\w./+-]+$/.test(word));
  if (wrong !== undefined) throw new WrongUse(`--modules: ${JSON.stringify(wrong)} is no name of a module`);
  return text?.join(' ');
}

function oneOf(given: Given, name: ValueName, choices: readonly string[]): string | undefined {
  const text = valueOf(given, name);
  if (text !== undefined && !choices.includes(text))
    throw new WrongUse(`--${name} ${text}: give ${choices.join(' or ')}`);
  return text;
}

/** The list is not the job's own, but that of the array which it submits. */
function ofAcceptance(given: Given, nodes: number | undefined): Record<string, string> {
  const list = nodesOf(given);
  if (list !== undefined && list.length < (nodes ?? 1))
    throw new WrongUse(`a test takes ${nodes} nodes, and --nodelist names ${list.length}`);
  return known({
    FABRICBENCH_NODES: valueOf(given, 'nodelist'),
    FABRICBENCH_NODES_PER_TEST: nodes?.toString(),
    FABRICBENCH_EXPECT: pathOf(given, 'expect'),
  });
}

/** The job runs elsewhere. */
function pathOf(given: Given, name: 'expect' | 'home'): string | undefined {
  const path = wordOf(given, name);
  return path === undefined ? undefined : resolve(path);
}

/** `.` stands for the folder in which sbatch is called. */
function homeOf(given: Given, ownHome: string): string | undefined {
  if (valueOf(given, 'home') === '.') return undefined;
  return pathOf(given, 'home') ?? ownHome;
}
