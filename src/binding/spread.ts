/** Places as far apart as a machine has them: dealt out evenly over packages, in them over NUMA nodes, in these over caches. */
import type { Core, Topology } from '../topology/types.js';

/** Caches of this level and above are shared by some cores and not by others. */
const SHARED_CACHE = 3;

/** Groups of hardware threads, from the outermost level to the innermost. */
function levelsOf({ packages, numaNodes, caches }: Topology): (readonly (readonly number[])[])[] {
  const shared = caches.filter(({ level, kind }) => level === SHARED_CACHE && kind === 'unified');
  return [packages, numaNodes, shared].map((groups) => groups.map(({ cpus }) => cpus));
}

/** Cores by the group that their first hardware thread is in, in the order of cores; those of no group stay together. */
function grouped(cores: readonly Core[], groups: readonly (readonly number[])[]): (readonly Core[])[] {
  const members = new Map<number, Core[]>();
  for (const core of cores) {
    const index = groups.findIndex((cpus) => cpus.includes(core.threads[0] ?? -1));
    members.set(index, [...(members.get(index) ?? []), core]);
  }
  return [...members.values()];
}

/** So many places over groups that hold so many each: the same number everywhere, as far as groups hold them. */
function dealt(places: number, capacities: readonly number[]): number[] {
  const counts = capacities.map(() => 0);
  for (let left = places; left > 0;) {
    const before = left;
    for (const [index, capacity] of capacities.entries()) {
      const count = counts[index] ?? 0;
      if (left === 0 || count === capacity) continue;
      counts[index] = count + 1;
      left -= 1;
    }
    if (left === before) break;
  }
  return counts;
}

function chosen(cores: readonly Core[], places: number, levels: readonly (readonly (readonly number[])[])[]): Core[] {
  const [groups, ...inner] = levels;
  if (places === 0) return [];
  if (!groups)
    return Array.from({ length: places }, (_, index) => cores[Math.floor((index * cores.length) / places)]).filter(
      (core) => core !== undefined,
    );
  const parts = grouped(cores, groups);
  const counts = dealt(
    places,
    parts.map(({ length }) => length),
  );
  return parts.flatMap((part, index) => chosen(part, counts[index] ?? 0, inner));
}

/**
 * So many of these cores, as far apart as possible, in the order given.
 *
 * @param cores at least as many, in logical order
 */
export function spreadOver(topology: Topology, cores: readonly Core[], places: number): Core[] {
  return chosen(cores, places, levelsOf(topology));
}
