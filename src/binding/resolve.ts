/** Which hardware thread each local rank gets. Pure: a topology and a wish give places, or a sentence that refuses it. */
import { bad, good, type Checked } from '../cli/values.js';
import { TopologyError } from '../topology/errors.js';
import {
  allowedCores,
  coresByDistance,
  coresFromFarthest,
  deviceNamed,
  firstThread,
  topologyTitle,
} from '../topology/near.js';
import type { Core, Topology } from '../topology/types.js';
import { processorsOf, type Processors } from './processors.js';
import { bindText, numbersText } from './spec.js';
import { spreadOver } from './spread.js';
import type { BindSpec } from './types.js';

/** What is asked for. */
export interface Wish<Spec = Exclude<BindSpec, { kind: 'keep' }>> {
  readonly spec: Spec;
  /** Ranks of this host. */
  readonly ranks: number;
  /** Whether they may share cores. */
  readonly overlap: boolean;
}

type ListWish = Wish<Extract<BindSpec, { kind: 'list' }>>;

const OVERLAP = 'add --overlap to let ranks share cores';

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/**
 * The hardware thread of each local rank, by its OS number. With `overlap`, where there are more ranks than cores, these
 * are dealt out again from the first.
 */
export function placesIn(topology: Topology, wish: Wish): Checked<readonly number[]> {
  const { spec } = wish;
  if (spec.kind === 'list') return placesOfList({ ...wish, spec }, processorsOf(topology));
  const cores = candidates(topology, wish);
  if (!cores.ok) return cores;
  const threads = cores.value.map((core) => firstThread(topology, core)?.os).filter((cpu) => cpu !== undefined);
  if (threads.length === 0) return bad(`none of its cores may be used: ${mayUse(processorsOf(topology))}`);
  if (threads.length < wish.ranks && !wish.overlap) return bad(tooFew(topology, wish, threads));
  return good(dealtOut(threads, wish.ranks));
}

/** Likewise of a list, of which less must be known than a whole topology. */
export function placesOfList({ spec, ranks, overlap }: ListWish, processors: Processors): Checked<readonly number[]> {
  const named = spec.threads;
  if (named.length < ranks && !overlap)
    return bad(
      `it names ${counted(named.length, 'core')}, and this host has ${counted(ranks, 'rank')}: name one for each, or ${OVERLAP}`,
    );
  const places = dealtOut(named, ranks);
  const problem =
    missing(places, processors) ?? forbidden(places, processors) ?? (overlap ? undefined : shared(places, processors));
  return problem === undefined ? good(places) : bad(problem);
}

function dealtOut(threads: readonly number[], ranks: number): number[] {
  return Array.from({ length: ranks }, (_, rank) => threads[rank % threads.length] ?? -1);
}

/** Cores in the order in which ranks get them. */
function candidates(topology: Topology, { spec, ranks }: Wish): Checked<readonly Core[]> {
  switch (spec.kind) {
    case 'near':
      return orRefused(() => coresByDistance(topology, deviceNamed(topology, spec.device)));
    case 'far':
      return orRefused(() => coresFromFarthest(topology, deviceNamed(topology, spec.device)));
    case 'numa':
      return coresOfNode(topology, spec.node);
    case 'spread': {
      const cores = allowedCores(topology);
      return good(spreadOver(topology, cores, Math.min(ranks, cores.length)));
    }
    case 'compact':
      return good(allowedCores(topology));
    case 'list':
      throw new RangeError('a list names hardware threads and not cores');
  }
}

function orRefused(find: () => readonly Core[]): Checked<readonly Core[]> {
  try {
    return good(find());
  } catch (error) {
    if (!(error instanceof TopologyError)) throw error;
    return bad(error.message);
  }
}

function coresOfNode(topology: Topology, os: number): Checked<readonly Core[]> {
  const node = topology.numaNodes.find((one) => one.os === os);
  if (node) return good(allowedCores(topology).filter(({ threads }) => threads.some((cpu) => node.cpus.includes(cpu))));
  const nodes = numbersText(topology.numaNodes.map((one) => one.os));
  const there = nodes === '' ? 'it has none' : `it has ${nodes}`;
  return bad(`${topologyTitle(topology)} has no NUMA node ${os}: ${there}`);
}

function tooFew(topology: Topology, { spec, ranks }: Wish, threads: readonly number[]): string {
  const cores = `${counted(threads.length, 'core')} (${numbersText(threads)})`;
  const where = spec.kind === 'numa' ? `in ${bindText(spec)}` : `of ${topologyTitle(topology)}`;
  return `${ranks} ranks of a host want a core each, and ${cores} ${where} may be used: start fewer, or ${OVERLAP}`;
}

function mayUse({ allowed, whose }: Processors): string {
  return `${whose} may use ${allowed.length === 0 ? 'none' : numbersText(allowed)}`;
}

const among = (places: readonly number[], matches: (cpu: number) => boolean): number[] => [
  ...new Set(places.filter(matches)),
];

const coresText = (numbers: readonly number[]): string =>
  `core${numbers.length === 1 ? '' : 's'} ${numbersText(numbers)}`;

function missing(places: readonly number[], { all, offline }: Processors): string | undefined {
  const off = among(places, (cpu) => offline.includes(cpu) && !all.includes(cpu));
  if (off.length > 0)
    return `${coresText(off)} ${off.length === 1 ? 'is' : 'are'} switched off: those that are on are ${numbersText(all)}`;
  const absent = among(places, (cpu) => !all.includes(cpu));
  if (absent.length === 0) return undefined;
  return `${coresText(absent)} ${absent.length === 1 ? 'does' : 'do'} not exist: there are ${numbersText(all)}`;
}

function forbidden(places: readonly number[], processors: Processors): string | undefined {
  const absent = among(places, (cpu) => !processors.allowed.includes(cpu));
  return absent.length === 0 ? undefined : `${coresText(absent)} may not be used: ${mayUse(processors)}`;
}

function shared(places: readonly number[], { coreOf }: Processors): string | undefined {
  const owners = new Map<number, number>();
  for (const [rank, cpu] of places.entries()) {
    const core = coreOf(cpu);
    const other = owners.get(core);
    if (other !== undefined)
      return `local ranks ${other} and ${rank} would share core ${core}: name other cores, or ${OVERLAP}`;
    owners.set(core, rank);
  }
  return undefined;
}
