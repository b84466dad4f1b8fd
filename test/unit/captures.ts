/** Every command line of which the peer's output was captured, and what its text is apart from figures. */
import { readCapture, readFixture } from './project.js';

export interface Captured {
  readonly capture: string;
  readonly ranks: number;
  readonly name: string;
  readonly argv: readonly string[];
}

/** Lines of the list of captures: `FILE: mpirun -np N --mca pml ucx NAME OPTIONS   (exit CODE)`. */
function readCommands(): Captured[] {
  const line = /^(\S+)\.txt: mpirun -np (\d+) --mca pml ucx (\S+)(.*?) *\(exit \d\)$/;
  return readFixture('omb-7.4/COMMANDS')
    .trimEnd()
    .split('\n')
    .map((text) => {
      const [, capture, ranks, name, options] = line.exec(text) ?? [];
      if (capture === undefined || name === undefined) throw new Error(`not a command: ${text}`);
      return { capture, ranks: Number(ranks), name, argv: (options ?? '').split(' ').filter(Boolean) };
    });
}

export const commands: readonly Captured[] = readCommands();

/** Where the words of a line of figures end, with the size before them; a line of text with its decimals hidden. */
function shapeOf(line: string): string {
  if (!/^ *\d/.test(line)) return line.replace(/\d+\.\d\d us\./, '# us.').replace(/\d+ ms/g, '# ms');
  const words = [...line.matchAll(/\S+/g)].map(({ index, 0: word }) => ({ word, end: index + word.length }));
  const sized = /^\d/.test(line);
  return words
    .map(({ word, end }, at) => (at === 0 && sized ? word : /^[A-Z]/.test(word) ? word : `@${end}`))
    .join(' ');
}

type Change = (lines: readonly string[]) => readonly string[];

/** Reductions are of MPI_INT: MPI has no MPI_SUM of MPI_CHAR. */
const withInt: Change = (lines) => lines.map((line) => line.replace('MPI_CHAR', 'MPI_INT'));

/** Where our text is another on purpose: what the peer's becomes. */
const deliberate: Readonly<Record<string, Change>> = {
  osu_allreduce: withInt,
  osu_reduce: withInt,
  osu_reduce_scatter: withInt,
  osu_iallreduce: withInt,
  osu_ireduce: withInt,
  osu_acc_latency: withInt,
  // 4 bytes are no element for each of two ranks.
  osu_reduce_scatter_block: (lines) => withInt(lines).filter((line) => !line.startsWith('4 ')),
  // The peer names no type here, as it does everywhere else.
  osu_get_acc_latency: (lines) =>
    lines.flatMap((line) => (line.startsWith('# Size') ? ['# Datatype: MPI_INT.', line] : [line])),
  // The peer's figures are not below their header.
  osu_latency_mp: (lines) => lines.map((line) => line.replace('@20', '@28')),
  // Cells are too narrow for a rate that differs from the peer's, which then pushes others aside.
  'osu_mbw_mr.V': (lines) => lines.map((line) => line.replace(/ @.*/, '')),
  // The peer drops fractions of milliseconds, and does not tell what Node's start takes.
  osu_init: (lines) =>
    lines.flatMap((line) =>
      line.startsWith('nprocs')
        ? [line, '# From the start of Node until MPI ran: min: # ms, max: # ms, avg: # ms']
        : [line],
    ),
};

/** What our text is in, for the same command line. */
export function expectedText(capture: string): readonly string[] {
  const peer = readCapture(capture).split('\n').map(shapeOf);
  return deliberate[capture]?.(peer) ?? peer;
}

/** Our text in the same form: of matrices the sizes only. */
export function formOf(capture: string, text: string): readonly string[] {
  const lines = text.split('\n').map((line) => shapeOf(line.replace(/(\d)\.\d{3} ms/g, '$1 ms')));
  return capture === 'osu_mbw_mr.V' ? lines.map((line) => line.replace(/ @.*/, '')) : lines;
}

/** Whether the mock transport can run it: it has no data to check, no one-sided calls and no topology. */
export const runsOnMock = ({ name, argv }: Captured): boolean =>
  !argv.includes('-c') && !/neighbor|_mt$|init$|hello$|put|get|acc|cas|fop/.test(name);
