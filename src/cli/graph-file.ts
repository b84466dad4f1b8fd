/** The graph file of `-N graph:FILE`. */
import { parsePairs } from './pair-file.js';
import { good, type Checked } from './values.js';

/** A directed edge between ranks: `source` sends, `destination` receives. */
export interface GraphEdge {
  readonly source: number;
  readonly destination: number;
}

const FORM = { shown: '"src,dst"', unit: 'ranks', least: [0, 0], most: 2 ** 31 - 1 } as const;

/**
 * Reads one edge a line, `src,dst`, in the form of `parsePairs`. A rank may be its own neighbour. Whether the run has
 * these ranks, and whether an edge stands twice, is for the caller to check.
 */
export function parseGraphFile(text: string): Checked<readonly GraphEdge[]> {
  const pairs = parsePairs(text, FORM);
  return pairs.ok ? good(pairs.value.map(([source, destination]) => ({ source, destination }))) : pairs;
}
