/**
 * Who talks to whom, and when. A round is plain data so small that it can be told to thousands of ranks, which work out
 * their own part of it.
 */
import { shuffled } from './random.js';

export type Round =
  /** A round of the tournament: every node meets one other, but for one that sits out where their number is odd. */
  | { readonly kind: 'tournament'; readonly index: number; readonly seed: number }
  /** Every node sends to the one `by` places after it, and receives from the one as many before it. */
  | { readonly kind: 'shift'; readonly by: number }
  /** These pairs, each node in one at most: first, second, first, second, ... */
  | { readonly kind: 'pairs'; readonly nodes: readonly number[] };

/** How many rounds it takes until each has met each. */
export function tournamentRounds(n: number): number {
  if (n < 2) return 0;
  return n % 2 === 0 ? n - 1 : n;
}

/** The numbers by which all can be shifted, until each has sent to each. */
export const shiftRounds = (n: number): number => Math.max(0, n - 1);

/**
 * The links of a round: first, second, first, second, ... A pair of a tournament stands once and is measured both ways; of
 * a shift the first sends to the second.
 */
export function linksOf(round: Round, n: number): Int32Array {
  if (round.kind === 'pairs') return Int32Array.from(round.nodes);
  if (round.kind === 'shift') return shiftLinks(round.by, n);
  const order = orderFor(n, round.seed);
  return circleLinks(round.index, n).map((node) => order[node] ?? 0);
}

/** The last order asked for: all rounds of a map have the same. */
let known: { readonly n: number; readonly seed: number; readonly order: Int32Array } | undefined;

function orderFor(n: number, seed: number): Int32Array {
  if (known?.n !== n || known.seed !== seed) known = { n, seed, order: shuffled(n, seed) };
  return known.order;
}

/**
 * The circle method of round-robin tournaments: one player stands still, the others sit around a circle of m - 1 places and
 * meet whom they face, after each round a place further. Two rounds whose numbers differ by d make one single ring of all
 * players where d and m - 1 have no common divisor: any two neighbouring rounds do.
 */
function circleLinks(index: number, n: number): Int32Array {
  const players = n + (n % 2);
  const places = players - 1;
  const links: number[] = [];
  if (n === players) links.push(index % places, n - 1);
  for (let step = 1; step < players / 2; step++) links.push((index + step) % places, (index + places - step) % places);
  return Int32Array.from(links);
}

function shiftLinks(by: number, n: number): Int32Array {
  return Int32Array.from({ length: 2 * n }, (_, at) => (at % 2 === 0 ? at / 2 : ((at - 1) / 2 + by) % n));
}

/**
 * The first `count` rounds of a tournament in an order of nodes that the seed says. From two rounds on every node is
 * reached from every other over the pairs measured, and any two nodes have as many partners, or one more.
 */
export function tournament(n: number, count: number, seed: number): Round[] {
  const all = Math.min(count, tournamentRounds(n));
  return Array.from({ length: all }, (_, index) => ({ kind: 'tournament', index, seed }));
}

/** `count` shifts: by 1 first, which makes a ring of all nodes, and the others as evenly as they go. */
export function shifts(n: number, count: number): Round[] {
  const all = shiftRounds(n);
  const taken = Math.min(count, all);
  return Array.from({ length: taken }, (_, index) => ({ kind: 'shift', by: 1 + Math.floor((index * all) / taken) }));
}

/**
 * Rounds in which these pairs can be measured with each node in one pair at a time: each pair goes into the first round
 * where both are free, those of busy nodes first. It takes less than twice as many rounds as the busiest node has pairs.
 */
export function roundsFor(pairs: readonly (readonly [number, number])[]): Round[] {
  const degrees = new Map<number, number>();
  for (const node of pairs.flat()) degrees.set(node, (degrees.get(node) ?? 0) + 1);
  const busiest = ([a, b]: readonly [number, number]): number => Math.max(degrees.get(a) ?? 0, degrees.get(b) ?? 0);
  const rounds: { readonly busy: Set<number>; readonly nodes: number[] }[] = [];
  for (const [a, b] of [...pairs].sort((one, other) => busiest(other) - busiest(one))) {
    let round = rounds.find(({ busy }) => !busy.has(a) && !busy.has(b));
    if (!round) rounds.push((round = { busy: new Set(), nodes: [] }));
    round.busy.add(a).add(b);
    round.nodes.push(a, b);
  }
  return rounds.map(({ nodes }) => ({ kind: 'pairs', nodes }));
}
