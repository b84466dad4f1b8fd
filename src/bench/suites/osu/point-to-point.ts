/** Point-to-point benchmarks. */
import type { OptionName } from '../../../cli/options.js';
import { bidirectional } from '../../kernels/bidirectional.js';
import { fanIn, fanOut } from '../../kernels/fan.js';
import { persistentBidirectional, persistentPingPong, persistentStream } from '../../kernels/persistent.js';
import { pingPong } from '../../kernels/ping-pong.js';
import { threadsPingPong } from '../../kernels/threads.js';
import { windowStream } from '../../kernels/window-stream.js';
import { COUNTS } from '../../measure/counts.js';
import {
  BANDWIDTH_STATISTICS,
  COUNT_OPTIONS,
  LATENCY_STATISTICS,
  MEGABYTES,
  MIB,
  MICROSECONDS,
  RUN_OPTIONS,
  SIZE_OPTIONS,
  VALIDATION_OPTIONS,
  type OsuRow,
} from './row.js';

const MESSAGE_OPTIONS: readonly OptionName[] = [
  ...[...SIZE_OPTIONS, ...COUNT_OPTIONS, ...VALIDATION_OPTIONS, ...RUN_OPTIONS],
  ...(['buffer-num', 'type', 'ddt', 'tail-lat'] as const),
];

/** Threads are native, where there is no JavaScript; counters see the thread alone that opened them. */
const NOT_ON_THREADS: readonly OptionName[] = ['engine', 'papi', 'buffer-num'];

const latency = {
  family: 'point-to-point',
  ranks: 2,
  barriers: 0,
  figure: 'latency',
  tail: 'high',
  leadingBlank: true,
  columns: [{ figure: 'latency', header: 'Avg Latency(us)', scale: MICROSECONDS.scale }],
  statistics: LATENCY_STATISTICS,
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
  statistics: BANDWIDTH_STATISTICS,
  accepts: [...MESSAGE_OPTIONS, 'window-size'],
  defaults: { sizes: { min: 1, max: 4 * MIB }, counts: COUNTS.bandwidth, window: 64 },
} as const;

const betweenNodes = {
  ...bandwidth,
  ranks: 'nodes',
  needs: ['2 nodes, or --nodes-by'],
  accepts: [...bandwidth.accepts, 'nodes-by'],
} as const;

/** Kernels of sends and receives, which every layer has. */
const ON_LAYERS = 'layer';

export const pointToPoint: readonly OsuRow[] = [
  {
    name: 'osu_latency',
    title: 'OSU MPI Latency Test',
    measures: 'half the round trip of a message',
    kernel: pingPong,
    ...latency,
    accepts: [...latency.accepts, ON_LAYERS],
  },
  {
    name: 'osu_multi_lat',
    title: 'OSU MPI Multi Latency Test',
    measures: 'half the round trip of a message, many pairs at once',
    kernel: pingPong,
    ...latency,
    ranks: 'pairs',
    barriers: 1,
    accepts: [...latency.accepts, ON_LAYERS],
  },
  {
    name: 'osu_latency_persistent',
    title: 'OSU MPI Latency Persistent Test',
    measures: 'half the round trip of a message, by persistent requests',
    kernel: persistentPingPong,
    ...latency,
  },
  {
    name: 'osu_latency_mt',
    title: 'OSU MPI Multi-threaded Latency Test',
    measures: 'half the round trip between threads',
    needs: ['MPI_THREAD_MULTIPLE'],
    threads: true,
    kernel: threadsPingPong,
    ...latency,
    accepts: [...MESSAGE_OPTIONS.filter((option) => !NOT_ON_THREADS.includes(option)), 'num-threads'],
    defaults: { ...latency.defaults, workers: { send: 1, receive: 2 } },
    preamble: ({ workers }) => [
      `# Number of Sender threads: ${workers.send} `,
      `# Number of Receiver threads: ${workers.receive}`,
    ],
  },
  {
    name: 'osu_latency_mp',
    title: 'OSU MPI Multi-process Latency Test',
    measures: 'half the round trip beside processes started after MPI',
    children: true,
    kernel: pingPong,
    ...latency,
    barriers: 1,
    accepts: [...MESSAGE_OPTIONS, 'num-threads'],
    defaults: { ...latency.defaults, workers: { send: 2, receive: 2 } },
    preamble: ({ workers }) => [
      `# Number of forked processes in sender: ${workers.send}`,
      `# Number of forked processes in receiver: ${workers.receive}`,
    ],
  },
  {
    name: 'osu_bw',
    title: 'OSU MPI Bandwidth Test',
    measures: 'bandwidth of windows of messages',
    kernel: windowStream,
    ...bandwidth,
    accepts: [...bandwidth.accepts, 'num-test-calls', ON_LAYERS],
    idle: ['num-test-calls'],
  },
  {
    name: 'osu_bibw',
    title: 'OSU MPI Bi-Directional Bandwidth Test',
    measures: 'bandwidth of both directions at once',
    kernel: bidirectional,
    ...bandwidth,
    accepts: [...bandwidth.accepts, ON_LAYERS],
  },
  {
    name: 'osu_bw_persistent',
    title: 'OSU MPI Bandwidth Persistent Test',
    measures: 'bandwidth of windows of persistent sends',
    kernel: persistentStream,
    ...bandwidth,
  },
  {
    name: 'osu_bibw_persistent',
    title: 'OSU MPI Bi-Directional Bandwidth Persistent Test',
    measures: 'bandwidth of both directions at once, by persistent requests',
    kernel: persistentBidirectional,
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
    accepts: [...bandwidth.accepts, 'num-pairs', 'vary-window', 'print-rate', ON_LAYERS],
    defaults: { ...bandwidth.defaults, counts: COUNTS.multiBandwidth },
    notes: ({ varyWindow, window }, pairs) => [
      `# [ pairs: ${pairs} ] [ window size: ${varyWindow ? 'varied' : window} ]`,
    ],
  },
  {
    name: 'osu_bw_fan_in',
    title: 'OSU MPI Fan-In Bandwidth Test',
    measures: 'bandwidth from all other nodes to the first',
    kernel: fanIn,
    ...betweenNodes,
  },
  {
    name: 'osu_bw_fan_out',
    title: 'OSU MPI Fan-Out Bandwidth Test',
    measures: 'bandwidth from the first node to all others',
    kernel: fanOut,
    ...betweenNodes,
  },
];
