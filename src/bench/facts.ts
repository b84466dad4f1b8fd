/** What every rank says of itself at the start, and the head of the record made of it. */
import { clockInfo } from '../engine/clock.js';
import { threadsAffinity } from '../engine/affinity.js';
import { hookSettings } from '../engine/load.js';
import { measureNoise } from '../noise/measure.js';
import type { Launcher } from '../rendezvous/launcher.js';
import type { Rendezvous } from '../rendezvous/types.js';
import type { RunHead } from '../report/types.js';
import { mergeHosts, readHost, readSettings } from '../results/environment.js';
import type { EnvironmentRecord, HostRecord, JsonObject, NoiseRecord, RankRecord } from '../results/types.js';
import { coreOf } from '../binding/core-of.js';
import { memoryText } from '../binding/memory.js';
import type { Bound } from '../binding/types.js';
import { readJob } from '../slurm/allocation.js';
import type { Job } from './job.js';
import { nicDistances } from './nic-distance.js';
import { VERSION } from './version.js';

interface Said {
  readonly host: HostRecord;
  readonly rank: RankRecord;
}

function numaNodeOf(host: HostRecord, cpus: readonly number[]): number | null {
  const nodes = host.numaNodes.filter((node) => cpus.some((cpu) => node.cpus.includes(cpu)));
  return nodes.length === 1 ? (nodes[0]?.id ?? null) : null;
}

/** What is known of this process's place. */
export interface OwnPlace {
  readonly launcher: Launcher;
  readonly rendezvous: Rendezvous;
  readonly bound: Bound;
  /** Names of the network devices that it uses, as far as they are known. */
  readonly nics: readonly string[];
}

function ownRank({ launcher, rendezvous, bound, nics }: OwnPlace, host: HostRecord): RankRecord {
  const threads = threadsAffinity();
  const hardwareThreads = threads.find(({ thread }) => thread === process.pid)?.cpus ?? [];
  const numaNode = numaNodeOf(host, hardwareThreads);
  const distances = nicDistances(host, { hardwareThreads, numaNode }, nics);
  return {
    rank: rendezvous.rank,
    host: host.name,
    localRank: launcher.localRank,
    cores: [...new Set(hardwareThreads.map((cpu) => coreOf(cpu)))].sort((a, b) => a - b),
    hardwareThreads,
    numaNode,
    threads: threads.map(({ thread, name, cpus }) => ({ id: thread, name, hardwareThreads: cpus })),
    binding: { ...bound, memory: memoryText(), ...(distances.length > 0 ? { nics: distances } : {}) },
  };
}

/** What every rank says of its place now; every rank calls it, and rank 0 gets it. */
export function gatherPlaces(place: OwnPlace): RankRecord[] | null {
  const { rendezvous } = place;
  const all = rendezvous.gather(ownRank(place, readHost()));
  return rendezvous.rank === 0 ? all : null;
}

/** All at once, for then it is as it will be. Ranks of MPI wait for each other: one that still starts would be found as noise. */
function measureTogether(rendezvous: Rendezvous, seconds: number): NoiseRecord {
  if (rendezvous.kind === 'mpi') rendezvous.barrier();
  return measureNoise({ seconds });
}

/** What MPI really selected; complete once messages went between ranks. */
export function mpiFacts(job: Job): Pick<EnvironmentRecord, 'mpi' | 'ucx'> {
  const { ucx, ...mpi } = job.selected();
  return { mpi, ucx: ucx === null ? null : { version: ucx } };
}

export interface HeadRequest extends OwnPlace {
  readonly name: string;
  /** As JSON. */
  readonly options: unknown;
  readonly engine: string;
  readonly layer: string;
  /** What carried the messages. */
  readonly stacks: Pick<EnvironmentRecord, 'mpi' | 'ucx'> & Partial<Pick<EnvironmentRecord, 'verbs'>>;
  readonly started: Date;
  /** Seconds for which this process measures its core (`--noise`). Ranks of MPI all do or none. */
  readonly noise?: number | undefined;
}

/** Gathers every rank's facts; every rank calls it, and rank 0 gets the head. */
export function gatherHead(request: HeadRequest): RunHead | null {
  const { options, rendezvous } = request;
  const host = readHost();
  const noise = request.noise === undefined ? {} : { noise: measureTogether(rendezvous, request.noise) };
  const said = rendezvous.gather<Said>({ host, rank: { ...ownRank(request, host), ...noise } });
  if (rendezvous.rank !== 0) return null;
  const job = readJob();
  return {
    run: {
      name: request.name,
      version: VERSION,
      layer: request.layer,
      engine: request.engine,
      options: JSON.parse(JSON.stringify(options)) as JsonObject,
      commandLine: process.argv,
      started: request.started.toISOString(),
      ended: null,
      ...(job && { job }),
    },
    environment: {
      hosts: mergeHosts(said.map((one) => one.host)),
      verbs: null,
      ...request.stacks,
      node: process.version,
      fabricbench: VERSION,
      clock: clockInfo(),
      settings: readSettings(),
      hooks: Object.entries(hookSettings()).map(([name, { value, setBy }]) => ({ name, value, by: setBy })),
    },
    ranks: said.map((one) => one.rank),
  };
}
