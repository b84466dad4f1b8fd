/** What writes tables: a bundle of its own, loaded by load.ts. */
import { csvText } from './csv.js';
import { markdownText } from './markdown.js';
import type { RecordTarget } from '../record-target.js';
import { TableReporter } from './reporter.js';
import type { TableKind } from './types.js';

export { csvText, markdownText, TableReporter };

export function tableReporterFor(kind: TableKind, target: RecordTarget): TableReporter {
  return new TableReporter(target, kind === 'csv' ? csvText : markdownText);
}
