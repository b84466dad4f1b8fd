/** The launchers: Open MPI's mpirun, MPICH's mpiexec (Hydra), Slurm's srun. Their facts and traps stand in docs/run.md. */
import { DEFAULT_WATCHDOG } from '../cli/osu-defaults.js';
import type { BindTo, Job, Launcher, LauncherName } from './types.js';

/**
 * Open MPI's PML ucx takes itself out where UCX finds no InfiniBand, unless it may use any transport; where there is
 * InfiniBand UCX takes that all the same.
 */
const ANY_TRANSPORT = { pml_ucx_tls: 'any', pml_ucx_devices: 'any' } as const;

const openmpi: Launcher = (job) => ({
  argv: [
    job.program,
    ...(job.root ? ['--allow-run-as-root'] : []),
    ...['-np', String(job.ranks)],
    ...openMpiPlaces(job),
    ...(job.oversubscribe ? ['--oversubscribe'] : []),
    ...[...openMpiParameters(job), ...lostHosts(job)].flatMap(([name, value]) => ['--mca', name, value]),
    ...Object.keys(job.environment).flatMap((name) => ['-x', name]),
    ...job.extra,
    ...job.command,
  ],
  environment: job.environment,
});

/** Signs of life that mpirun and its daemons ask each other for before they take the other for lost. */
const PROBES = 4;

/**
 * Has mpirun and its daemons notice that the network between them is gone, and end what they have started, before a rank's watchdog
 * does: once they have told each other of that, they wait for the answer until TCP gives up, a quarter of an hour later.
 */
function lostHosts({ hosts, extra, command }: Job): [string, string][] {
  if (hosts.length < 2 || extra.some((word) => word.includes('keepalive'))) return [];
  const asked = Number(command[command.indexOf('--watchdog') + 1]);
  const watchdog = command.includes('--watchdog') && asked > 0 ? Math.min(asked, DEFAULT_WATCHDOG) : DEFAULT_WATCHDOG;
  const between = Math.max(1, Math.floor(watchdog / 10));
  return [
    ['oob_tcp_keepalive_time', String(PROBES * between)],
    ['oob_tcp_keepalive_intvl', String(between)],
    ['oob_tcp_keepalive_probes', String(PROBES)],
  ];
}

/** Explicit where mpirun has a default: that depends on the number of ranks. */
const OPEN_MPI_BINDING: Readonly<Record<BindTo, readonly string[]>> = {
  core: ['--bind-to', 'core'],
  hwthread: ['--use-hwthread-cpus', '--bind-to', 'hwthread'],
  none: ['--bind-to', 'none'],
};

function openMpiPlaces({ hosts, ranksPerNode, bindTo, ranks }: Job): string[] {
  const each = ranksPerNode ?? Math.ceil(ranks / Math.max(hosts.length, 1));
  // Slots of a host named without a number are 1: the others of its ranks would count as too many.
  const names = hosts.length > 0 ? ['--host', hosts.map((name) => `${name}:${each}`).join(',')] : [];
  const spread = hosts.length > 0 || ranksPerNode !== undefined ? ['--map-by', `ppr:${each}:node`] : mappedBy(bindTo);
  return [...names, ...spread, ...OPEN_MPI_BINDING[bindTo]];
}

/** Neighbouring ranks on neighbouring cores: mpirun's default for more than two ranks deals them out to the sockets. */
function mappedBy(bindTo: BindTo): string[] {
  return bindTo === 'none' ? [] : ['--map-by', bindTo];
}

function openMpiParameters({ pml, osc, yields }: Job): [string, string][] {
  return [
    ...(pml === undefined ? [] : [['pml', pml] as [string, string]]),
    ...(pml === 'ucx' ? Object.entries(ANY_TRANSPORT) : []),
    ...(osc === undefined ? [] : [['osc', osc] as [string, string]]),
    ...(yields ? [['mpi_yield_when_idle', '1'] as [string, string]] : []),
  ];
}

/** Hydra hands its whole environment on to every rank, on other hosts too; `-genvlist` would narrow that. */
const mpich: Launcher = (job) => ({
  argv: [
    job.program,
    ...['-n', String(job.ranks)],
    ...(job.hosts.length > 0 ? ['-hosts', job.hosts.join(',')] : []),
    ...ranksOfEach(job, '-ppn'),
    ...['-bind-to', job.bindTo],
    ...job.extra,
    ...job.command,
  ],
  environment: job.environment,
});

/** Ranks of a node, where that isn't left to the launcher. */
function ranksOfEach({ hosts, ranksPerNode, ranks }: Job, option: string): string[] {
  if (ranksPerNode !== undefined) return [option, String(ranksPerNode)];
  return hosts.length > 0 ? [option, String(Math.ceil(ranks / hosts.length))] : [];
}

const SRUN_BINDING: Readonly<Record<BindTo, readonly string[]>> = {
  core: ['--cpu-bind=cores'],
  hwthread: ['--hint=multithread', '--cpu-bind=threads'],
  none: ['--cpu-bind=none'],
};

/** Without --kill-on-bad-exit srun waits for ever for the ranks that a dead one leaves behind. */
const srun: Launcher = (job) => ({
  argv: [
    job.program,
    `--mpi=${job.family === 'openmpi' ? 'pmix' : 'pmi2'}`,
    ...['--kill-on-bad-exit=1', '-n', String(job.ranks)],
    ...srunNodes(job),
    ...ranksOfEach(job, '--ntasks-per-node'),
    ...SRUN_BINDING[job.bindTo],
    ...(job.oversubscribe ? ['--overcommit'] : []),
    // Else it would wait for the processors of the very step that waits for it.
    ...(job.overlaps === true ? ['--overlap'] : []),
    ...job.extra,
    ...job.command,
  ],
  // srun hands on its environment, and has no options for parameters of an MPI.
  environment: {
    ...job.environment,
    ...Object.fromEntries(srunParameters(job).map(([name, value]) => [`OMPI_MCA_${name}`, value])),
  },
});

function srunNodes({ hosts, nodes }: Job): string[] {
  if (hosts.length > 0) return ['-N', String(hosts.length), '-w', hosts.join(',')];
  return nodes === undefined ? [] : ['-N', String(nodes)];
}

const srunParameters = (job: Job): [string, string][] => (job.family === 'openmpi' ? openMpiParameters(job) : []);

export const launchers: Readonly<Record<LauncherName, Launcher>> = { openmpi, mpich, srun };
