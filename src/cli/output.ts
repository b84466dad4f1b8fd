/** Where a command's drawing or page goes. */
import { recordTarget } from '../report/record-target.js';
import { EXIT, type Answer } from './commands/command.js';

export interface OutputOptions {
  /** What is written, for errors: `report`, `plot`. */
  readonly what: string;
  /** For stderr, without newlines. */
  readonly notes?: readonly string[];
}

/**
 * Writes it beside FILE and renames it over it; `-` is stdout.
 *
 * @throws RecordError where FILE can't be written
 */
export function writeOutput(file: string, text: string, { what, notes = [] }: OutputOptions): Answer {
  const stderr = notes.map((note) => `fabricbench: ${note}\n`).join('');
  if (file === '-') return { exitCode: EXIT.done, stdout: text, stderr };
  const nowhere = { write: (): void => undefined };
  recordTarget(file, nowhere, what).save([text], true);
  return { exitCode: EXIT.done, stdout: '', stderr };
}
