/** What the text of ib_* shows. Times are in seconds, rates in bytes or messages per second. */
import type { PerftestOptions } from '../cli/perftest-options.js';

/** The box above the rows. */
export interface PerftestHeader {
  readonly device: string;
  readonly transport: 'IB' | 'iWARP';
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
  readonly average: number;
  readonly stdev: number | null;
  readonly p99: number | null;
  readonly p999: number | null;
  /** Of `-D`: transactions per second. */
  readonly tps?: number;
}

export interface BandwidthFigures {
  readonly size: number;
  /** Of all queue pairs. */
  readonly iterations: number;
  /** Null where it isn't found out. */
  readonly peak: number | null;
  readonly average: number;
  readonly messageRate: number;
  /** Percent. */
  readonly cpuUtil?: number;
}

export interface PerftestText {
  /** The server's words before a client has come. */
  waiting(): string;
  /** Title and box. */
  header(header: PerftestHeader): string;
  address(which: 'local' | 'remote', address: PerftestAddress): string;
  /** Rule and column heads. */
  columns(): string;
  latency(figures: LatencyFigures): string;
  /** `-H`, `-U`: the samples in seconds, in order of time. */
  samples(seconds: Float64Array): string;
  bandwidth(figures: BandwidthFigures): string;
  /** `--report-both`. */
  both(local: BandwidthFigures, remote: BandwidthFigures): string;
  /** `-W`. */
  counters(differences: readonly (readonly [name: string, difference: bigint])[]): string;
  /** Closing rule. */
  end(): string;
}

export type PerftestTextFor = (options: PerftestOptions) => PerftestText;
