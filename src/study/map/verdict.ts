/** What the trials come to: hosts, links and directions with what speaks against each. */
import type { FigureKind, FigureName } from './figures.js';
import { median } from '../../bench/measure/robust.js';
import type { PairGrid } from './grid.js';
import type { Trial } from './confirm.js';
import { medianInPlace } from './select.js';

export interface Evidence {
  readonly figure: FigureName;
  /** Of a host: as sender, as receiver. Of a link: from the first node to the second, or back. */
  readonly way: 'both' | 'out' | 'into';
  /** Measured over expected, by the median of the repeats. */
  readonly factor: number;
  /** In the figure's unit; of a host the median of its links. */
  readonly measured: number;
  readonly expected: number;
  readonly tries: number;
  /** Of those, how many were beyond the threshold. */
  readonly hits: number;
  /** Bound of the chance that it is healthy. */
  readonly falseAlarm: number;
}

export interface Finding {
  /** A direction is a link of which one direction is bad. */
  readonly kind: 'host' | 'link' | 'direction';
  /** One host; of a link the lower node first; of a direction the sender first. */
  readonly nodes: readonly number[];
  readonly evidence: readonly Evidence[];
}

export type Grids = Readonly<Partial<Record<FigureName, PairGrid>>>;

/** Those who are guilty. */
export const findingsOf = (trials: readonly Trial[], grids: Grids): Finding[] =>
  grouped(
    trials.filter(({ state }) => state === 'guilty'),
    grids,
  );

/** Those of whom it never became sure because the time was over, and who were bad more often than not. */
export const unsettledOf = (trials: readonly Trial[], grids: Grids): Finding[] =>
  grouped(
    trials.filter(({ state, hits, excesses }) => state === 'open' && 2 * hits >= excesses.length),
    grids,
  );

function grouped(trials: readonly Trial[], grids: Grids): Finding[] {
  const subjects = new Map<string, Trial[]>();
  for (const trial of trials) {
    const { subject, from, to } = trial.suspect;
    const name = subject === 'host' ? `host ${from}` : `link ${Math.min(from, to)} ${Math.max(from, to)}`;
    subjects.set(name, [...(subjects.get(name) ?? []), trial]);
  }
  const findings = [...subjects.values()].map((all) => findingOf(all, grids));
  return findings.sort((one, other) => weightOf(one) - weightOf(other));
}

/** Hosts first, for they explain most; then the surest. */
function weightOf({ kind, evidence }: Finding): number {
  const surest = Math.min(...evidence.map(({ falseAlarm }) => falseAlarm));
  return (kind === 'host' ? 0 : 2) + surest;
}

function findingOf(trials: readonly Trial[], grids: Grids): Finding {
  const first = trials[0]?.suspect;
  if (!first) throw new Error('a finding needs a trial');
  if (first.subject === 'host')
    return {
      ...{ kind: 'host', nodes: [first.from] },
      evidence: trials.map((one) => evidenceOf(one, one.suspect.way, grids)),
    };
  return linkFinding(trials, grids);
}

/** Where bandwidth is bad in one direction alone that direction is to blame, for latency is of both together. */
function linkFinding(trials: readonly Trial[], grids: Grids): Finding {
  const directed = trials.map(({ suspect }) => suspect).filter(({ kind }) => !kind.symmetric);
  const [one, other] = directed;
  const [{ suspect }] = trials as readonly [Trial];
  const isDirection = one !== undefined && other === undefined;
  const { from, to } = one ?? suspect;
  const nodes = isDirection ? [from, to] : [Math.min(from, to), Math.max(from, to)];
  const wayOf = (kind: FigureKind, sender: number): Evidence['way'] =>
    kind.symmetric ? 'both' : sender === nodes[0] ? 'out' : 'into';
  const evidence = trials.map((trial) => evidenceOf(trial, wayOf(trial.suspect.kind, trial.suspect.from), grids));
  return { kind: isDirection ? 'direction' : 'link', nodes, evidence };
}

function evidenceOf(
  { suspect, family, excesses, hits, falseAlarm }: Trial,
  way: Evidence['way'],
  grids: Grids,
): Evidence {
  const { kind, from, to, subject } = suspect;
  const factor = Math.exp(kind.worse * (excesses.length > 0 ? median(excesses) : suspect.excess));
  const grid = grids[kind.name];
  const expected = subject === 'link' ? family.model.expected(from, to) : NaN;
  const measured = subject === 'link' ? expected * factor : hostMedian(grid, from, way);
  return {
    ...{ figure: kind.name, way, factor, measured },
    expected: subject === 'link' ? expected : measured / factor,
    ...{ tries: excesses.length, hits, falseAlarm },
  };
}

/** The median of a host's links in a grid: as sender, or as receiver. */
export function hostMedian(grid: PairGrid | undefined, node: number, way: Evidence['way']): number {
  if (!grid) return NaN;
  const values = new Float64Array(grid.nodes);
  let count = 0;
  for (let other = 0; other < grid.nodes; other++) {
    const value = way === 'into' ? grid.at(other, node) : grid.at(node, other);
    if (!Number.isNaN(value)) values[count++] = value;
  }
  return medianInPlace(values, count);
}
