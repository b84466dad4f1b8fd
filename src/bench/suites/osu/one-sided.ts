/** One-sided benchmarks. */
import { ATOMIC_TYPES, DATA_TYPES, REDUCTION_TYPES } from '../../../cli/datatypes.js';
import type { OptionName, OsuOptions, Synchronization, WindowCreation } from '../../../cli/options.js';
import { epochBothWays, epochLatency, epochStream } from '../../kernels/one-sided.js';
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

const CREATIONS: Readonly<Record<WindowCreation, string>> = {
  create: 'MPI_Win_create',
  allocate: 'MPI_Win_allocate',
  dynamic: 'MPI_Win_create_dynamic',
};

const SYNCHRONIZATIONS: Readonly<Record<Synchronization, string>> = {
  lock: 'MPI_Win_lock/unlock',
  flush: 'MPI_Win_flush',
  flush_local: 'MPI_Win_flush_local',
  lock_all: 'MPI_Win_lock_all/unlock_all',
  pscw: 'MPI_Win_post/start/complete/wait',
  fence: 'MPI_Win_fence',
};

const ALL = Object.keys(SYNCHRONIZATIONS) as readonly Synchronization[];

const OPTIONS: readonly OptionName[] = [
  ...[...COUNT_OPTIONS, ...VALIDATION_OPTIONS, ...RUN_OPTIONS],
  ...(['type', 'tail-lat', 'window-option', 'sync-option'] as const),
];

/** The peer takes them, and its one row has the size of one element. */
const SIZE_OPTIONS_WITHOUT_EFFECT = ['message-size', 'sizes'] as const;

const common = {
  family: 'one-sided',
  ranks: 2,
  barriers: 0,
  leadingBlank: false,
  notes: ({ windowCreation, synchronization }: OsuOptions) => [
    `# Window creation: ${CREATIONS[windowCreation]}`,
    `# Synchronization: ${SYNCHRONIZATIONS[synchronization]}`,
  ],
} as const;

const usual = { creation: 'allocate', synchronization: 'flush', synchronizations: ALL } as const;

const latency = {
  ...common,
  figure: 'latency',
  tail: 'high',
  columns: [{ figure: 'latency', header: 'Latency (us)', scale: MICROSECONDS.scale }],
  statistics: LATENCY_STATISTICS,
  accepts: [...SIZE_OPTIONS, ...OPTIONS],
  defaults: { sizes: { min: 1, max: 4 * MIB }, counts: COUNTS.latency, datatypes: DATA_TYPES, oneSided: usual },
} as const;

const combining = { ...latency, defaults: { ...latency.defaults, datatypes: REDUCTION_TYPES } } as const;

const bandwidth = {
  ...common,
  figure: 'bandwidth',
  tail: 'low',
  columns: [{ figure: 'bandwidth', header: 'Bandwidth (MB/s)', scale: MEGABYTES.scale }],
  statistics: BANDWIDTH_STATISTICS,
  accepts: [...SIZE_OPTIONS, ...OPTIONS, 'window-size'],
  defaults: { ...latency.defaults, counts: COUNTS.bandwidth, window: 64 },
} as const;

const atomic = { ...latency, sizes: 'element', idle: SIZE_OPTIONS_WITHOUT_EFFECT } as const;

export const oneSidedRows: readonly OsuRow[] = [
  {
    name: 'osu_put_latency',
    title: 'OSU MPI_Put Latency Test',
    measures: 'time of a put in an epoch',
    kernel: epochLatency('put'),
    ...latency,
  },
  {
    name: 'osu_get_latency',
    title: 'OSU MPI_Get latency Test',
    measures: 'time of a get in an epoch',
    kernel: epochLatency('get'),
    ...latency,
  },
  {
    name: 'osu_put_bw',
    title: 'OSU MPI_Put Bandwidth Test',
    measures: 'bandwidth of windows of puts',
    kernel: epochStream('put'),
    ...bandwidth,
  },
  {
    name: 'osu_get_bw',
    title: 'OSU MPI_Get Bandwidth Test',
    measures: 'bandwidth of windows of gets',
    kernel: epochStream('get'),
    ...bandwidth,
  },
  {
    name: 'osu_put_bibw',
    title: 'OSU MPI_Put Bi-directional Bandwidth Test',
    measures: 'bandwidth of windows of puts both ways',
    kernel: epochBothWays,
    ...bandwidth,
    defaults: {
      ...bandwidth.defaults,
      oneSided: { creation: 'allocate', synchronization: 'pscw', synchronizations: ['pscw', 'fence'] },
    },
  },
  {
    name: 'osu_acc_latency',
    title: 'OSU MPI_Accumulate latency Test',
    measures: 'time of an accumulate (sum) in an epoch',
    kernel: epochLatency('accumulate'),
    ...combining,
  },
  {
    name: 'osu_get_acc_latency',
    title: 'OSU MPI_Get_accumulate latency Test',
    measures: 'time of a get and accumulate (sum) in an epoch',
    kernel: epochLatency('get_accumulate'),
    ...combining,
    defaults: {
      ...combining.defaults,
      oneSided: { creation: 'create', synchronization: 'lock', synchronizations: ALL },
    },
  },
  {
    name: 'osu_cas_latency',
    title: 'OSU MPI_Compare_and_swap latency Test',
    measures: 'time of a compare and swap of one element in an epoch',
    kernel: epochLatency('compare_and_swap'),
    ...atomic,
    defaults: { ...latency.defaults, datatypes: ATOMIC_TYPES },
  },
  {
    name: 'osu_fop_latency',
    title: 'OSU MPI_Fetch_and_op latency Test',
    measures: 'time of a fetch and add of one element in an epoch',
    kernel: epochLatency('fetch_and_op'),
    ...atomic,
    defaults: { ...latency.defaults, datatypes: REDUCTION_TYPES },
  },
];
