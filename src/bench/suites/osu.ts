/** The osu_* programs: one row each. A new benchmark of a known pattern is one more row. */
import type { OptionName, OsuOptions, OsuSpec } from '../../cli/options.js';
import type { OsuColumn, OsuTable } from '../../report/types.js';
import { bidirectional } from '../kernels/bidirectional.js';
import type { Kernel } from '../kernels/kernel.js';
import { pingPong } from '../kernels/ping-pong.js';
import { windowStream } from '../kernels/window-stream.js';
import { COUNTS } from '../measure/counts.js';
import type { Tail } from '../measure/types.js';

/** Groups of `fabricbench list`. */
export type Family =
  'point-to-point' | 'start-up' | 'collective' | 'non-blocking' | 'neighbourhood' | 'persistent' | 'one-sided';

/** What one osu_* program measures, takes and prints. */
export interface OsuRow extends OsuSpec {
  readonly family: Family;
  /** What its figure is, in one phrase. */
  readonly measures: string;
  /** What it can't run without, beside its ranks, e.g. `MPI-4`. */
  readonly needs?: readonly string[];
  readonly kernel: Kernel;
  /** Exactly two ranks, or any even number that form pairs r and r + pairs. */
  readonly ranks: 2 | 'pairs';
  /** Barriers of all ranks before each timed part, untimed. */
  readonly barriers: number;
  /** The figure that statistics and percentiles are of, and which end of it is the bad one. */
  readonly figure: string;
  readonly tail: Tail;
  readonly columns: readonly OsuColumn[];
  readonly leadingBlank: boolean;
  readonly statistics: OsuTable['statistics'];
  /** Lines after the title. */
  readonly notes?: (options: OsuOptions, pairs: number) => readonly string[];
}

const MIB = 1024 * 1024;
const RUN_OPTIONS: readonly OptionName[] = [
  ...(['engine', 'stats', 'json', 'samples', 'time-limit', 'watchdog', 'bind', 'report-binding'] as const),
  ...(['graph', 'papi', 'session'] as const),
];
const MESSAGE_OPTIONS: readonly OptionName[] = [
  ...(['message-size', 'sizes', 'iterations', 'warmup', 'buffer-num', 'type', 'ddt'] as const),
  ...(['validation', 'validation-warmup', 'tail-lat'] as const),
  ...RUN_OPTIONS,
];

const MICROSECONDS = { unit: 'us', scale: 1e6 };
const MEGABYTES = { unit: 'MB/s', scale: 1e-6 };

const latency = {
  family: 'point-to-point',
  ranks: 2,
  barriers: 0,
  figure: 'latency',
  tail: 'high',
  leadingBlank: true,
  columns: [{ figure: 'latency', header: 'Avg Latency(us)', scale: MICROSECONDS.scale }],
  statistics: { tailName: 'Lat(us)', precision: 3, ...MICROSECONDS },
  accepts: MESSAGE_OPTIONS,
  defaults: { sizes: { min: 1, max: 4 * MIB }, counts: COUNTS.latency },
} as const;

const bandwidth = {
  family: 'point-to-point',
  ranks: 2,
  barriers: 0,
  figure: 'bandwidth',
  tail: 'low',
  leadingBlank: true,
  columns: [{ figure: 'bandwidth', header: 'Bandwidth (MB/s)', scale: MEGABYTES.scale }],
  statistics: { tailName: 'BW(MB/s)', precision: 2, ...MEGABYTES },
  accepts: [...MESSAGE_OPTIONS, 'window-size'],
  defaults: { sizes: { min: 1, max: 4 * MIB }, counts: COUNTS.bandwidth, window: 64 },
} as const;

export const osuRows: readonly OsuRow[] = [
  {
    name: 'osu_latency',
    title: 'OSU MPI Latency Test',
    measures: 'half the round trip of a message',
    kernel: pingPong,
    ...latency,
  },
  {
    name: 'osu_bw',
    title: 'OSU MPI Bandwidth Test',
    measures: 'bandwidth of windows of messages',
    kernel: windowStream,
    ...bandwidth,
    accepts: [...bandwidth.accepts, 'num-test-calls'],
    idle: ['num-test-calls'],
  },
  {
    name: 'osu_bibw',
    title: 'OSU MPI Bi-Directional Bandwidth Test',
    measures: 'bandwidth of both directions at once',
    kernel: bidirectional,
    ...bandwidth,
  },
  {
    name: 'osu_mbw_mr',
    title: 'OSU MPI Multiple Bandwidth / Message Rate Test',
    measures: 'bandwidth and message rate of many pairs',
    kernel: windowStream,
    ...bandwidth,
    ranks: 'pairs',
    barriers: 2,
    leadingBlank: false,
    columns: [
      {
        figure: 'bandwidth',
        header: 'MB/s',
        scale: MEGABYTES.scale,
        matrixHeading: 'Uni-directional Bandwidth (MB/sec)',
      },
      {
        figure: 'rate',
        header: 'Messages/s',
        scale: 1,
        optional: 'print-rate',
        matrixHeading: 'Message Rate Profile',
      },
    ],
    accepts: [...bandwidth.accepts, 'num-pairs', 'vary-window', 'print-rate'],
    defaults: { ...bandwidth.defaults, counts: COUNTS.multiBandwidth },
    notes: ({ varyWindow, window }, pairs) => [
      `# [ pairs: ${pairs} ] [ window size: ${varyWindow ? 'varied' : window} ]`,
    ],
  },
];
