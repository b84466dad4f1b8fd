/** Start-up benchmarks: they have no sizes and no iterations. */
import { BINDING_OPTIONS } from '../../../cli/binding-options.js';
import { COUNTS } from '../../measure/counts.js';
import { LATENCY_STATISTICS, type OsuRow } from './row.js';

const startUp = {
  family: 'start-up',
  ranks: 'any',
  sizes: 'none',
  barriers: 0,
  figure: 'init',
  tail: 'high',
  columns: [],
  leadingBlank: false,
  statistics: LATENCY_STATISTICS,
  accepts: ['json', 'csv', 'markdown', 'watchdog', 'noise', ...BINDING_OPTIONS, 'session'],
  defaults: { sizes: { min: 1, max: 1 }, counts: COUNTS.collective },
} as const;

export const startUpRows: readonly OsuRow[] = [
  {
    name: 'osu_init',
    title: 'OSU MPI Init Test',
    measures: 'time of MPI_Init, or of a session, on each rank',
    ...startUp,
    startUp: 'init',
  },
  {
    name: 'osu_hello',
    title: 'OSU MPI Hello World Test',
    measures: 'nothing: starts and ends MPI, to be timed from outside',
    ...startUp,
    startUp: 'hello',
  },
];
