import { parseIndexFile } from '../cli/ddt.js';
import type { OsuOptions } from '../cli/options.js';
import type { Layout } from '../transport/types.js';
import type { Nodes } from './nodes.js';
import { messageSizes } from './measure/sizes.js';
import type { OsuRow } from './suites/osu.js';

/** A run that can't start: one sentence for rank 0's stderr, and the exit code of all ranks. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

/** What a run will measure, checked before anything is measured. */
export interface Plan {
  /** Rank r talks to rank r + pairs, for r below pairs; ranks from 2 x pairs on only keep the barriers. */
  readonly pairs: number;
  readonly sections: readonly Section[];
  readonly windows: readonly number[];
  readonly layout: Layout | undefined;
  /** Ranks by node, for kernels between nodes. */
  readonly nodes: Nodes;
  readonly warnings: readonly string[];
}

/** The part of a table that has one datatype, or none. */
export interface Section {
  readonly datatype: string | undefined;
  /** Bytes per message, ascending or as listed; null for the one row of what has no size. */
  readonly sizes: readonly (number | null)[];
}

/** Exit code of what a user can put right by calling otherwise. */
export const WRONG_USE = 1;
/** Exit code of what this machine can't do. */
export const NOT_POSSIBLE_HERE = 77;
const VARIED_WINDOWS = [1, 2, 4, 8, 16, 32, 64, 128];

function needs(row: OsuRow, ranks: number, what: string, example: number): Refusal {
  return new Refusal(
    `this program needs ${what}, and this run has ${ranks}: start it with mpirun -np ${example} node dist/${row.name}.js`,
    WRONG_USE,
  );
}

/** Streams from or to the first node: one for each rank of all others. */
function streamsOf(nodes: Nodes): number {
  const [first = [], ...others] = nodes;
  if (others.length === 0) {
    const cause = 'this program needs at least two nodes, and all ranks of this run are on one';
    throw new Refusal(
      `${cause}: start it on more, or let groups of N ranks count as nodes by --nodes-by N`,
      NOT_POSSIBLE_HERE,
    );
  }
  if (nodes.some((ranks) => ranks.length !== first.length)) {
    const counts = nodes.map((ranks) => ranks.length).join(', ');
    throw new Refusal(
      `this program needs as many ranks on each node, and these have ${counts}: start it with as many`,
      WRONG_USE,
    );
  }
  return first.length * others.length;
}

/** Pairs of ranks that take part; refuses a number of ranks that the program can't use. */
function pairsOf(row: OsuRow, options: OsuOptions, { ranks, nodes }: Place): number {
  if (row.ranks === 2) {
    if (ranks !== 2) throw needs(row, ranks, 'exactly two ranks', 2);
    return 1;
  }
  if (row.ranks !== 'any' && ranks < 2) throw needs(row, ranks, 'at least two ranks', 2);
  if (row.ranks === 'nodes') return streamsOf(nodes);
  if (row.ranks !== 'pairs') return 1;
  if (ranks % 2 !== 0) throw needs(row, ranks, 'an even number of ranks, because they work in pairs', ranks + 1);
  const pairs = options.pairs ?? ranks / 2;
  if (pairs > ranks / 2) {
    throw new Refusal(
      `${pairs} pairs need ${2 * pairs} ranks, and this run has ${ranks}: give -p at most ${ranks / 2}`,
      WRONG_USE,
    );
  }
  return pairs;
}

