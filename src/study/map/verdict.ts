/** What the trials come to: hosts, links and directions with what speaks against each. */
import type { FigureName } from './figures.js';
import { median } from '../../bench/measure/robust.js';
import type { PairGrid } from './grid.js';
import type { Trial } from './confirm.js';

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

/** Those who are guilty; with `state` 'open' those of whom it never became sure, because the time was over. */
export function findingsOf(trials: readonly Trial[], grids: Grids, state: 'guilty' | 'open' = 'guilty'): Finding[] {
  const subjects = new Map<string, Trial[]>();
  for (const trial of trials.filter((one) => one.state === state)) {
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
      kind: 'host',
      nodes: [first.from],
      evidence: trials.map((one) => evidenceOf(one, one.suspect.way, grids)),
    };
  const directed = trials.length === 1 && !first.kind.symmetric;
  const nodes = directed ? [first.from, first.to] : [Math.min(first.from, first.to), Math.max(first.from, first.to)];
  const wayOf = ({ suspect: { kind, from } }: Trial): Evidence['way'] =>
    kind.symmetric ? 'both' : from === nodes[0] ? 'out' : 'into';
  const evidence = trials.map((one) => evidenceOf(one, wayOf(one), grids));
  return { kind: directed ? 'direction' : 'link', nodes, evidence };
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
  const values = Array.from({ length: grid.nodes }, (_, other) =>
    way === 'into' ? grid.at(other, node) : grid.at(node, other),
  );
  return median(values.filter((value) => value === value));
}
