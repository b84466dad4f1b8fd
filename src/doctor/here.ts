/** The doctor in this process: what it can learn of it, alone or as a rank. */
import { clockInfo } from '../engine/clock.js';
import { LoadError } from '../engine/errors.js';
import { builtAddons } from '../engine/load.js';
import { startWatchdog } from '../engine/watchdog.js';
import { mpi } from '../mpi/mpi.js';
import { selection } from '../mpi/selection.js';
import { LauncherError, type Launcher } from '../rendezvous/launcher.js';
import { mpiRendezvous } from '../rendezvous/mpi.js';
import { sleep } from '../report/sink.js';
import { ucxVersion } from '../ucx/index.js';
import { examine } from './examine.js';
import { filesBelow } from './files.js';
import { allowedOf, identityOf, makeHost, rdmaDevices, type Host, type HostOptions, type MpiHere } from './host.js';
import { examineJob } from './job.js';
import { rdmaHere } from './rdma-here.js';
import { finding, type NodeReport } from './types.js';

/** Between two readings of /proc/stat: some 20 ticks of the kernel. */
const SAMPLE_MILLISECONDS = 200;
/** Where ranks share cores, the others may still be on their way out of the call by which all have met. */
const SETTLE_MILLISECONDS = 50;
/** Ranks that don't look keep still for as long as the others sample, and a little before and after. */
const REST_MILLISECONDS = 2 * SAMPLE_MILLISECONDS;
/** Nothing here takes longer than the start of a large job. */
const WATCHDOG_SECONDS = 120;

export interface DoctorOptions {
  /** Where the machine's files are, `/` for this machine. */
  readonly root: string;
  readonly planned: number | null;
}

function wait(): number {
  sleep(SAMPLE_MILLISECONDS);
  return SAMPLE_MILLISECONDS / 1000;
}

/** What loading an addon throws where it can't be had; everything else is a mistake of ours. */
function orNull<T>(action: () => T): T | null {
  try {
    return action();
  } catch (error) {
    if (error instanceof LoadError) return null;
    throw error;
  }
}

/** MPI in this process, its library loaded where it isn't; null where there is none. Nothing is started. */
function mpiHere(): MpiHere | null {
  return orNull(() => {
    mpi();
    const { family, library, ucx, pml } = selection();
    return { family, library, ucx, pml };
  });
}

type Own = Pick<HostOptions, 'ranks'> & { readonly env: NodeJS.ProcessEnv };

/** UCX writes what it logs to stdout, which is for what the doctor says. */
function silenceUcx(): void {
  process.env['UCX_LOG_LEVEL'] = 'fatal';
}

function look({ root, planned }: DoctorOptions, own: Own): NodeReport {
  const isThisMachine = root === '/';
  if (isThisMachine) silenceUcx();
  // Before anything is loaded: that takes time, which would be found as load.
  const sampled = makeHost({ ...own, root, planned, wait });
  const here = isThisMachine ? mpiHere() : null;
  const host: Host = {
    ...sampled,
    addons: builtAddons(),
    mpi: here,
    clock: isThisMachine ? orNull(clockInfo) : null,
    rdma: isThisMachine && rdmaDevices(sampled).length > 0 ? rdmaHere() : [],
  };
  return examine(host, isThisMachine ? (here?.ucx ?? orNull(ucxVersion)) : null);
}

/** Looks at this machine, or at what stands for it, without a job. */
export function examineAlone(options: DoctorOptions): NodeReport[] {
  return [look(options, { env: { ...process.env } })];
}

/** Ranks other than 0 wait so long before they say why they can't start: rank 0 normally finds the same and says it. */
const GRACE_MILLISECONDS = 2000;

/** All ranks see what is wrong with the launcher or with what was chosen; everything else may be so on one host alone. */
const isSeenByAll = (error: unknown): boolean =>
  error instanceof LauncherError || (error instanceof LoadError && error.reason === 'choice');

/** What is found where ranks can't meet: of rank 0's node alone, with the reason. */
function withoutMpi(options: DoctorOptions, env: NodeJS.ProcessEnv, error: Error): NodeReport {
  const report = look(options, { env });
  const reason = finding('start of MPI', 'bad', {
    found: error.message,
    wanted: 'ranks that meet: without that rank 0 can look at its own node alone',
  });
  return { ...report, findings: [reason, ...report.findings] };
}

/**
 * Looks at all nodes of a job; every rank calls it. Rank 0 gets the reports, the others none.
 *
 * @throws on one rank of each host but rank 0's, what keeps that host's ranks from starting
 */
export function examineRanks(options: DoctorOptions, launcher: Launcher): NodeReport[] {
  // Loading a stack sets variables of UCX's: what is looked at is as the user has it.
  const env = { ...process.env };
  const watchdog = startWatchdog({ seconds: WATCHDOG_SECONDS, rank: launcher.rank ?? 0 });
  watchdog.context('fabricbench doctor, starting MPI');
  silenceUcx();
  let rendezvous;
  try {
    rendezvous = mpiRendezvous({ launcher });
  } catch (error) {
    watchdog.stop();
    if (launcher.rank === 0 && error instanceof Error) return [withoutMpi(options, env, error)];
    if (isSeenByAll(error) || launcher.localRank !== 0) return [];
    sleep(GRACE_MILLISECONDS);
    throw error;
  }
  const files = filesBelow(options.root);
  const nodes = examineJob({
    rendezvous,
    place: { node: identityOf(files), cpus: allowedOf(makeHost({ root: options.root })) },
    examine: (ranks) => {
      sleep(SETTLE_MILLISECONDS);
      return look(options, { ranks, env });
    },
    rest: () => {
      sleep(REST_MILLISECONDS);
    },
  });
  rendezvous.close();
  watchdog.stop();
  return nodes;
}
