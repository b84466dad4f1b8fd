/** What OSU's programs say around their tables. */
import type { Json } from '../types.js';

/** Parameters of the rows that follow. */
export interface Facts {
  readonly datatype?: string;
  readonly ranks?: number;
  readonly pairs?: number;
  readonly window?: number;
}

/** Options that are said before the title. */
export interface Preamble {
  readonly workers?: { readonly send?: number; readonly receive?: number };
  readonly dimensions?: readonly number[];
}

export interface Note {
  readonly facts?: Facts;
  readonly options?: Readonly<Record<string, Json>>;
}

const SYNCHRONIZATIONS: Readonly<Record<string, string>> = {
  'lock/unlock': 'lock',
  'lock_all/unlock_all': 'lock_all',
  'post/start/complete/wait': 'pscw',
};

type NoteRow = readonly [RegExp, (...words: string[]) => Note];

const NOTES: readonly NoteRow[] = [
  [/^#\s*Datatype:\s*(\S+?)\.?$/, (datatype = '') => ({ facts: { datatype } })],
  [/^#\s*Ranks:\s*(\d+)\.?$/, (ranks) => ({ facts: { ranks: Number(ranks) } })],
  [
    /^#\s*\[\s*pairs:\s*(\d+)\s*\](?:\s*\[\s*window size:\s*(\w+)\s*\])?/,
    (pairs, window = '') => ({
      facts: { pairs: Number(pairs), ...(/^\d+$/.test(window) ? { window: Number(window) } : {}) },
      options: window === 'varied' ? { varyWindow: true } : {},
    }),
  ],
  [
    /^#\s*Window creation:\s*MPI_Win_(\w+)/,
    (creation = '') => ({ options: { windowCreation: creation.replace('create_', '') } }),
  ],
  [
    /^#\s*Synchronization:\s*MPI_Win_(\S+)/,
    (synchronization = '') => ({ options: { synchronization: SYNCHRONIZATIONS[synchronization] ?? synchronization } }),
  ],
  [
    /^#\s*Send Buffer on (\S.*?) and Receive Buffer on (\S.*)$/,
    (send = '', receive = '') => ({ options: { sendBuffer: send, receiveBuffer: receive } }),
  ],
];

/** Undefined where the line is no such note. */
export function noteOf(text: string): Note | undefined {
  for (const [pattern, note] of NOTES) {
    const match = pattern.exec(text);
    if (match) return note(...match.slice(1));
  }
  return undefined;
}

/** What stands before the title, with what stood before this line; undefined where the line is nothing of the kind. */
export function preambleOf(text: string, before: Preamble): Preamble | undefined {
  const [, what = '', side = '', count] =
    /^#\s*Number of (?:(Sender|Receiver) threads|forked processes in (sender|receiver)):\s*(\d+)$/.exec(text) ?? [];
  if (count !== undefined) {
    const role = (what || side).toLowerCase() === 'sender' ? 'send' : 'receive';
    return { ...before, workers: { ...before.workers, [role]: Number(count) } };
  }
  const [, grid] = /^Dimensions size = ([\d\s]+)$/.exec(text) ?? [];
  if (grid !== undefined) return { ...before, dimensions: grid.trim().split(/\s+/).map(Number) };
  return /^Time took to create topology graph:/.test(text) ? before : undefined;
}

/** Lines that say nothing of a run beyond what is known of every run. */
export function isSilent(text: string): boolean {
  return /^#\s*Overall = |^Atomic Data Validation results|^PASSED: All /.test(text);
}
