/** Collects a run and draws it at the end. */
import type { RowRecord, StatusRecord } from '../../results/types.js';
import { recordTarget } from '../record-target.js';
import type { Reporter, RunHead, Section } from '../types.js';
import { Envelope } from './envelope.js';
import { htmlName, svgName } from './files.js';
import { htmlFile } from './html.js';
import { svgFile } from './svg.js';
import { ttyText } from './tty.js';
import type { PlotOptions, PlotRow, PlotRun, PlotSection } from './types.js';

interface OpenSection extends PlotSection {
  readonly rows: PlotRow[];
}

/** Rows are kept, and of samples what an `Envelope` keeps. A run without rows makes no plots. */
export class PlotReporter implements Reporter {
  readonly #options: PlotOptions;
  readonly #sections: OpenSection[] = [];
  readonly #warnings: string[] = [];
  #head: RunHead | undefined;
  #times: Envelope | undefined;
  #ended = false;

  constructor(options: PlotOptions) {
    this.#options = options;
  }

  begin(head: RunHead): void {
    this.#head = head;
  }

  section({ datatype }: Section): void {
    this.#sections.push({ datatype, rows: [] });
  }

  samples(rank: number, seconds: Float64Array): void {
    this.#times ??= new Envelope();
    this.#times.add(rank, seconds);
  }

  row(record: RowRecord): void {
    const last = this.#sections.at(-1) ?? { datatype: undefined, rows: [] };
    if (this.#sections.length === 0) this.#sections.push(last);
    last.rows.push({ record, times: this.#times });
    this.#times = undefined;
  }

  warning(text: string): void {
    this.#warnings.push(text);
  }

  amend(changes: Partial<RunHead>): void {
    if (this.#head) this.#head = { ...this.#head, ...changes };
  }

  /**
   * Draws what was measured. A run whose data was wrong keeps the peer's sentence as its last line: its plots go to
   * files alone. Throws a `RecordError` or `SinkError` where they can't be written.
   */
  end(status: StatusRecord): void {
    const sections = this.#sections.filter(({ rows }) => rows.length > 0);
    if (!this.#head || this.#ended || sections.length === 0) return;
    this.#ended = true;
    const run = { head: this.#head, table: this.#options.table, sections, warnings: this.#warnings, status };
    const { graphs, sink } = this.#options;
    const text = graphs.includes('tty') && status.state === 'done' ? [() => sink.write(ttyText(run))] : [];
    const drawings = graphs.includes('svg') ? sections.map((section) => () => this.#draw(run, section)) : [];
    const pages = graphs.includes('html') ? [() => this.#write(htmlName(this.#options), htmlFile(run))] : [];
    allOf([...text, ...drawings, ...pages]);
  }

  #draw(run: PlotRun, section: PlotSection): void {
    this.#write(svgName(this.#options, section.datatype), svgFile(run, section));
  }

  #write(file: string, text: string): void {
    recordTarget(file, this.#options.sink, 'plot').save([text], true);
  }
}

/** Does every one, and throws the first error only then. */
function allOf(works: readonly (() => void)[]): void {
  const errors: unknown[] = [];
  for (const work of works) {
    try {
      work();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
