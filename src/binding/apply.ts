/** Puts this process where it was asked to be. Before MPI starts: what MPI starts then is there too. */
import { hostname } from 'node:os';
import { bad, type Checked } from '../cli/values.js';
import { getAffinity, setAffinity } from '../engine/affinity.js';
import type { Launcher } from '../rendezvous/launcher.js';
import { TopologyError } from '../topology/errors.js';
import { applyMembind } from './memory.js';
import { outerCpus } from './outer.js';
import { processorsHere } from './processors.js';
import { placesIn, placesOfList, type Wish } from './resolve.js';
import { bindText, membindText } from './spec.js';
import { topologyHere } from './topology-here.js';
import { BindingRefusal, type BindingOptions, type Bound } from './types.js';

/** What is asked of a process. */
export interface ProcessWish extends Pick<BindingOptions, 'bind' | 'overlap' | 'membind'> {
  /** In place of `bind`: any of these hardware threads (`-c` of ucx_perftest). */
  readonly cpus?: readonly number[] | undefined;
}

/** Who has bound a process that we leave where it is. */
export function keptBy({ launcher }: Pick<Launcher, 'launcher'>): Bound {
  return { asked: 'keep', by: launcher === null ? 'inherited' : 'launcher' };
}

/** Which of the ranks of its host a process is. Without a launcher it is the only one that is known. */
function localPlace({ launcher, size, localRank, localSize }: Launcher): { rank: number; ranks: number } {
  if (launcher === null || size === 1) return { rank: 0, ranks: 1 };
  if (localRank === null)
    throw new BindingRefusal(
      "the launcher does not say which of its host's ranks this is: bind ranks with the launcher",
    );
  return { rank: localRank, ranks: localSize ?? localRank + 1 };
}

/** Hardware threads of all local ranks. What must know how many ranks there are refuses a launcher that doesn't say it. */
function places(wish: Wish, launcher: Launcher): Checked<readonly number[]> {
  const outer = outerCpus(launcher);
  const { spec } = wish;
  if (spec.kind === 'list') return placesOfList({ ...wish, spec }, processorsHere(outer));
  if (spec.kind === 'spread' && launcher.launcher !== null && launcher.localSize === null && launcher.size !== 1)
    return bad('the launcher does not say how many ranks this host has: name cores instead');
  return placesIn(topologyHere(spec, outer), wish);
}

function bindTo(wish: Omit<Wish, 'ranks'>, launcher: Launcher): void {
  const { rank, ranks } = localPlace(launcher);
  const found = places({ ...wish, ranks }, launcher);
  if (!found.ok) throw new BindingRefusal(found.reason);
  const thread = found.value[rank];
  if (thread === undefined) throw new BindingRefusal(`there is no local rank ${rank} among ${ranks}`);
  setAffinity([thread]);
}

/** What the kernel refuses is of this rank alone: the others asked it for something else. */
function asRefusal(error: unknown): BindingRefusal {
  if (error instanceof BindingRefusal) return error;
  if (error instanceof RangeError) return new BindingRefusal(error.message, 'this rank');
  if (error instanceof TopologyError) return new BindingRefusal(error.message);
  throw error;
}

/** Names the option and the host in what is refused. */
function refusing(option: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    const refusal = asRefusal(error);
    throw new BindingRefusal(`${option} can't be had on ${hostname()}: ${refusal.message}`, refusal.seenBy);
  }
}

/** Binds it as asked, if at all; says how it came to its cores. */
function bindAsAsked({ bind, overlap, cpus }: ProcessWish, launcher: Launcher): Bound {
  if (!cpus && bind.kind === 'keep') return keptBy(launcher);
  const asked = cpus ? `-c ${cpus.join(',')}` : bindText(bind);
  refusing(cpus ? asked : `--bind ${asked}`, () => {
    if (cpus) setAffinity(cpus);
    else if (bind.kind !== 'keep') bindTo({ spec: bind, overlap }, launcher);
  });
  return { asked, by: 'fabricbench' };
}

/**
 * Binds every thread of this process by its local rank, and the memory that it will take.
 *
 * @throws BindingRefusal where it can't be had; LoadError where hwloc is needed and missing
 */
export function bindProcess(wish: ProcessWish, launcher: Launcher): Bound {
  const { membind } = wish;
  const bound = bindAsAsked(wish, launcher);
  if (membind)
    refusing(`--membind=${membindText(membind)}`, () => {
      applyMembind(membind, getAffinity());
    });
  return bound;
}
