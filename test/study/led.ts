/** Leads a study over simulated hosts, as rank 0 of a job would. */
import { MemorySink } from '../../src/report/index.js';
import type { RowRecord, StudyRecord } from '../../src/results/types.js';
import type { StudyProgram } from '../../src/study/program.js';
import { simulatedField, type SimulatedNetwork } from '../../src/study/simulated.js';
import type { Field } from '../../src/study/types.js';

export interface Led {
  readonly code: number;
  readonly text: string;
  readonly rows: readonly RowRecord[];
  readonly study: StudyRecord | undefined;
  /** How often it told its state. */
  readonly saved: number;
  readonly warnings: readonly string[];
}

/** @param given options as yargs would give them */
export function led<Options>(
  program: StudyProgram<Options>,
  given: Readonly<Record<string, unknown>>,
  network: SimulatedNetwork,
  around: (field: Field) => Field = (field) => field,
): Led {
  const sink = new MemorySink();
  const rows: RowRecord[] = [];
  const warnings: string[] = [];
  let study: StudyRecord | undefined;
  let saved = 0;
  const code = program.lead({
    options: program.read(given),
    field: around(simulatedField(network)),
    table: sink,
    warn: (text) => warnings.push(text),
    record: {
      row: (row) => rows.push(row),
      study: (told) => {
        study = told;
        saved++;
      },
      warning: (text) => warnings.push(text),
    },
  });
  return { code, text: sink.text, rows, study, saved, warnings };
}
