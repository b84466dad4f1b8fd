/** The table of options of the osu_* programs, and which of them one benchmark takes. */
import type { OptionName, OsuSpec } from './options.js';
import type { OsuOptionRow } from './option-row.js';
import { MESSAGE_ROWS } from './osu-table-messages.js';
import { PATTERN_ROWS } from './osu-table-patterns.js';
import { RUN_ROWS } from './osu-table-runs.js';

/** In the order of the help. One letter may stand for several options, of which a benchmark takes one at most. */
export const OSU_OPTIONS: readonly OsuOptionRow[] = [...MESSAGE_ROWS, ...PATTERN_ROWS, ...RUN_ROWS];

const ALWAYS = ['help', 'version'] as const;

/** The rows that one benchmark takes, help and version included. */
export function rowsOf({ accepts }: OsuSpec): readonly OsuOptionRow[] {
  const taken = new Set<string>([...accepts, ...ALWAYS]);
  return OSU_OPTIONS.filter(({ name }) => taken.has(name));
}

/** Options that do nothing wherever they are taken, and why. */
const ALWAYS_IDLE = {
  'array-size': 'it is for computing on GPUs',
  'cuda-target': 'it is for computing on GPUs',
} as const;

/** Options that do nothing in some benchmarks, and why. */
const IDLE = {
  'message-size': 'this benchmark measures no message sizes',
  sizes: 'this benchmark measures no message sizes',
  'mem-limit': 'this benchmark measures no message sizes',
  'validation-warmup': 'this benchmark has no data to validate',
  'num-test-calls': 'this benchmark makes no test calls',
} as const;

/** What a benchmark takes and does nothing with: each option with the reason. */
export function idleOf({ idle = [] }: OsuSpec): ReadonlyMap<OptionName, string> {
  const own = idle.map((name) => [name, IDLE[name]] as const);
  return new Map<OptionName, string>([...(Object.entries(ALWAYS_IDLE) as [OptionName, string][]), ...own]);
}

/** An option as notes name it: by its letter, or its long name where it has none. */
export function shownName(name: OptionName): string {
  const short = OSU_OPTIONS.find((row) => row.name === name)?.short;
  return short === undefined ? `--${name}` : `-${short}`;
}

/** The help of one option in one benchmark. */
export function helpOf(row: OsuOptionRow, spec: OsuSpec): string {
  const idle: readonly string[] = spec.idle ?? [];
  return idle.includes(row.name) ? 'taken as the peer takes it, and without effect in this benchmark' : row.help(spec);
}
