/** `fabricbench validate FILE...`: whether files hold records by the published schema. */
import { parseValues, readText, type ReadValue } from '../../results/read.js';
import type { ResultRecord } from '../../results/types.js';
import { RecordProblem, validateRecord } from '../../results/validate.js';
import { EXIT, type Answer, type Command } from './command.js';

/** What is said of one file: of what it holds, or why it is wrong. */
interface Verdict {
  readonly file: string;
  readonly text: string;
  readonly valid: boolean;
}

export const validate: Command = {
  usage: 'validate <files..>',
  summary:
    'say whether files hold records by schema/result-1.json, and if not where and why; exit code 2 if one does not',
  options: (parser) =>
    parser.positional('files', { type: 'string', describe: 'records: one, an array, or one in each line' }),
  run: ({ files }) => answerOf((files as string[]).map(judge)),
};

function judge(file: string): Verdict {
  try {
    const records = parseValues(readText(file)).map(checked);
    if (records.length === 0) throw new RecordProblem('', 'it holds no record');
    return { file, text: records.map(described).join('; '), valid: true };
  } catch (error) {
    if (error instanceof RecordProblem) return { file, text: error.message, valid: false };
    throw error;
  }
}

function checked({ where, value }: ReadValue): ResultRecord {
  try {
    return validateRecord(value);
  } catch (error) {
    if (!(error instanceof RecordProblem) || where === '') throw error;
    throw new RecordProblem('', `${where}: ${error.message}`);
  }
}

function described({ run, rows, status }: ResultRecord): string {
  const state = status.state === 'running' ? 'running, or ended from outside' : status.state;
  return `${run.name}, ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}, ${state}`;
}

function answerOf(verdicts: readonly Verdict[]): Answer {
  const lines = (valid: boolean, line: (verdict: Verdict) => string): string =>
    verdicts.filter((verdict) => verdict.valid === valid).map((verdict) => `${line(verdict)}\n`).join(''); // prettier-ignore
  return {
    exitCode: verdicts.every(({ valid }) => valid) ? EXIT.done : EXIT.wrongUse,
    stdout: lines(true, ({ file, text }) => `${file}: valid: ${text}`),
    stderr: lines(false, ({ file, text }) => `fabricbench: ${file}: ${text}`),
  };
}
