/** The doctor among the ranks of a job: one rank of each node looks, rank 0 gets what all found. */
import type { Rendezvous } from '../rendezvous/types.js';
import type { RankHere } from './host.js';
import type { NodeReport } from './types.js';

/** What a rank says of where it is. */
export interface Place {
  /** Tells nodes apart. */
  readonly node: string;
  /** Processors that it may run on. */
  readonly cpus: readonly number[];
}

export interface JobRequest {
  readonly rendezvous: Rendezvous;
  readonly place: Place;
  /** Looks at this node, whose ranks it is told. */
  readonly examine: (ranks: readonly RankHere[]) => NodeReport;
  /** What other ranks do meanwhile: not poll, for that would be found as load. */
  readonly rest: () => void;
}

/** Two nodes of one name get numbers, so that differences between them can be told. */
function distinct(nodes: readonly NodeReport[]): NodeReport[] {
  const seen = new Map<string, number>();
  return nodes.map((node) => {
    const number = (seen.get(node.host) ?? 0) + 1;
    seen.set(node.host, number);
    return number === 1 ? node : { ...node, host: `${node.host} (${number})` };
  });
}

/** Every rank calls it; rank 0 gets the reports of all nodes, in the order of their first ranks, the others none. */
export function examineJob({ rendezvous, place, examine, rest }: JobRequest): NodeReport[] {
  const places = rendezvous.allgather(place);
  const first = places.findIndex(({ node }) => node === place.node);
  const ranks = places.flatMap(({ node, cpus }, rank) => (node === place.node ? [{ rank, cpus }] : []));
  let report: NodeReport | null = null;
  if (rendezvous.rank === first) report = examine(ranks);
  else rest();
  return distinct(rendezvous.gather<NodeReport | null>(report).filter((one) => one !== null));
}
