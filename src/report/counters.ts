/** Hardware counters as a table of comments: after the results, or in a file of their own. */
import type { RowRecord, StatusRecord } from '../results/types.js';
import { recordTarget } from './record-target.js';
import { parameterText, varyingParameters } from './row-parameters.js';
import type { Reporter, Section, Sink } from './types.js';

export interface CountersReporterOptions {
  /** FILE of `-P EVENTS:FILE`; undefined = after the results. */
  readonly file: string | undefined;
  /** Where the results go. */
  readonly sink: Sink;
}

/** What is written, in errors: see `checkWritable`. */
export const COUNTERS_TARGET = 'table of counters';
const HEADING = '# Counters of each rank, summed over the measured iterations of each row';
const SIZE_WIDTH = 10;
const FIELD_WIDTH = 18;
/** Shown where nothing was counted. */
const UNKNOWN = '-';

interface CountedSection extends Section {
  readonly rows: RowRecord[];
}

export class CountersReporter implements Reporter {
  readonly #options: CountersReporterOptions;
  readonly #sections: CountedSection[] = [];
  #ended = false;

  constructor(options: CountersReporterOptions) {
    this.#options = options;
  }

  begin(): void {
    return undefined;
  }

  section(section: Section): void {
    this.#sections.push({ ...section, rows: [] });
  }

  row(row: RowRecord): void {
    if (this.#sections.length === 0) this.#sections.push({ rows: [] });
    this.#sections.at(-1)?.rows.push(row);
  }

  /**
   * Writes what was counted. A run whose data was wrong keeps the peer's sentence as its last line: its counters go to a
   * file alone. Throws a `RecordError` or `SinkError` where they can't be written.
   */
  end(status: StatusRecord): void {
    const sections = this.#sections.filter(({ rows }) => rows.some(({ counters }) => counters));
    if (this.#ended || sections.length === 0) return;
    this.#ended = true;
    const { file, sink } = this.#options;
    const text = [HEADING, ...sections.flatMap(sectionLines)].map((line) => `${line}\n`).join('');
    if (file !== undefined) recordTarget(file, sink, COUNTERS_TARGET).save([text], true);
    else if (status.state === 'done') sink.write(text);
  }
}

function sectionLines({ datatype, rows }: CountedSection): string[] {
  const varying = varyingParameters(rows);
  const events = [...new Set(rows.flatMap((row) => (row.counters ?? []).flatMap(({ values }) => Object.keys(values))))];
  const line = (size: string, cells: readonly string[]): string => {
    const fields = cells.map((cell, index) => cell.padStart(widthOf([...varying, 'Rank', ...events][index] ?? '')));
    return `# ${size}`.padEnd(SIZE_WIDTH) + fields.join('');
  };
  return [
    ...(datatype === undefined ? [] : [`# Datatype: ${datatype}.`]),
    line('Size', [...varying, 'Rank', ...events]),
    ...rows.flatMap(({ parameters, counters = [] }) =>
      counters.map(({ rank, values }) => {
        const told = varying.map((name) => parameterText(parameters[name]));
        const counts = events.map((event) => String(values[event] ?? UNKNOWN));
        return line(String(parameters.size ?? UNKNOWN), [...told, String(rank), ...counts]);
      }),
    ),
  ];
}

/** At least one blank stays before a long name. */
function widthOf(header: string): number {
  return header === 'Rank' ? SIZE_WIDTH : Math.max(FIELD_WIDTH, header.length + 1);
}