function layoutOf(options: OsuOptions, readText: (file: string) => string): Layout | undefined {
  const { ddt } = options;
  if (ddt?.kind !== 'indx') return ddt;
  const refuse = (cause: string): Refusal =>
    new Refusal(`-D indx:${ddt.file} can't be used: ${cause}; give a file of "displacement,length" lines`, WRONG_USE);
  let text: string;
  try {
    text = readText(ddt.file);
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
  const blocks = parseIndexFile(text);
  if (!blocks.ok) throw refuse(blocks.reason);
  return { ...ddt, blocks: blocks.value };
}

interface Choice {
  readonly row: OsuRow;
  readonly options: OsuOptions;
  readonly ranks: number;
  readonly largest?: number | undefined;
  readonly warnings: string[];
}

/** Leaves out sizes for which `fits` is false, and says why. */
function keep(sizes: readonly number[], fits: (size: number) => boolean, why: string, warnings: string[]): number[] {
  const dropped = sizes.filter((size) => !fits(size));
  if (dropped.length > 0) warnings.push(`sizes ${dropped.join(', ')} are left out: ${why}`);
  return sizes.filter(fits);
}

function carriesEmpty({ layer }: OsuOptions): boolean {
  return !(layer.kind === 'ucp' && layer.by === 'stream');
}

/** Sizes below one element are left out without a word, as the peer does. */
function sectionOf(
  datatype: string,
  bytes: number,
  { row, options, ranks, largest = Infinity, warnings }: Choice,
): Section {
  const all = messageSizes(options.sizes).filter((size) => size === 0 || size >= bytes);
  const whole = keep(
    all,
    (size) => size % bytes === 0,
    `not whole elements of ${datatype} (${bytes} bytes each)`,
    warnings,
  );
  const least = row.leastElements === 'ranks' ? ranks * bytes : 0;
  const carried = carriesEmpty(options)
    ? whole
    : keep(whole, (size) => size > 0, 'a stream carries no messages without bytes', warnings);
  const short = keep(carried, (size) => size <= largest, `the device carries ${largest} bytes at most`, warnings);
  const shared = keep(short, (size) => size >= least, `fewer elements than the ${ranks} ranks`, warnings);
  if (!row.accepts.includes('mem-limit')) return { datatype, sizes: shared };
  const limit = options.memLimit;
  const fits = (size: number): boolean => size * ranks <= limit;
  return { datatype, sizes: keep(shared, fits, `with ${ranks} ranks more than ${limit} bytes (-M)`, warnings) };
}

/** Where a run takes place. */
export interface Place {
  readonly ranks: number;
  readonly nodes: Nodes;
  /** Element types of the layer: name and bytes. */
  readonly datatypes: ReadonlyMap<string, number>;
  /** Bytes of the layer's longest message; undefined = any. */
  readonly largest?: number | undefined;
  readonly readText: (file: string) => string;
}

/**
 * Checks a run against what the benchmark, the launcher and the transport can do.
 *
 * @throws Refusal in one sentence with cause and mend
 */
export function planRun(row: OsuRow, options: OsuOptions, place: Place): Plan {
  const { ranks, datatypes, largest, readText } = place;
  const pairs = pairsOf(row, options, place);
  const layout = layoutOf(options, readText);
  const warnings: string[] = [];
  const windows = options.varyWindow ? VARIED_WINDOWS : [options.window];
  const { root } = options;
  if (root.kind === 'fixed' && root.rank >= ranks) {
    throw new Refusal(`-k fixed:${root.rank} names a rank that this run of ${ranks} does not have`, WRONG_USE);
  }
  const sections = sectionsOf({ row, options, ranks, largest, warnings }, datatypes);
  return { pairs, sections, windows, layout, nodes: place.nodes, warnings };
}

function sectionsOf(choice: Choice, datatypes: ReadonlyMap<string, number>): Section[] {
  const { row, options } = choice;
  if (row.sizes === 'none') return [{ datatype: undefined, sizes: [null] }];
  const sections = options.datatypes.map((name) => {
    const bytes = datatypes.get(name);
    if (bytes === undefined) {
      throw new Refusal(
        `-T ${name}: this layer has no such type; it has ${[...datatypes.keys()].join(', ')}`,
        WRONG_USE,
      );
    }
    return row.sizes === 'element' ? { datatype: name, sizes: [bytes] } : sectionOf(name, bytes, choice);
  });
  if (sections.every(({ sizes }) => sizes.length === 0)) {
    const why = choice.warnings.at(-1) ?? `none is a whole number of elements of ${options.datatypes.join(' or ')}`;
    throw new Refusal(`no size is left to measure (${why}): give others with -m or --sizes`, WRONG_USE);
  }
  return sections;
}
