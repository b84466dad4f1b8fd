/** A launch as a line that a shell takes. */
import type { LaunchCommand } from './types.js';

/** Characters that mean nothing to a shell. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** A word as a shell takes it. */
export const quoted = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** `NAME=value ... program argument ...`: does the same when pasted into a POSIX shell. */
export function shellLine({ argv, environment }: LaunchCommand): string {
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value === '' ? '' : quoted(value)}`);
  return [...settings, ...argv.map(quoted)].join(' ');
}
