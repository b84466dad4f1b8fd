/** Puts this process where it was asked to be. Before MPI starts: what MPI starts then is there too. */
import { hostname } from 'node:os';
import { getAffinity, requireExisting, setAffinity } from '../engine/affinity.js';
import type { Launcher } from '../rendezvous/launcher.js';
import type { Checked } from '../cli/values.js';
import { applyMembind } from './memory.js';
import { outerCpus } from './outer.js';
import { processorsHere } from './processors.js';
import { placesIn, placesOfList, type Wish } from './resolve.js';
import { bindText } from './spec.js';
import { topologyHere } from './topology-here.js';
import { BindingRefusal, type BindingOptions, type Bound } from './types.js';

type BindWish = Pick<BindingOptions, 'bind' | 'overlap' | 'membind'>;

/** Who has bound a process that we leave where it is. */
export function keptBy({ launcher }: Pick<Launcher, 'launcher'>): Bound {
  return { asked: 'keep', by: launcher === null ? 'inherited' : 'launcher' };
}

/** Which of the ranks of its host a process is. Without a launcher it is the only one that is known. */
function localPlace({ launcher, size, localRank, localSize }: Launcher): { rank: number; ranks: number } {
  if (launcher === null || size === 1) return { rank: 0, ranks: 1 };
  if (localRank === null)
    throw new BindingRefusal("the launcher does not say which of its host's ranks this is: bind ranks with the launcher");
  return { rank: localRank, ranks: localSize ?? localRank + 1 };
}

/** Hardware threads of all local ranks. What must know how many ranks there are refuses a launcher that doesn't say it. */
function places(wish: Wish, launcher: Launcher): Checked<readonly number[]> {
  const outer = outerCpus(launcher);
  const { spec } = wish;
  if (spec.kind === 'list') {
    requireExisting(spec.threads.slice(0, wish.ranks));
    return placesOfList({ ...wish, spec }, processorsHere(outer));
  }
  if (spec.kind === 'spread' && launcher.launcher !== null && launcher.localSize === null && launcher.size !== 1)
    return { ok: false, reason: 'the launcher does not say how many ranks this host has: name cores instead' };
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

/** Names the option and the host in what is refused. */
function refusing(option: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof BindingRefusal)) throw error;
    throw new BindingRefusal(`${option} can't be had on ${hostname()}: ${error.message}`);
  }
}

/**
 * Binds every thread of this process by its local rank, and the memory that it will take.
 *
 * @throws BindingRefusal where it can't be had; LoadError where hwloc is needed and missing
 */
export function bindProcess({ bind, overlap, membind }: BindWish, launcher: Launcher): Bound {
  if (bind.kind !== 'keep')
    refusing(`--bind ${bindText(bind)}`, () => {
      bindTo({ spec: bind, overlap }, launcher);
    });
  if (membind) applyMembind(membind, { cpus: getAffinity(), refusing });
  return bind.kind === 'keep' ? keptBy(launcher) : { asked: bindText(bind), by: 'fabricbench' };
}

/** `-c` of ucx_perftest: any of these hardware threads. */
export function bindToAny(cpus: readonly number[]): Bound {
  const asked = `-c ${cpus.join(',')}`;
  refusing(asked, () => {
    setAffinity(cpus);
  });
  return { asked, by: 'fabricbench' };
}
