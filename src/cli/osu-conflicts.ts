/** Options that are each right and not together, and those that do nothing, so that nobody wonders. */
import { bindingNotes } from './binding-options.js';
import type { GetoptResult } from './getopt.js';
import type { OptionName, OsuSpec } from './options.js';
import { MIB } from './osu-defaults.js';
import { findSharedOutput } from './outputs.js';
import type { osuParsers } from './osu-parsers.js';
import { idleOf, shownName } from './osu-table.js';
import type { Given } from './yargs.js';

/** Every value given, by option. */
export type GivenOsu = Given<ReturnType<typeof osuParsers>>;

/** Options that can't be had together: the sentence and the option to name. */
export function findConflict(given: GivenOsu): [string, string] | undefined {
  if (given.validation && given.ddt) return ['Derived data type does not support validation: leave out -c or -D', '-c'];
  if (given.sizes && given['message-size'])
    return ['Message sizes are given twice: leave out -m or --sizes', '--sizes'];
  if (given.ddt && given.layer && given.layer.at(-1)?.kind !== 'mpi')
    return ['Derived data types are of MPI alone: leave out -D or --layer', '--layer'];
  if (given.samples && !given.json) return ['Samples are kept in the record: add --json FILE', '--samples'];
  return findLostRoot(given) ?? findSharedFile(given);
}

function findLostRoot(given: GivenOsu): [string, string] | undefined {
  const root = given['root-rank']?.at(-1);
  const fewest = Math.min(...(given['comm-size']?.at(-1) ?? []));
  if (root?.kind !== 'fixed' || root.rank < fewest) return undefined;
  const ranks = fewest === 1 ? '1 rank' : `${fewest} ranks`;
  return [`A communicator of ${ranks} has no rank ${root.rank}: give -k fixed:${fewest - 1} or below, or rotate`, '-k'];
}

function findSharedFile(given: GivenOsu): [string, string] | undefined {
  const [json, csvFile, markdown] = [given.json?.at(-1), given.csv?.at(-1), given.markdown?.at(-1)];
  const shared = findSharedOutput({ json, csvFile, markdown });
  if (shared !== undefined) return [shared, shared.includes('--markdown') ? '--markdown' : '--csv'];
  const file = given.papi?.at(-1)?.file;
  const others = Object.entries({ record: json, CSV: csvFile, 'table in Markdown': markdown });
  const [what] = others.find(([, one]) => one === file) ?? [];
  if (file === undefined || what === undefined) return undefined;
  return [`The ${what} and the counts of events can't both be written to ${file}: give two files`, '-P'];
}

/** What is accepted and does nothing, or is done otherwise than it was asked for. */
export function notesOf(found: GetoptResult, given: GivenOsu, spec: OsuSpec): string[] {
  return [
    ...positionalNotes(found),
    ...idleNotes(given, spec),
    ...windowNotes(given),
    ...validationNotes(given, spec),
    ...limitNotes(given, spec),
    ...bindingNotes(given),
  ];
}

function positionalNotes(found: GetoptResult): string[] {
  return found.positionals.length > 0 ? [`Ignored: ${found.positionals.join(' ')}${glueHint(found)}`] : [];
}

/** `-z 50` is a bare -z and a stray 50, as getopt has it; say so. */
function glueHint({ options, positionals }: GetoptResult): string {
  const looks: Readonly<Record<string, RegExp>> = { 'tail-lat': /^[\d.,]+$/, validation: /^log/, noise: /^[\d.]+$/ };
  const bare = options.find(
    ({ name, value }) => value === undefined && positionals.some((word) => looks[name]?.test(word)),
  );
  return bare ? ` (an argument of ${bare.given} must be glued to it)` : '';
}

function idleNotes(given: GivenOsu, spec: OsuSpec): string[] {
  const idle = [...idleOf(spec)].filter(([name]) => given[name]);
  return idle.map(([name, reason]) => `Ignored: ${shownName(name)}, because ${reason}`);
}

/** Options that add columns, which the matrices of `-V` have not. */
const NOT_IN_MATRICES = [
  'validation',
  'ddt',
  'tail-lat',
  'stats',
  'time-limit',
  'target-ci',
] as const satisfies readonly OptionName[];

function windowNotes(given: GivenOsu): string[] {
  if (!given['vary-window']) return [];
  const notes = given['window-size'] ? ['Ignored: -W, because -V varies the window'] : [];
  const unseen = NOT_IN_MATRICES.filter((name) => given[name]).map(shownName);
  if (unseen.length === 0) return notes;
  const note = `the matrices of -V have no room for the columns of ${unseen.join(', ')}; --json FILE records them`;
  return [...notes, `Not shown: ${note}`];
}

function validationNotes(given: GivenOsu, spec: OsuSpec): string[] {
  const notes: string[] = [];
  const repeats = given['validation-warmup'] && !idleOf(spec).has('validation-warmup');
  if (repeats && !given.validation) notes.push('Ignored: -u, because it needs -c');
  if (given['off-cache'] && given.validation)
    notes.push('Without effect: --off-cache, because -c brings each buffer into the cache before it is used');
  return notes;
}

function limitNotes(given: GivenOsu, spec: OsuSpec): string[] {
  const limit = given['mem-limit']?.at(-1);
  const raised = limit !== undefined && limit < MIB && !idleOf(spec).has('mem-limit');
  return raised ? ['memory limit raised to 1 MiB'] : [];
}
