/** Collectives of all families: one table of what they are, and a row for each form. */
import { DATA_TYPES, REDUCTION_TYPES } from '../../../cli/datatypes.js';
import type { OptionName } from '../../../cli/options.js';
import { isReduction, type CollectiveName, type NeighbourName } from '../../../transport/collective-shapes.js';
import { blocking, overlapping, persistent, type Meets } from '../../families/collectives.js';
import { COUNTS } from '../../measure/counts.js';
import {
  COUNT_OPTIONS,
  LATENCY_STATISTICS,
  MIB,
  MICROSECONDS,
  RUN_OPTIONS,
  SIZE_OPTIONS,
  VALIDATION_OPTIONS,
  type OsuRow,
} from './row.js';

interface CollectiveFacts {
  readonly name: CollectiveName;
  /** As the peer's titles call it: blocking, and non-blocking with its prefix where that differs. */
  readonly title: string;
  readonly nonblockingTitle?: string;
  /** What a rank does, for `fabricbench list`. */
  readonly does: string;
  readonly meets?: Meets;
  /** `-k`: a root that can be chosen. */
  readonly root?: true;
  /** `-l`. */
  readonly inPlace?: true;
  /** Without MPI's own persistent form in the peer's suite. */
  readonly persistent?: false;
}

const COLLECTIVES: readonly CollectiveFacts[] = [
  { name: 'allgather', title: 'Allgather', does: 'every rank gets the data of all', inPlace: true },
  { name: 'allgatherv', title: 'Allgatherv', does: 'every rank gets the data of all, with counts', inPlace: true },
  { name: 'allreduce', title: 'Allreduce', does: 'every rank gets the sum over all', inPlace: true },
  {
    name: 'alltoall',
    title: 'All-to-All Personalized Exchange',
    nonblockingTitle: 'Non-blocking All-to-All',
    does: 'every rank sends to every rank',
    inPlace: true,
  },
  {
    name: 'alltoallv',
    title: 'All-to-Allv Personalized Exchange',
    nonblockingTitle: 'Non-blocking All-to-Allv',
    does: 'every rank sends to every rank, with counts',
    inPlace: true,
  },
  {
    name: 'alltoallw',
    title: 'All-to-Allw Personalized Exchange',
    nonblockingTitle: 'Non-blocking All-to-Allw',
    does: 'every rank sends to every rank, with counts and types',
    inPlace: true,
  },
  { name: 'barrier', title: 'Barrier', does: 'no rank leaves before all have come', meets: 'never' },
  {
    name: 'bcast',
    title: 'Broadcast',
    nonblockingTitle: 'Non-Blocking Broadcast',
    does: 'rank 0 sends to all',
  },
  { name: 'gather', title: 'Gather', does: 'the root gets the data of all', root: true, inPlace: true },
  { name: 'gatherv', title: 'Gatherv', does: 'the root gets the data of all, with counts', root: true, inPlace: true },
  {
    name: 'reduce',
    title: 'Reduce',
    does: 'the root gets the sum over all',
    meets: 'before',
    root: true,
    inPlace: true,
  },
  { name: 'reduce_scatter', title: 'Reduce_scatter', does: 'each rank gets its part of the sum', inPlace: true },
  {
    name: 'reduce_scatter_block',
    title: 'Reduce_scatter_block',
    does: 'each rank gets an equal part of the sum',
    inPlace: true,
    persistent: false,
  },
  { name: 'scatter', title: 'Scatter', does: 'the root sends to each rank its own', root: true, inPlace: true },
  {
    name: 'scatterv',
    title: 'Scatterv',
    does: 'the root sends to each rank its own, with counts',
    root: true,
    inPlace: true,
  },
];

const NEIGHBOURHOOD: readonly (CollectiveFacts & { readonly name: NeighbourName })[] = [
  { name: 'neighbor_allgather', title: 'Neighborhood Allgather', does: 'each rank gets the data of its neighbours' },
  {
    name: 'neighbor_allgatherv',
    title: 'Neighborhood Allgatherv',
    does: 'each rank gets the data of its neighbours, with counts',
  },
  { name: 'neighbor_alltoall', title: 'Neighborhood Alltoall', does: 'each rank sends to each of its neighbours' },
  {
    name: 'neighbor_alltoallv',
    title: 'Neighborhood Alltoallv',
    does: 'each rank sends to each of its neighbours, with counts',
  },
  {
    name: 'neighbor_alltoallw',
    title: 'Neighborhood Alltoallw',
    does: 'each rank sends to each of its neighbours, with counts and types',
  },
];

const COMMON_OPTIONS: readonly OptionName[] = [
  ...[...SIZE_OPTIONS, ...COUNT_OPTIONS, ...RUN_OPTIONS],
  ...(['full', 'mem-limit', 'tail-lat', 'array-size', 'cuda-target'] as const),
  ...(['sync', 'per-repetition', 'off-cache', 'comm-size'] as const),
];

type Form = 'blocking' | 'nonblocking' | 'persistent';

