/** From options, benchmark and host to a job: where ranks go, what carries messages, what the environment is. Pure. */
import { WrongUse } from '../cli/commands/command.js';
import type { Benchmark } from './benchmark.js';
import type { Found } from './find.js';
import type { Allocation } from '../slurm/allocation.js';
import { processorsFor, type Here } from './here.js';
import type { RunOptions } from './options.js';
import type { BindTo, Job } from './types.js';

export interface PlanRequest {
  readonly options: RunOptions;
  readonly benchmark: Benchmark;
  readonly found: Found;
  readonly here: Here;
  /** Components of this Open MPI, as `pml:ucx`; asked only where they matter. */
  readonly components: () => ReadonlySet<string>;
  /** What runs scripts. */
  readonly node: string;
}

export interface Plan {
  readonly job: Job;
  /** Lines for stderr. */
  readonly notes: readonly string[];
}

/** Throws `WrongUse` for options that this launcher doesn't have. */
export function planJob(request: PlanRequest): Plan {
  const { options, benchmark, found, here, node } = request;
  refuseNested(here);
  const ranks = ranksOf(request);
  const places = placesOf(request, ranks);
  const spread = spreadOf(request, ranks);
  const job: Job = {
    ...{ program: found.program, family: found.family, ranks },
    ...{ hosts: options.hosts, ...spread },
    ...{ bindTo: places.bindTo, oversubscribe: places.oversubscribe, yields: places.yields },
    command: [node, benchmark.script, ...options.args, ...places.args],
    ...componentsFor(request, Math.max(options.hosts.length, spread.nodes ?? 1)),
    root: here.root,
    environment: environmentOf(request),
    extra: options.launcherArgs,
  };
  return { job, notes: notesOf(found, job) };
}

function ranksOf({ options, benchmark, here }: PlanRequest): number {
  const { ranks, hosts, ranksPerNode } = options;
  if (ranks !== undefined) return ranks;
  const allocation = allocationOf(options, here);
  const nodes = allocation?.nodes ?? Math.max(hosts.length, 1);
  // A single task is what Slurm's users get who ask for none.
  const tasks = (allocation?.tasks ?? 1) > 1 ? allocation?.tasks : undefined;
  const cores = allocation?.cpusPerNode ?? here.cores.length;
  return benchmark.ranks(ranksPerNode === undefined ? tasks : ranksPerNode * nodes, cores * nodes);
}

/** The job whose nodes the ranks get, unless hosts are named. */
function allocationOf({ hosts }: RunOptions, { allocation }: Here): Allocation | undefined {
  return hosts.length > 0 ? undefined : allocation;
}

/** All nodes of an allocation that ranks are there for, with as many on each; else as the user says. */
function spreadOf({ options, here }: PlanRequest, ranks: number): Pick<Job, 'nodes' | 'ranksPerNode' | 'overlaps'> {
  const { ranksPerNode } = options;
  const allocation = allocationOf(options, here);
  if (allocation === undefined) return { ranksPerNode };
  const nodes = Math.min(allocation.nodes, ranksPerNode === undefined ? ranks : Math.ceil(ranks / ranksPerNode));
  return { nodes, ranksPerNode: ranksPerNode ?? Math.ceil(ranks / nodes), overlaps: allocation.inStep };
}

/** Of a rank under Open MPI's mpirun, and under MPICH's. Those of Slurm stand in batch scripts too. */
const RANK_VARIABLES = ['OMPI_COMM_WORLD_RANK', 'MPI_LOCALRANKID'];

function refuseNested({ environment, allocation }: Here): void {
  if (RANK_VARIABLES.some((name) => environment[name] !== undefined) || (allocation?.stepTasks ?? 1) > 1)
    throw new WrongUse('it starts the ranks itself, and runs as one here: start it without mpirun or srun');
}

