/** Records made up for tests of reports, plots and histories. */
import type { Statistics } from '../../src/bench/measure/types.js';
import type { Figure, ResultRecord, RowRecord, RunRecord } from '../../src/results/types.js';
import { exampleHead } from './records.js';
import { seeded } from './random.js';

export interface MadeRecord {
  readonly name?: string;
  readonly run?: Partial<RunRecord>;
  readonly rows?: readonly RowRecord[];
  readonly host?: string;
  readonly pml?: string;
  readonly library?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
  readonly status?: ResultRecord['status'];
}

export function madeRecord(made: MadeRecord = {}): ResultRecord {
  const { name = 'osu_latency', run = {}, rows = [], warnings = [], status = { state: 'done' } } = made;
  const head = exampleHead({ name, ended: '2026-01-02T03:05:00.000Z', ...run });
  const [host] = head.environment.hosts;
  const mpi = head.environment.mpi;
  return {
    schema: 'fabricbench-result-1',
    run: head.run,
    environment: {
      ...head.environment,
      hosts: host ? [{ ...host, name: made.host ?? host.name }] : [],
      mpi: mpi && { ...mpi, pml: made.pml ?? mpi.pml, library: made.library ?? mpi.library },
      settings: { ...head.environment.settings, ...made.settings },
    },
    ranks: head.ranks.map((rank) => ({ ...rank, host: made.host ?? rank.host })),
    ...{ rows, warnings, status },
  };
}

export interface MadeRow {
  readonly size: number | null;
  /** In base units, by name; the first is what statistics are of. */
  readonly figures: Readonly<Record<string, Figure>>;
  readonly parameters?: Readonly<Record<string, string | number>>;
  readonly statistics?: Partial<Statistics>;
  /** Durations in seconds, of rank 0. */
  readonly seconds?: readonly number[];
}

export function madeRow({ size, figures, parameters = {}, statistics, seconds }: MadeRow): RowRecord {
  const [figure = '', { unit = 's', value = null } = {}] = Object.entries(figures)[0] ?? [];
  const known: Statistics = {
    ...{ n: seconds?.length ?? 100, min: value, max: value, median: value, mean: value, sd: 0, p90: value, p99: value },
    ...{ percentiles: [], medianInterval: null, outliers: 0, tail: unit === 's' ? 'high' : 'low', source: 'samples' },
  };
  return {
    ...{ parameters: { size, ...parameters }, n: known.n, figures },
    statistics: statistics === undefined ? null : { ...known, ...statistics, figure, unit },
    ...(seconds && { samples: [{ rank: 0, seconds }] }),
  };
}

export const seconds = (value: number): Figure => ({ value, unit: 's' });
export const rate = (value: number): Figure => ({ value, unit: 'B/s' });

/** A row of a ping-pong with samples around `microseconds`: durations are there and back. */
export function pingPongRow(size: number, microseconds: number, seed = size, n = 400): RowRecord {
  const random = seeded(seed);
  const durations = Array.from({ length: n }, () => 2e-6 * microseconds * (0.95 + 0.1 * random()));
  const latencies = durations.map((duration) => duration / 2).sort((a, b) => a - b);
  const at = (part: number): number => latencies[Math.min(n - 1, Math.floor(part * n))] ?? 0;
  const mean = latencies.reduce((sum, value) => sum + value, 0) / n;
  const interval = { low: at(0.45), high: at(0.55), level: 0.95 };
  return madeRow({
    ...{ size, figures: { latency: seconds(mean) }, seconds: durations },
    statistics: {
      ...{ min: at(0), max: at(1), median: at(0.5), mean, p90: at(0.9), p99: at(0.99), p25: at(0.25), p75: at(0.75) },
      ...{ medianInterval: interval, verdict: size % 8 === 0 ? 'noisy' : 'steady' },
    },
  });
}

export const powers = (count: number): number[] => Array.from({ length: count }, (_, index) => 2 ** index);

/** A latency that grows with the size, in microseconds. */
export const latencyAt = (size: number): number => 0.3 + size / 8000;
