/** What rank 0 keeps of a map: a few bytes of each pair, whatever was measured of it and how often. */
import type { FigureName } from './figures.js';
import { KINDS } from './figures.js';
import { PairGrid } from './grid.js';
import { median } from '../../bench/measure/robust.js';
import type { Grids } from './verdict.js';

/** Whether a link's figures are of one direction: in shifts each link is measured alone. */
export interface Measures {
  readonly latency: boolean;
  readonly bandwidth: boolean;
}

export class Store {
  readonly grids: Grids;
  /** Everything measured of links that were measured again. */
  readonly #again = new Map<string, number[]>();

  constructor(
    readonly nodes: number,
    { latency, bandwidth }: Measures,
  ) {
    const grid = (name: FigureName): PairGrid => new PairGrid(nodes, KINDS[name].symmetric);
    this.grids = {
      ...(latency ? { latency: grid('latency'), jitter: grid('jitter') } : {}),
      ...(bandwidth ? { bandwidth: grid('bandwidth') } : {}),
    };
  }

  /** Takes what a round gave of a link, as `Meter.measure` has it. */
  take(
    a: number,
    b: number,
    [latency = NaN, jitter = NaN, there = NaN, back = NaN]: ArrayLike<number> & Iterable<number>,
  ): void {
    const { latency: latencies, jitter: jitters, bandwidth } = this.grids;
    latencies?.set(a, b, latency);
    jitters?.set(a, b, jitter);
    bandwidth?.set(a, b, there);
    if (!Number.isNaN(back)) bandwidth?.set(b, a, back);
  }

  /** The same of a link that was measured before: its figures are then the medians of all. */
  takeAgain(
    a: number,
    b: number,
    [latency = NaN, jitter = NaN, there = NaN, back = NaN]: ArrayLike<number> & Iterable<number>,
  ): void {
    this.#settle('latency', a, b, latency);
    this.#settle('jitter', a, b, jitter);
    this.#settle('bandwidth', a, b, there);
    this.#settle('bandwidth', b, a, back);
  }

  get byteLength(): number {
    return Object.values(this.grids).reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  #settle(name: FigureName, from: number, to: number, value: number): void {
    const grid = this.grids[name];
    if (!grid || Number.isNaN(value)) return;
    const first = grid.at(from, to);
    const key = `${name} ${from} ${to}`;
    const all = this.#again.get(key) ?? (!Number.isNaN(first) ? [first] : []);
    all.push(value);
    this.#again.set(key, all);
    grid.set(from, to, median(all));
  }
}