interface Places {
  readonly bindTo: BindTo;
  readonly oversubscribe: boolean;
  readonly yields: boolean;
  /** Options that have the benchmark bind its ranks. */
  readonly args: readonly string[];
}

function placesOf(request: PlanRequest, ranks: number): Places {
  const { options, benchmark } = request;
  const crowd = crowdOf(request, ranks);
  if (options.bind !== undefined && (bindsItself(benchmark, options.args) || ownBinding(options.args)))
    throw new WrongUse(
      `--near and --far bind the ranks, and so do ${benchmark.name}'s own options after the --: leave one of them out`,
    );
  if (options.bind !== undefined) return { ...crowd, bindTo: 'none', args: ['--bind', options.bind] };
  if (options.bindTo !== undefined) return { ...crowd, bindTo: options.bindTo, args: [] };
  return { ...crowd, ...bindingOf(request, ranks, crowd) };
}

/** Other hosts are taken to have cores enough, unless the user says otherwise, or they are parts of this machine. */
function crowdOf(request: PlanRequest, ranks: number): Pick<Places, 'oversubscribe' | 'yields'> {
  const { options, here } = request;
  const { oversubscribe, hosts } = options;
  if (oversubscribe) return { oversubscribe, yields: oversubscribe };
  const allocation = allocationOf(options, here);
  if (allocation !== undefined) {
    const yields = (spreadOf(request, ranks).ranksPerNode ?? 0) > (allocation.cpusPerNode ?? Infinity);
    return { oversubscribe: yields, yields };
  }
  if (hosts.length > 0) return { oversubscribe, yields: shareMachine(request) && ranks > processorsOfAll(request) };
  const { cores } = here;
  return { oversubscribe: ranks > cores.length, yields: ranks > cores.flat().length };
}

/**
 * Whether the hosts are those of scripts/hosts: namespaces on one machine. Each launcher's daemon would bind its first rank
 * to the same core.
 */
const shareMachine = ({ options, here }: PlanRequest): boolean =>
  options.hosts.length > 0 && here.environment[SHARED_HOSTS] !== undefined;

/** Hosts that share a machine have all its processors together, unless each has been given its own. */
function processorsOfAll({ options, here }: PlanRequest): number {
  return here.cores.flat().length * (here.narrowed ? options.hosts.length : 1);
}

/**
 * A core for each rank, by the launcher; a hardware thread each where there are cores enough only for some. Launchers
 * count the cores that the machine has: where this process may use some of them only, the benchmark binds its ranks.
 */
function bindingOf(
  request: PlanRequest,
  ranks: number,
  { oversubscribe, yields }: Pick<Places, 'oversubscribe' | 'yields'>,
): Pick<Places, 'bindTo' | 'args'> {
  const { options, benchmark, here } = request;
  if (shareMachine(request)) return { bindTo: 'none', args: [] };
  if (yields || benchmark.manyThreads || bindsItself(benchmark, options.args)) return { bindTo: 'none', args: [] };
  if (options.hosts.length > 0 || here.allocation !== undefined) return { bindTo: 'core', args: [] };
  if (!here.narrowed) return { bindTo: oversubscribe ? 'hwthread' : 'core', args: [] };
  const processors = benchmark.takesBind ? processorsFor(ranks, here.cores) : undefined;
  return { bindTo: 'none', args: processors === undefined ? [] : ['--bind', processors.join(',')] };
}

const OWN_BINDING = /^--bi(?:nd?)?(?:=(.*))?$/;
/** ucx_perftest's own. */
const OWN_CPUS = /^-c/;

/** The benchmark's own `--bind`; undefined where it has none. */
function ownBinding(args: readonly string[]): string | undefined {
  return args
    .flatMap((word, index) => {
      const found = OWN_BINDING.exec(word);
      return found ? [found[1] ?? args[index + 1] ?? ''] : [];
    })
    .at(-1);
}

