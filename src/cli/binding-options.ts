/** Options about places, which all programs take alike: their rows, their parsers, what does not go together. */
import { parseBind, parseMembind } from '../binding/spec.js';
import type { BindingOptions, BindSpec, MemorySpec } from '../binding/types.js';
import type { GetoptResult, OptionShape } from './getopt.js';
import { bad, good, orBad, parseInteger, type Checked } from './values.js';

export type BindingOptionName = 'bind' | 'overlap' | 'membind' | 'report-binding' | 'dry-run' | 'topology' | 'ranks';

export interface BindingRow extends OptionShape {
  readonly name: BindingOptionName;
  /** How the argument is shown: `WHERE`, `[NODE|local]`. */
  readonly shown?: string;
  readonly help: string;
}

const MOST_RANKS = 65536;

export const BINDING_ROWS: readonly BindingRow[] = [
  {
    name: 'bind',
    argument: 'required',
    shown: 'WHERE',
    help: 'bind each rank to a core: near:DEV or far:DEV, by distance from a device as in near:mlx5_0; numa:N; spread or compact; core:N or N,N,... by local rank; keep what the launcher has set (default)',
  },
  { name: 'overlap', argument: 'none', help: 'with --bind: ranks may share cores' },
  {
    name: 'membind',
    argument: 'optional',
    shown: '[NODE|local]',
    help: "take memory from this NUMA node alone, or (local, the default) from that of the rank's core; else where it is touched first",
  },
  {
    name: 'report-binding',
    argument: 'none',
    help: 'say on stderr where each rank runs, and how far that is from the NIC where it is known',
  },
  { name: 'dry-run', argument: 'none', help: 'say which cores ranks would get, and end without a run' },
  {
    name: 'topology',
    argument: 'required',
    shown: 'FILE',
    help: "with --dry-run: of the machine that this XML file of lstopo describes, or hwloc's own kind of description, as in 'package:8 core:4 pu:2'",
  },
  {
    name: 'ranks',
    argument: 'required',
    shown: 'N',
    help: 'with --dry-run: ranks of a host (default: those started, those that --bind names threads for, or 2)',
  },
];

export const BINDING_OPTIONS = BINDING_ROWS.map(({ name }) => name);

const flag = (): Checked<true> => good(true);

/** Reasons are whole sentences that begin with what was given. */
export const bindingParsers = {
  bind: parseBind,
  overlap: flag,
  membind: parseMembind,
  'report-binding': flag,
  'dry-run': flag,
  topology: (text: string): Checked<string> => (text === '' ? bad('it names no file') : good(text)),
  ranks: (text: string): Checked<number> =>
    orBad(parseInteger(text, 1, MOST_RANKS), `"${text}" is no number of ranks from 1 to ${MOST_RANKS}`),
};

/** Every value given, by option. */
export interface GivenBinding {
  readonly bind?: readonly BindSpec[];
  readonly overlap?: readonly true[];
  readonly membind?: readonly MemorySpec[];
  readonly 'report-binding'?: readonly true[];
  readonly 'dry-run'?: readonly true[];
  readonly topology?: readonly string[];
  readonly ranks?: readonly number[];
}

export function bindingOptions(given: GivenBinding): BindingOptions {
  return {
    bind: given.bind?.at(-1) ?? { kind: 'keep' },
    overlap: given.overlap !== undefined,
    membind: given.membind?.at(-1),
    reportBinding: given['report-binding'] !== undefined,
    dryRun: given['dry-run'] && { topology: given.topology?.at(-1), ranks: given.ranks?.at(-1) },
  };
}

/** What can't be had: the sentence and the option to name. */
export function findBindingConflict(found: GetoptResult, given: GivenBinding): [string, string] | undefined {
  if (given.topology && !given['dry-run'])
    return ['Ranks run on this machine and no other: add --dry-run, or leave out --topology', '--topology'];
  if (given.ranks && !given['dry-run'])
    return ['The launcher says how many ranks there are: add --dry-run, or leave out --ranks', '--ranks'];
  return findLooseNode(found);
}

/** `--membind 1` is a bare --membind and a stray 1, as getopt has it. */
function findLooseNode({ options, positionals }: GetoptResult): [string, string] | undefined {
  const bare = options.some(({ name, value }) => name === 'membind' && value === undefined);
  const node = positionals.find((word) => /^\d+$/.test(word) || word === 'local');
  if (!bare || node === undefined) return undefined;
  return [`An argument of --membind must be glued to it: give --membind=${node}`, '--membind'];
}

/** What does nothing. */
export function bindingNotes(given: GivenBinding): string[] {
  const keeps = (given.bind?.at(-1)?.kind ?? 'keep') === 'keep';
  return given.overlap && keeps ? ['Ignored: --overlap, because there is no --bind to share cores by'] : [];
}
