/** What a reader must know before believing a page: warnings of the records, failures, what was not understood. */
import type { ResultRecord } from '../../results/types.js';
import type { Run } from './runs.js';

export interface Note {
  readonly text: string;
  /** Indices of the runs that it concerns. */
  readonly runs: readonly number[];
}

/** Each text once, in order. */
export function notesOf(runs: readonly Run[]): Note[] {
  const notes = new Map<string, Set<number>>();
  for (const [index, run] of runs.entries())
    for (const text of [...run.records.flatMap(recordNotes), ...run.problems.map((text) => `not understood: ${text}`)])
      notes.set(text, (notes.get(text) ?? new Set<number>()).add(index));
  return [...notes].map(([text, members]) => ({ text, runs: [...members] }));
}

function recordNotes({ run, status, rows, warnings }: ResultRecord): string[] {
  return [
    ...(status.state === 'failed' ? [`${run.name} failed: ${status.message ?? 'no reason is given'}`] : []),
    ...(status.state === 'running' ? [`${run.name} did not end, and its record may lack sizes`] : []),
    ...(rows.some(({ validation }) => validation?.passed === false)
      ? [`${run.name} delivered wrong data, and its figures count for nothing`]
      : []),
    ...(rows.length === 0 ? [`${run.name} has no rows`] : []),
    ...warnings,
  ];
}
