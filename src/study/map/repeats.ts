/** What has to be measured so that suspects are seen once more, and what it says of them. */
import type { FigureName } from './figures.js';
import { medianInPlace } from './select.js';
import { seeded } from './random.js';
import type { Trial } from './confirm.js';
import type { Suspect } from './screen.js';

/** Figures of the pairs that were measured again, by figure, sender and receiver. */
export type Lookup = (figure: FigureName, from: number, to: number) => number;

/** With whom a host is measured again: whoever isn't suspected himself, in an order that differs each time. */
export function partnersOf(
  host: number,
  nodes: number,
  count: number,
  shunned: ReadonlySet<number>,
  seed: number,
): number[] {
  const random = seeded(seed + host * 7919);
  const others = Array.from({ length: nodes }, (_, node) => node).filter((node) => node !== host);
  const clean = others.filter((node) => !shunned.has(node));
  const pool = clean.length > 0 ? clean : others;
  for (let at = 0; at < Math.min(count, pool.length); at++) {
    const other = at + Math.floor(random() * (pool.length - at));
    [pool[at], pool[other]] = [pool[other] ?? 0, pool[at] ?? 0];
  }
  return pool.slice(0, count);
}

/** What one turn of repeats measures. */
export interface Turn {
  /** Each once, lower node first. */
  readonly pairs: readonly (readonly [number, number])[];
  readonly partners: ReadonlyMap<number, readonly number[]>;
}

export interface TurnOptions {
  readonly nodes: number;
  readonly partners: number;
  readonly seed: number;
}

export function turnFor(trials: readonly Trial[], { nodes, partners: count, seed }: TurnOptions): Turn {
  const open = trials.filter(({ state }) => state === 'open').map(({ suspect }) => suspect);
  const hosts = new Set(open.filter(({ subject }) => subject === 'host').map(({ from }) => from));
  const partners = new Map([...hosts].map((host) => [host, partnersOf(host, nodes, count, hosts, seed)] as const));
  const wanted = [
    ...open.filter(({ subject }) => subject === 'link').map(({ from, to }) => [from, to] as const),
    ...[...partners].flatMap(([host, others]) => others.map((other) => [host, other] as const)),
  ];
  const keys = new Set(wanted.map(([a, b]) => Math.min(a, b) * nodes + Math.max(a, b)));
  return { pairs: [...keys].map((key) => [Math.floor(key / nodes), key % nodes] as const), partners };
}

/** By how much a suspect was worse this time; NaN where it wasn't measured. */
export function excessOf({ suspect, family }: Trial, lookup: Lookup, { partners }: Turn): number {
  const { model } = family;
  const { from, to, kind, subject } = suspect;
  if (subject === 'link') return model.rest(lookup(kind.name, from, to), from, to);
  const others = partners.get(from) ?? [];
  const rests = Float64Array.from(others, (other) => hostRest(suspect, other, lookup, model));
  const seen = rests.filter((rest) => !Number.isNaN(rest));
  return medianInPlace(seen, seen.length) + ownPart(suspect, model);
}

type ModelOf = Trial['family']['model'];

function hostRest({ kind, from, way }: Suspect, other: number, lookup: Lookup, model: ModelOf): number {
  const [sender, receiver] = way === 'into' ? [other, from] : [from, other];
  return model.rest(lookup(kind.name, sender, receiver), sender, receiver);
}

/** What the model has taken out of its figures already. */
const ownPart = ({ way, from }: Suspect, { out, into }: ModelOf): number => (way === 'into' ? into : out)[from] ?? 0;
