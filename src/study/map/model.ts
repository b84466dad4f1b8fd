/**
 * What a figure is made of: a level (of all links between hosts that are as far apart), how much worse the sender makes it,
 * how much worse the receiver, and what is left, which is the link's own. In logarithms, so that all of these are factors,
 * with the sign that makes larger worse. Fitted by medians of rows and columns in turn (Tukey's median polish): whatever
 * fewer than half of a host's links suffer from does not move the host's part.
 */
import type { FigureKind } from './figures.js';
import type { PairGrid } from './grid.js';
import { medianInPlace } from './select.js';
import { Sketch } from './sketch.js';

/** How far two nodes are apart: 0, 1, ... */
export type LevelOf = (from: number, to: number) => number;

export interface Model {
  readonly levels: Float64Array;
  /** By sender; of a symmetric figure the same as `into`. */
  readonly out: Float64Array;
  /** By receiver. */
  readonly into: Float64Array;
  /** What is the link's own in a figure: 0 where it is as expected, larger where it is worse; NaN of NaN. */
  rest(value: number, from: number, to: number): number;
  /** The figure that the link should have, in its unit. */
  expected(from: number, to: number): number;
}

const SWEEPS = 12;
/** No figure of a host moved by more: the fit stands. */
const SETTLED = 5e-4;

class Fit implements Model {
  readonly levels: Float64Array;
  readonly out: Float64Array;
  readonly into: Float64Array;
  readonly #room: Float64Array;

  constructor(
    private readonly grid: PairGrid,
    private readonly kind: FigureKind,
    private readonly levelOf: LevelOf,
    levels: number,
  ) {
    this.levels = new Float64Array(levels);
    this.out = new Float64Array(grid.nodes);
    this.into = kind.symmetric ? this.out : new Float64Array(grid.nodes);
    this.#room = new Float64Array(grid.nodes);
  }

  rest(value: number, from: number, to: number): number {
    return this.kind.worse * Math.log(value) - this.#share(from, to);
  }

  expected(from: number, to: number): number {
    return Math.exp(this.kind.worse * this.#share(from, to));
  }

  /** One turn over all rows and columns. Returns how far a host's part moved at most. */
  sweep(): number {
    const rows = this.#settle(this.out, (node, other) => this.rest(this.grid.at(node, other), node, other));
    if (this.kind.symmetric) return rows;
    return Math.max(
      rows,
      this.#settle(this.into, (node, other) => this.rest(this.grid.at(other, node), other, node)),
    );
  }

  /** What all links of a level have in common moves to the level. */
  settleLevels(): void {
    const sketches = Array.from(this.levels, () => new Sketch());
    this.grid.forEach((value, from, to) => sketches[this.levelOf(from, to)]?.add(this.rest(value, from, to)));
    for (const [level, sketch] of sketches.entries())
      if (sketch.n > 0) this.levels[level] = (this.levels[level] ?? 0) + sketch.median();
  }

  #share(from: number, to: number): number {
    return (this.levels[this.levelOf(from, to)] ?? 0) + (this.out[from] ?? 0) + (this.into[to] ?? 0);
  }

  #settle(parts: Float64Array, restOf: (node: number, other: number) => number): number {
    let moved = 0;
    for (let node = 0; node < parts.length; node++) {
      let count = 0;
      for (let other = 0; other < parts.length; other++) {
        const rest = restOf(node, other);
        if (!Number.isNaN(rest)) this.#room[count++] = rest;
      }
      const step = count === 0 ? 0 : medianInPlace(this.#room, count);
      parts[node] = (parts[node] ?? 0) + step;
      moved = Math.max(moved, Math.abs(step));
    }
    this.#centre(parts);
    return moved;
  }

  /** Hosts' parts are told against the host in the middle. */
  #centre(parts: Float64Array): void {
    this.#room.set(parts);
    const middle = medianInPlace(this.#room, parts.length);
    const both = parts === this.into && parts === this.out ? 2 : 1;
    for (let node = 0; node < parts.length; node++) parts[node] = (parts[node] ?? 0) - middle;
    for (let level = 0; level < this.levels.length; level++)
      this.levels[level] = (this.levels[level] ?? 0) + both * middle;
  }
}

/** @param levels how many levels `levelOf` tells apart */
export function fitModel(grid: PairGrid, kind: FigureKind, levelOf: LevelOf = () => 0, levels = 1): Model {
  const fit = new Fit(grid, kind, levelOf, levels);
  fit.settleLevels();
  for (let sweep = 0; sweep < SWEEPS && fit.sweep() > SETTLED; sweep++) if (levels > 1) fit.settleLevels();
  return fit;
}
