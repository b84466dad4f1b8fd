/** What `fabricbench list` says of the programs. */
import type { OsuRow } from '../bench/suites/osu.js';
import { perftests } from '../bench/suites/perftest.js';
import { wrap } from './wrap.js';

/** One program, as `fabricbench list --json` has it. */
export interface ListedProgram {
  readonly name: string;
  readonly family: OsuRow['family'] | 'ucx' | 'verbs';
  /** How many ranks it takes. */
  readonly ranks: string;
  /** What its figure is. */
  readonly measures: string;
  /** What it can't run without, beside its ranks. */
  readonly needs: readonly string[];
}

const RANKS: Readonly<Record<OsuRow['ranks'], string>> = {
  2: '2',
  pairs: 'even',
  many: '2+',
  nodes: '2+',
  any: 'any',
};

/** Columns of the table, unless a name and its ranks leave too little for the text. */
const WIDTH = 80;
const LEAST_TEXT = 24;
const GAP = '  ';

/** Programs that are no rows of a table. */
const others: readonly ListedProgram[] = [
  {
    name: 'ucx_perftest',
    family: 'ucx',
    ranks: '1, even',
    measures: 'every test of ucx_perftest over UCP and UCT, by ranks, or by server and client without a launcher',
    needs: ['UCX'],
  },
  ...perftests.map(({ name, description }) => ({
    ...{ name, family: 'verbs' as const, ranks: 'even' },
    measures: `${description}; of ranks, or of server and client`,
    needs: ['an RDMA device'],
  })),
];

export function listPrograms(rows: Iterable<OsuRow>): ListedProgram[] {
  const benchmarks = [...rows].map(({ name, family, ranks, measures, needs = [] }) => ({
    ...{ name, family, ranks: RANKS[ranks], measures, needs },
  }));
  return [...benchmarks, ...others];
}

/** An array of `ListedProgram`, with one newline at its end. */
export function listJson(programs: readonly ListedProgram[]): string {
  return `${JSON.stringify(programs, null, 2)}\n`;
}

type Cells = readonly [string, string, string];

/** One block a family, in the order of their first programs; a blank line before each. */
export function listText(programs: readonly ListedProgram[]): string {
  const heading: Cells = ['program', 'ranks', 'what it measures, and what it needs'];
  const rows = programs.map(cellsOf);
  const widths = [0, 1].map((column) => Math.max(...[heading, ...rows].map((cells) => cells[column]?.length ?? 0)));
  const families = [...new Set(programs.map(({ family }) => family))];
  const blocks = families.flatMap((family) => {
    const own = rows.filter((_, index) => programs[index]?.family === family);
    return ['', family, ...own.flatMap((cells) => rowLines(cells, widths))];
  });
  return [...rowLines(heading, widths), ...blocks, ''].join('\n');
}

function cellsOf({ name, ranks, measures, needs }: ListedProgram): Cells {
  return [`${GAP}${name}`, ranks, needs.length > 0 ? `${measures}; needs ${needs.join(', ')}` : measures];
}

function rowLines([name, ranks, text]: Cells, [first = 0, second = 0]: readonly number[]): string[] {
  const left = [name.padEnd(first), ranks.padEnd(second), ''].join(GAP);
  const lines = wrap(text, Math.max(WIDTH - left.length, LEAST_TEXT));
  return lines.map((line, index) => (index === 0 ? left : ' '.repeat(left.length)) + line);
}