/** `--bind keep` leaves it to the launcher. */
function bindsItself({ name }: Benchmark, args: readonly string[]): boolean {
  const own = ownBinding(args);
  return (own !== undefined && own !== 'keep') || (name === 'ucx_perftest' && args.some((word) => OWN_CPUS.test(word)));
}

/** What carries messages and windows under Open MPI. */
function componentsFor(request: PlanRequest, hosts: number): Pick<Job, 'pml' | 'osc'> {
  const { options, found, here } = request;
  if (found.family === 'openmpi') {
    const pml = pmlOf(request);
    return { pml, osc: oscOf(request, pml ?? setBefore('pml', options, here), hosts) };
  }
  if (options.pml === undefined) return { pml: undefined, osc: undefined };
  throw new WrongUse("--pml is of Open MPI, and these ranks are MPICH's: leave it out");
}

/** UCX, where Open MPI has it and nobody has chosen otherwise. */
function pmlOf({ options, here, components }: PlanRequest): string | undefined {
  if (options.pml !== undefined) return options.pml;
  return setBefore('pml', options, here) === undefined && components().has('pml:ucx') ? 'ucx' : undefined;
}

const WINDOWS_BESIDE: Readonly<Record<string, string>> = { ucx: 'ucx', ob1: 'pt2pt' };

/** By itself Open MPI 4.1 takes `rdma` for windows, which fails between hosts that have TCP alone. */
function oscOf(
  { options, benchmark, here, components }: PlanRequest,
  pml: string | undefined,
  hosts: number,
): string | undefined {
  if (!benchmark.oneSided || hosts < 2 || setBefore('osc', options, here) !== undefined) return undefined;
  const wanted = WINDOWS_BESIDE[pml ?? ''];
  return wanted !== undefined && components().has(`osc:${wanted}`) ? wanted : undefined;
}

/** The value of a parameter of Open MPI that the user has set beside our options. */
function setBefore(name: string, { launcherArgs, env }: RunOptions, { environment }: Here): string | undefined {
  const variable = `OMPI_MCA_${name}`;
  const own = env.filter((text) => text.startsWith(`${variable}=`)).map((text) => text.slice(variable.length + 1));
  const at = launcherArgs.indexOf(name);
  return (at < 0 ? undefined : launcherArgs[at + 1]) ?? own.at(-1) ?? environment[variable];
}

/** Set on hosts that scripts/hosts has made; names the folder that knows them. */
const SHARED_HOSTS = 'FABRICBENCH_HOSTS';
/** Prefixes of variables that ranks on all hosts need. */
const FORWARDED = /^(UCX_|FABRICBENCH_(?!HOSTS$))/;

function environmentOf({ options, found, here }: PlanRequest): Record<string, string> {
  const { environment } = here;
  const known = Object.entries(environment).filter(([name]) => FORWARDED.test(name));
  const asked = options.env.map((text) => given(text, environment));
  // A launcher that serves both MPIs doesn't tell the ranks which to load, and a wish for another one would be in its way.
  const wish = environment['FABRICBENCH_MPI'];
  const chosen = found.launcher === 'srun' || (wish !== undefined && wish !== found.family);
  const all = [...known, ...asked, ...(chosen ? [['FABRICBENCH_MPI', found.family] as const] : [])];
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function given(text: string, environment: Here['environment']): readonly [string, string] {
  const at = text.indexOf('=');
  if (at >= 0) return [text.slice(0, at), text.slice(at + 1)];
  const value = environment[text];
  if (value === undefined) throw new WrongUse(`--env ${text}: it is not set here; give --env ${text}=VALUE`);
  return [text, value];
}

function notesOf({ family }: Found, { yields, ranks }: Job): string[] {
  if (!yields) return [];
  const many = `there are more ranks (${ranks}) than hardware threads`;
  const manner =
    family === 'openmpi' ? 'those that wait give their core to others' : "MPICH's never give their core to others";
  return [`${many}, and ${manner}: figures show the scheduler`];
}
