/** Options of single patterns: collectives, neighbourhoods, threads, one-sided. */
import type { OsuOptionRow } from './option-row.js';
import { DEFAULT_MEM_LIMIT, DEFAULT_WORKERS, MOST_WORKERS, oneSidedOf } from './osu-defaults.js';
import { formatBytes } from './values.js';

const FOR_GPUS = 'for computing on GPUs: taken as the peer takes it, and without effect';

export const PATTERN_ROWS: readonly OsuOptionRow[] = [
  {
    name: 'full',
    short: 'f',
    argument: 'none',
    help: ({ accepts }) =>
      accepts.includes('num-test-calls')
        ? 'print the times of the parts too, and the minimum and maximum over the ranks'
        : 'print the minimum and maximum over the ranks too, and the iterations',
  },
  {
    name: 'mem-limit',
    short: 'M',
    argument: 'required',
    shown: ' BYTES',
    help: () =>
      `leave out sizes at which the messages of all ranks together take more bytes; K, M and G are binary, at least 1M (default ${formatBytes(DEFAULT_MEM_LIMIT)})`,
  },
  {
    name: 'root-rank',
    short: 'k',
    argument: 'required',
    shown: ' fixed:R|rotate',
    help: () => 'the root: rank R, or the next rank in each iteration (default fixed:0)',
  },
  { name: 'in-place', short: 'l', argument: 'none', help: () => 'use MPI_IN_PLACE where it may stand' },
  {
    name: 'nhbr',
    short: 'N',
    argument: 'required',
    shown: ' cart:DIMS:RADIUS|graph:FILE',
    help: () =>
      'who neighbours are: in a periodic grid of DIMS dimensions those up to RADIUS steps away, or by the edges in FILE, ranks on lines "src,dst" (default cart:1:1)',
  },
  {
    name: 'num-test-calls',
    short: 't',
    argument: 'required',
    shown: ' CALLS',
    help: () => 'calls of MPI_Test during the computation (default 0)',
  },
  {
    name: 'num-threads',
    // The peer's help names it num_threads, its parser num-test-calls.
    long: ['num-threads', 'num_threads', 'num-test-calls'],
    short: 't',
    argument: 'required',
    shown: ' [SEND:]RECV',
    help: ({ defaults: { workers = DEFAULT_WORKERS } }) =>
      `threads (in osu_latency_mp processes) of the sender and of the receiver, each 1 to ${MOST_WORKERS} (default ${workers.send}:${workers.receive})`,
  },
  {
    name: 'window-option',
    long: ['win-options'],
    short: 'w',
    argument: 'required',
    shown: ' HOW',
    help: (spec) => `how windows are made: create, allocate or dynamic (default ${oneSidedOf(spec).creation})`,
  },
  {
    name: 'sync-option',
    short: 's',
    argument: 'required',
    shown: ' HOW',
    help: (spec) => {
      const { synchronization, synchronizations } = oneSidedOf(spec);
      return `how ranks synchronize: ${synchronizations.join(', ')} (default ${synchronization})`;
    },
  },
  { name: 'array-size', short: 'a', argument: 'required', shown: ' SIZE', help: () => FOR_GPUS },
  { name: 'cuda-target', short: 'r', argument: 'required', shown: ' cpu|gpu|both', help: () => FOR_GPUS },
  {
    name: 'sync',
    argument: 'required',
    shown: ' barrier|dissemination|none',
    help: () =>
      'how ranks meet between iterations: by MPI_Barrier, by messages of our own, or not at all (default barrier)',
  },
  {
    name: 'per-repetition',
    argument: 'none',
    help: () => 'take the slowest rank of each iteration, where the average over the iterations hides it',
  },
  {
    name: 'off-cache',
    argument: 'none',
    help: () => 'use other buffers in each iteration, twice what the last-level cache holds',
  },
  {
    name: 'comm-size',
    argument: 'required',
    shown: ' N,N,...',
    help: () => 'measure on the first N ranks, for each N in turn (default all ranks)',
  },
  {
    name: 'nodes-by',
    argument: 'required',
    shown: ' N',
    help: () => 'take each N ranks as a node (default those of a host)',
  },
];
