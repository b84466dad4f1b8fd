/** Which ranks share a node. */

/** Ranks by node, in ascending order. */
export type Nodes = readonly (readonly number[])[];

/**
 * The nodes of a run: hosts in alphabetical order, as the peer takes them, or groups of `nodesBy` ranks in a row.
 *
 * @param hosts each rank's host, by rank
 */
export function nodesOf(hosts: readonly string[], nodesBy: number | undefined): Nodes {
  const nodeOf = (rank: number): string | number =>
    nodesBy === undefined ? (hosts[rank] ?? '') : Math.floor(rank / nodesBy);
  const nodes = new Map<string | number, number[]>();
  for (const rank of hosts.keys()) nodes.set(nodeOf(rank), [...(nodes.get(nodeOf(rank)) ?? []), rank]);
  const ordered = nodesBy === undefined ? [...nodes].sort(([a], [b]) => (a < b ? -1 : 1)) : [...nodes];
  return ordered.map(([, ranks]) => ranks);
}