function accepts({ name, root, inPlace }: CollectiveFacts, form: Form): readonly OptionName[] {
  if (name === 'barrier') return [...COMMON_OPTIONS, ...(form === 'nonblocking' ? (['num-test-calls'] as const) : [])];
  const neighbourly = name.startsWith('neighbor');
  return [
    ...(neighbourly ? COMMON_OPTIONS.filter((option) => option !== 'comm-size') : COMMON_OPTIONS),
    ...VALIDATION_OPTIONS,
    'type',
    ...(isReduction(name) ? [] : (['ddt'] as const)),
    ...(root && form !== 'persistent' ? (['root-rank'] as const) : []),
    ...(inPlace ? (['in-place'] as const) : []),
    ...(neighbourly ? (['nhbr'] as const) : []),
    ...(form === 'nonblocking' ? (['num-test-calls'] as const) : []),
  ];
}

const microseconds = (figure: string, header: string, optional?: 'full' | 'per-repetition') => ({
  ...{ figure, header, scale: MICROSECONDS.scale },
  ...(optional ? { optional } : {}),
});

const SLOWEST = microseconds('slowest', 'Slowest Lat(us)', 'per-repetition');

const LATENCY_COLUMNS = [
  microseconds('latency', 'Avg Latency(us)'),
  microseconds('minLatency', 'Min Latency(us)', 'full'),
  microseconds('maxLatency', 'Max Latency(us)', 'full'),
  SLOWEST,
];

const OVERLAP_COLUMNS = [
  microseconds('overall', 'Overall(us)'),
  microseconds('compute', 'Compute(us)'),
  microseconds('init', 'Coll. Init(us)', 'full'),
  microseconds('test', 'MPI_Test(us)', 'full'),
  microseconds('wait', 'MPI_Wait(us)', 'full'),
  microseconds('pure', 'Pure Comm.(us)'),
  microseconds('minPure', 'Min Comm.(us)', 'full'),
  microseconds('maxPure', 'Max Comm.(us)', 'full'),
  { figure: 'overlap', header: 'Overlap(%)', scale: 1 },
  SLOWEST,
];

/** What a form adds to what all have in common. */
type FormMembers = 'name' | 'title' | 'measures' | 'family' | 'kernel' | 'figure' | 'columns';

const SIZELESS = { idle: ['message-size', 'sizes', 'mem-limit'], sizes: 'none', datatypeLine: false } as const;

function common(facts: CollectiveFacts, form: Form): Omit<OsuRow, FormMembers> {
  const { name } = facts;
  return {
    accepts: accepts(facts, form),
    ...(name === 'barrier' ? SIZELESS : {}),
    ...(name === 'reduce_scatter_block' ? { leastElements: 'ranks' } : {}),
    ranks: 'many',
    samples: 'mean',
    barriers: 0,
    tail: 'high',
    leadingBlank: true,
    statistics: LATENCY_STATISTICS,
    defaults: {
      sizes: { min: 1, max: MIB },
      counts: COUNTS.collective,
      datatypes: isReduction(name) ? REDUCTION_TYPES : DATA_TYPES,
    },
  };
}

function blockingRow(facts: CollectiveFacts): OsuRow {
  const { name, title, does } = facts;
  return {
    ...common(facts, 'blocking'),
    ...{ name: `osu_${name}`, title: `OSU MPI ${title} Latency Test`, measures: does },
    family: name.startsWith('neighbor') ? 'neighbourhood' : 'collective',
    kernel: blocking(facts),
    ...{ figure: 'latency', columns: LATENCY_COLUMNS, fullIterations: true },
  };
}

function overlapRow(facts: CollectiveFacts): OsuRow {
  const { name, title, nonblockingTitle = `Non-blocking ${title}`, does } = facts;
  const row = common(facts, 'nonblocking');
  return {
    ...row,
    ...{ name: `osu_i${name}`, title: `OSU MPI ${nonblockingTitle} Latency Test` },
    measures: `${does}: overlap with computing`,
    family: name.startsWith('neighbor') ? 'neighbourhood' : 'non-blocking',
    kernel: overlapping(facts),
    ...{ figure: 'overall', columns: OVERLAP_COLUMNS },
    ...(name === 'barrier' ? { defaults: { ...row.defaults, counts: COUNTS.nonblockingBarrier } } : {}),
    notes: () => ['# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait', ''],
  };
}

function persistentRow(facts: CollectiveFacts): OsuRow {
  const { name, title, does } = facts;
  return {
    ...common(facts, 'persistent'),
    ...{ name: `osu_${name}_persistent`, title: `OSU MPI ${title} Persistent Latency Test` },
    ...{ measures: `${does}, by a persistent request`, family: 'persistent', needs: ['MPI-4'] },
    kernel: persistent(facts),
    ...{ figure: 'latency', columns: LATENCY_COLUMNS, fullIterations: true },
  };
}

export const collectives: readonly OsuRow[] = [
  ...COLLECTIVES.map(blockingRow),
  ...COLLECTIVES.map(overlapRow),
  ...NEIGHBOURHOOD.map(blockingRow),
  ...NEIGHBOURHOOD.map(overlapRow),
  ...COLLECTIVES.filter((facts) => facts.persistent !== false).map(persistentRow),
];
