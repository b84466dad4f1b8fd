/**
 * Which nodes of a list are slow, from the records of tests of some of them each (scripts/slurm/acceptance.sbatch). Pure.
 * A test is slow in a program where it is worse than the median over all tests by more than a tenth and by more than four
 * standard deviations (estimated by the median absolute deviation), at a third of the sizes or more.
 */
import { seriesOf, type Series } from '../analysis/series.js';
import { MAD_TO_SD, mad, median } from '../bench/measure/robust.js';
import type { ResultRecord } from '../results/types.js';
import { expandHostlist } from './hostlist.js';

/** More than half of the tests must be sound, and of each node two. */
export const FEWEST_TESTS = 5;
const TOLERANCE = 0.1;
const DEVIATIONS = 4;
const SHARE_OF_SIZES = 1 / 3;

/** What one test was worse in. */
export interface Slow {
  readonly program: string;
  readonly sizes: number;
  readonly of: number;
  /** How much worse than the median over all tests, at the median of those sizes: 0.5 = half as much again. */
  readonly by: number;
}

/** One test: some nodes, and the programs that they ran. */
export interface NodesTest {
  readonly nodes: readonly string[];
  readonly programs: readonly string[];
  readonly slow: readonly Slow[];
  /** Programs none of whose records has an end. */
  readonly incomplete: readonly string[];
}

export interface Verdict {
  readonly tests: readonly NodesTest[];
  /** Whether there were tests enough to hold them against each other. */
  readonly compared: boolean;
  /** Nodes all of whose tests are slow; with at least two tests, so that it is not the other node. */
  readonly slowNodes: readonly string[];
  /** Slow tests that no slow node explains. */
  readonly slowTests: readonly NodesTest[];
  /** Of the nodes asked about: those without a test whose records are all complete. */
  readonly untested: readonly string[];
}

/** `nodes`: all that should have been tested; undefined = those of the records. */
export function verdictOf(records: readonly ResultRecord[], nodes?: readonly string[]): Verdict {
  const groups = groupsOf(records);
  const compared = groups.length >= FEWEST_TESTS;
  const slow = compared ? slowOf(groups) : new Map<string, Slow[]>();
  const tests = groups.map(({ key, names, records: own }) => ({
    nodes: names,
    programs: programsOf(own),
    slow: slow.get(key) ?? [],
    incomplete: programsOf(own).filter((program) => !own.some((record) => isDone(record, program))),
  }));
  const slowNodes = [...new Set(tests.flatMap((test) => test.nodes))].filter((node) => isSlow(node, tests));
  const sound = new Set(tests.filter((test) => test.incomplete.length === 0).flatMap((test) => test.nodes));
  return {
    ...{ tests, compared, slowNodes },
    slowTests: tests.filter((test) => test.slow.length > 0 && !test.nodes.some((node) => slowNodes.includes(node))),
    untested: (nodes ?? tests.flatMap((test) => test.nodes)).filter((node) => !sound.has(node)),
  };
}

const programsOf = (records: readonly ResultRecord[]): string[] => [...new Set(records.map(({ run }) => run.name))];

/** Of a program there may be parts beside, which a restart went on from. */
const isDone = ({ run, status }: ResultRecord, program: string): boolean =>
  run.name === program && status.state === 'done';

function isSlow(node: string, tests: readonly NodesTest[]): boolean {
  const own = tests.filter((test) => test.nodes.includes(node));
  const isAlone = own.every((test) => test.nodes.length === 1);
  return own.length >= (isAlone ? 1 : 2) && own.every((test) => test.slow.length > 0);
}

interface Group {
  readonly key: string;
  readonly names: readonly string[];
  readonly records: readonly ResultRecord[];
}

/** Records of the same nodes are one test. */
function groupsOf(records: readonly ResultRecord[]): Group[] {
  const groups = new Map<string, { names: readonly string[]; records: ResultRecord[] }>();
  for (const record of records) {
    const names = nodesOf(record);
    const key = names.join('+');
    const group = groups.get(key) ?? { names, records: [] };
    group.records.push(record);
    groups.set(key, group);
  }
  return [...groups].map(([key, group]) => ({ key, ...group }));
}

/** Those of the job: several virtual nodes have one host name. */
function nodesOf({ run, environment }: ResultRecord): string[] {
  const ofJob = run.job === undefined ? undefined : expandHostlist(run.job.nodes);
  return (ofJob ?? environment.hosts.map(({ name }) => name)).toSorted();
}

interface Member {
  readonly key: string;
  readonly series: Series;
}

/** What each test is slow in, by its key. */
function slowOf(groups: readonly Group[]): Map<string, Slow[]> {
  const found = new Map<string, Slow[]>();
  for (const members of sameSeries(groups)) {
    const all = members.map(({ series }) => series);
    for (const { key, series } of members) {
      const slow = slowIn(series, all);
      if (slow !== undefined) found.set(key, [...(found.get(key) ?? []), slow]);
    }
  }
  return found;
}

/** What all tests measured alike. */
function sameSeries(groups: readonly Group[]): Member[][] {
  const byName = new Map<string, Member[]>();
  for (const { key, records } of groups) {
    for (const series of seriesOf(records)) {
      const name = JSON.stringify([series.test.name, series.parameters, series.figure]);
      byName.set(name, [...(byName.get(name) ?? []), { key, series }]);
    }
  }
  return [...byName.values()];
}

function slowIn(series: Series, all: readonly Series[]): Slow | undefined {
  const ratios = worseThan(series, all).filter((ratio) => ratio !== undefined);
  const bad = ratios.filter((ratio) => ratio > 0);
  if (bad.length === 0 || bad.length < ratios.length * SHARE_OF_SIZES) return undefined;
  return { program: series.test.name, sizes: bad.length, of: ratios.length, by: median(bad) };
}

/** For each size how much worse it is than all of them, where that is too much; else 0. */
function worseThan(series: Series, all: readonly Series[]): (number | undefined)[] {
  return series.rows.map(({ size }) => {
    const costs = all.map((one) => costOf(one, size));
    const own = costOf(series, size);
    const known = costs.filter((cost) => cost !== undefined);
    if (own === undefined || known.length < FEWEST_TESTS) return undefined;
    const middle = median(known);
    const limit = middle + Math.max(TOLERANCE * middle, DEVIATIONS * MAD_TO_SD * mad(known));
    return own > limit ? own / middle - 1 : 0;
  });
}

/** A time, or a rate turned into one, so that more is always worse. */
function costOf({ rows, better }: Series, size: number | null): number | undefined {
  const launches = rows.find((row) => row.size === size)?.launches ?? [];
  if (launches.length === 0 || better === undefined) return undefined;
  const value = median(launches.map(({ typical }) => typical));
  return better === 'lower' ? value : 1 / value;
}
