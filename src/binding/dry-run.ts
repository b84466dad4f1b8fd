/** `--dry-run`: which cores ranks would get, here or on a machine that a file describes. */
import { bad, good, type Checked } from '../cli/values.js';
import type { Launcher } from '../rendezvous/launcher.js';
import { TopologyError } from '../topology/errors.js';
import { readTopology } from '../topology/index.js';
import { requestNamed } from '../topology/named.js';
import { deviceNamed, distanceText, topologyTitle } from '../topology/near.js';
import type { Core, OsDevice, Topology } from '../topology/types.js';
import { outerCpus } from './outer.js';
import { placesIn } from './resolve.js';
import { bindText, membindText, numbersText } from './spec.js';
import { topologyAtHand } from './topology-here.js';
import { BindingRefusal, type BindingOptions, type BindSpec, type DryRun, type MemorySpec } from './types.js';

/** Ranks of a host where nobody says how many, nor names a core for each. */
const DEFAULT_RANKS = 2;

type Wish = Pick<BindingOptions, 'bind' | 'overlap' | 'membind'>;

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** How many ranks a host is taken to have: as asked, as the launcher has started, as `bind` names threads for, or two. */
function ranksOf({ ranks }: Pick<DryRun, 'ranks'>, { localSize }: Launcher, bind: BindSpec): number {
  return ranks ?? localSize ?? (bind.kind === 'list' ? bind.threads.length : DEFAULT_RANKS);
}

function headline(topology: Topology, bind: BindSpec, ranks: number): string {
  const { packages, numaNodes, cores } = topology;
  const parts = [counted(packages.length, 'package'), counted(numaNodes.length, 'NUMA node')];
  const machine = `${parts.join(', ')}, ${counted(cores.length, 'core')}`;
  return `--bind ${bindText(bind)} for ${counted(ranks, 'rank')} on ${topologyTitle(topology)} (${machine}):`;
}

function deviceOf(topology: Topology, bind: BindSpec): OsDevice | undefined {
  return bind.kind === 'near' || bind.kind === 'far' ? deviceNamed(topology, bind.device) : undefined;
}

function memoryPart(membind: MemorySpec | undefined, node: number | null): string {
  if (!membind) return '';
  return `, memory of NUMA node ${membind.kind === 'local' ? (node ?? 'unknown') : membind.node}`;
}

interface Place {
  readonly cpu: number;
  readonly core: Core;
  readonly node: number | null;
}

function placeOf(topology: Topology, cpu: number): Place {
  const thread = topology.threads.find(({ os }) => os === cpu);
  const core = topology.cores.find(({ logical }) => logical === thread?.core);
  if (!thread || !core) throw new RangeError(`there is no hardware thread ${cpu}`);
  return { cpu, core, node: thread.numaNode };
}

function placeText(topology: Topology, { cpu, core, node }: Place, { bind, membind }: Wish): string {
  const device = deviceOf(topology, bind);
  return [
    `core ${Math.min(...core.threads)}, hardware thread ${cpu}`,
    node === null ? '' : `, NUMA node ${node}`,
    memoryPart(membind, node),
    device ? ` (${device.name}: ${distanceText(topology, core, device)})` : '',
  ].join('');
}

const refused = (option: string, reason: string): Checked<string> => bad(`${option} can't be had: ${reason}`);

function memoryProblem(topology: Topology, { membind }: Wish): string | undefined {
  if (membind?.kind !== 'node' || topology.numaNodes.some(({ os }) => os === membind.node)) return undefined;
  const nodes = numbersText(topology.numaNodes.map(({ os }) => os));
  return `${topologyTitle(topology)} has no NUMA node ${membind.node}: it has ${nodes || 'none'}`;
}

/** One line for each local rank, below what they are of; a sentence where ranks can't have their places. */
export function placesText(topology: Topology, wish: Wish, ranks: number): Checked<string> {
  const { bind, overlap, membind } = wish;
  const first = headline(topology, bind, ranks);
  const problem = memoryProblem(topology, wish);
  if (membind && problem !== undefined) return refused(`--membind=${membindText(membind)}`, problem);
  if (bind.kind === 'keep') return good(`${first}\nall local ranks: where their launcher has them run\n`);
  const places = placesIn(topology, { spec: bind, ranks, overlap });
  if (!places.ok) return refused(`--bind ${bindText(bind)}`, places.reason);
  const lines = places.value.map(
    (cpu, rank) => `local rank ${rank}: ${placeText(topology, placeOf(topology, cpu), wish)}`,
  );
  return good(`${[first, ...lines].join('\n')}\n`);
}

/**
 * What a dry run shows, or why ranks can't have their places.
 *
 * @throws LoadError where hwloc is missing
 */
export function dryRun(wish: Wish & { readonly dryRun: DryRun }, launcher: Launcher): Checked<string> {
  const { topology: named } = wish.dryRun;
  try {
    const topology =
      named === undefined ? topologyAtHand(wish.bind, outerCpus(launcher)) : readTopology(requestNamed(named));
    return placesText(topology, wish, ranksOf(wish.dryRun, launcher, wish.bind));
  } catch (error) {
    if (error instanceof TopologyError || error instanceof BindingRefusal) return bad(error.message);
    throw error;
  }
}
