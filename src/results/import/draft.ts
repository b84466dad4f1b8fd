/** A run while it is read, and the record that it becomes: what the text doesn't say is empty or null. */
import type { Tail } from '../../bench/measure/types.js';
import {
  RESULT_SCHEMA,
  type EnvironmentRecord,
  type Json,
  type RankRecord,
  type ResultRecord,
  type RowRecord,
} from '../types.js';
import type { ReadRow } from './columns.js';
import type { Command, Tool } from './command.js';

export interface DraftHead {
  readonly tool: Tool;
  /** Of the first line that belongs to the run. */
  readonly line: number;
  readonly version?: string | undefined;
  readonly name: string;
  readonly layer: string;
  readonly options?: Readonly<Record<string, Json>>;
  readonly command?: Command | undefined;
}

export class Draft {
  readonly head: DraftHead;
  readonly options: Record<string, Json>;
  environment: Partial<Pick<EnvironmentRecord, 'mpi' | 'verbs'>> = {};
  readonly rows: RowRecord[] = [];
  readonly warnings: string[] = [];
  /** Whether it is a run without rows as well (osu_hello). */
  complete = false;
  failure: string | undefined;
  started: Date | undefined;
  host: string | undefined;
  /** Processors that the process ran on, where the tool binds itself. */
  cpus: readonly number[] | undefined;

  constructor(head: DraftHead) {
    this.head = head;
    const { command, options = {} } = head;
    const launcher = command && command.launcher !== '' ? { launcher: command.launcher } : {};
    this.options = { ...options, ...launcher };
    this.cpus = command?.cpus;
  }

  warn(text: string): void {
    if (!this.warnings.includes(text)) this.warnings.push(text);
  }

  fail(text: string): void {
    this.failure ??= text;
    this.warn(text);
  }

  record(file: string, label: string): ResultRecord {
    const { tool, line, version = null, name, layer, command } = this.head;
    return {
      schema: RESULT_SCHEMA,
      run: {
        name,
        version: '',
        layer,
        engine: '',
        options: this.options,
        commandLine: command?.words ?? [],
        started: this.started?.toISOString() ?? '',
        ended: null,
        label,
        imported: { tool, file, line, version },
      },
      environment: this.#environment(),
      ranks: this.#ranks(),
      rows: this.rows,
      warnings: this.warnings,
      status: this.failure === undefined ? { state: 'done' } : { state: 'failed', message: this.failure },
    };
  }

  #environment(): EnvironmentRecord {
    const { host } = this;
    const facts = { cpuModel: null, cpus: null, governor: null, kernel: null, numaNodes: [], nics: [] };
    return {
      hosts: host === undefined ? [] : [{ name: host, ...facts }],
      mpi: this.environment.mpi ?? null,
      ucx: null,
      verbs: this.environment.verbs ?? null,
      node: '',
      fabricbench: '',
      clock: { source: '', frequency: null, resolution: null, readCost: null },
      settings: this.head.command?.settings ?? {},
    };
  }

  /** Of a process that was bound by hand: the client, which is the one that shows results. */
  #ranks(): readonly RankRecord[] {
    if (this.cpus === undefined) return [];
    const unknown = { localRank: null, cores: null, numaNode: null };
    return [{ rank: 0, host: this.host ?? '', ...unknown, hardwareThreads: this.cpus }];
  }
}

type Known = NonNullable<RowRecord['statistics']>;
const MEDIAN = 50;

/** The statistics that a row's text has; null where it has none. */
export function statisticsOf(
  { statistics, percentiles, n, verdict }: Pick<ReadRow, 'statistics' | 'percentiles' | 'n' | 'verdict'>,
  { figure, unit, tail }: { readonly figure: string; readonly unit: string; readonly tail: Tail },
): RowRecord['statistics'] {
  if (percentiles.length === 0 && Object.keys(statistics).length === 0 && verdict === undefined) return null;
  const { low, high, samples, outliers, ...values } = statistics;
  const at = (percent: number): number | null => percentiles.find((one) => one.percent === percent)?.value ?? null;
  const known = (value: number | null | undefined): value is number => value !== null && value !== undefined;
  const all: Known = {
    figure,
    unit,
    n: samples ?? n,
    min: null,
    max: null,
    median: at(MEDIAN),
    mean: null,
    sd: null,
    p90: at(90),
    p99: at(99),
    percentiles,
    medianInterval: known(low) && known(high) ? { low, high, level: 0.95 } : null,
    outliers: outliers ?? null,
    tail,
    source: 'samples',
  };
  return Object.assign(all, values, verdict === undefined ? undefined : { verdict });
}
