/** What the text of ib_* shows. Times are in seconds, rates in bytes or messages per second. */
import type { Statistics } from '../bench/measure/types.js';
import type { PerftestOptions } from '../cli/perftest-options.js';

/** The box above the rows. */
export interface PerftestHeader {
  /** Whether this side sends (default: yes). The server of a test in one direction has no depth of its own to show. */
  readonly sender?: boolean;
  readonly device: string;
  readonly transport: 'IB' | 'iWARP' | 'Unknown';
  readonly mtu: number;
  readonly linkLayer: 'IB' | 'Ethernet' | 'Unknown';
  /** Undefined where there is none (InfiniBand without GRH). */
  readonly gidIndex?: number;
  readonly maxInline: number;
  /** Of reads and atomics. */
  readonly outstandingReads?: number;
  readonly wrApi: boolean;
  readonly cqMod: number;
  readonly txDepth: number;
  readonly rxDepth: number;
  readonly usingSrq: boolean;
}

/** One queue pair's line, on either side. */
export interface PerftestAddress {
  readonly lid: number;
  readonly outReads?: number;
  readonly qpn: number;
  readonly psn: number;
  readonly rkey?: number;
  readonly vaddr?: bigint;
  readonly srqn?: number;
  readonly gid?: Uint8Array;
}

export interface LatencyFigures {
  readonly size: number;
  readonly iterations: number;
  /** One-way for sends and writes. Null with `-D`, but for the average. */
  readonly min: number | null;
  readonly max: number | null;
  readonly typical: number | null;
  /** Null where the clock has not moved. */
  readonly average: number | null;
  readonly stdev: number | null;
  readonly p99: number | null;
  readonly p999: number | null;
  /** Of `-D`: transactions per second. */
  readonly tps?: number | null;
  /** Percent. */
  readonly cpuUtil?: number;
}

export interface BandwidthFigures {
  readonly size: number;
  /** Of all queue pairs. */
  readonly iterations: number;
  /** Null where it isn't found out. */
  readonly peak: number | null;
  /** Null, as the rate, where the clock has not moved. */
  readonly average: number | null;
  readonly messageRate: number | null;
  /** Percent. */
  readonly cpuUtil?: number;
}

/** Of a size's samples, with `--stats`. */
export type ShownStatistics = Pick<
  Statistics,
  'n' | 'min' | 'median' | 'p90' | 'p99' | 'max' | 'sd' | 'medianInterval'
>;

/**
 * Pieces of the text, each of whole lines, in the order in which they are printed: waiting (a server), header, addresses
 * (local ones, then remote ones), columns, then for each size samples and its row, and end. With `--output` all are
 * empty but for the row, which is a number alone.
 */
export interface PerftestText {
  /** The server's words before a client has come. */
  waiting(): string;
  /** Rule, title, box and rule. */
  header(header: PerftestHeader): string;
  address(which: 'local' | 'remote', address: PerftestAddress): string;
  /** Rule and column heads; a side that shows no row prints `end` alone. */
  columns(): string;
  latency(figures: LatencyFigures): string;
  /** `-H`, `-U`: the samples in seconds, in order of time, and the column heads once more. Empty without either. */
  samples(seconds: ArrayLike<number>): string;
  /** `--stats`: a line below the row. Empty without it. */
  statistics(statistics: ShownStatistics): string;
  bandwidth(figures: BandwidthFigures): string;
  /** `--report-both`, after `end`. Empty without it. */
  both(local: BandwidthFigures, remote: BandwidthFigures): string;
  /** `-W`: a line for each. */
  counters(differences: readonly (readonly [name: string, difference: bigint])[]): string;
  /** Closing rule. */
  end(): string;
}

export interface PerftestTextContext {
  /** Ticks of the clock in a second, for `-C` (default: nanoseconds, 1e9). */
  readonly cyclesPerSecond?: number;
}

export type PerftestTextFor = (options: PerftestOptions, context?: PerftestTextContext) => PerftestText;
