/** The batch scripts that there are: what each measures, on how many nodes, and the bash that does it. */

export interface Kind {
  /** Ends the sentence that the script begins with. */
  readonly title: string;
  readonly nodes: number;
  readonly ranksPerNode: number;
  /** As Slurm takes it. */
  readonly time: string;
  readonly benchmarks: readonly string[];
  /** Further settings: variable, default and what it is. */
  readonly settings: readonly Setting[];
  /** What follows the settings; `benchmarks` is the words that it measures by default. */
  readonly body: (benchmarks: string) => readonly string[];
}

export interface Setting {
  readonly name: string;
  readonly value: string;
  readonly comment: string;
}

/** As many ranks on each node as the job asks for. */
const EACH = '"${SLURM_NTASKS_PER_NODE:-1}"';
const setting = (name: string, value: string, comment: string): Setting => ({ name, value, comment });

/** One benchmark after the other; those after the script's name in place of these. */
const inTurn = (benchmarks: string): readonly string[] => [
  `(($# > 0)) || set -- ${benchmarks}`,
  'for program in "$@"; do',
  `  measure "$program" ${EACH} "$program"`,
  'done',
];

const ONE_RANK = { nodes: 2, ranksPerNode: 1, time: '00:30:00' } as const;

export const kinds = {
  pt2pt: {
    ...ONE_RANK,
    title: 'Latency and bandwidth between two nodes',
    benchmarks: ['osu_latency', 'osu_bw', 'osu_bibw', 'osu_put_latency', 'osu_put_bw', 'osu_get_latency', 'osu_get_bw'],
    settings: [],
    body: inTurn,
  },
  collectives: {
    ...{ title: 'Collectives over all ranks of a job', nodes: 2, ranksPerNode: 2, time: '01:00:00' },
    benchmarks: [
      ...['osu_barrier', 'osu_bcast', 'osu_reduce', 'osu_allreduce', 'osu_allgather', 'osu_alltoall'],
      ...['osu_gather', 'osu_scatter', 'osu_reduce_scatter', 'osu_iallreduce', 'osu_ialltoall'],
    ],
    settings: [],
    body: inTurn,
  },
  scan: {
    ...{ title: 'Message rate over the number of pairs', nodes: 2, ranksPerNode: 2, time: '01:00:00' },
    benchmarks: ['scan'],
    settings: [
      setting('FABRICBENCH_PAIRS', '', '1,2,4,...: pairs to try; empty = doubled up to half of the ranks'),
      setting('FABRICBENCH_WINDOWS', '64', 'messages under way of each pair: 16,64'),
    ],
    body: () => [
      'options=()',
      '[[ -z $FABRICBENCH_PAIRS ]] || options+=(--pairs "$FABRICBENCH_PAIRS")',
      '[[ -z $FABRICBENCH_SIZES ]] || options+=(--sizes "$FABRICBENCH_SIZES")',
      '[[ -z $FABRICBENCH_ITERATIONS ]] || options+=(--iterations "$FABRICBENCH_ITERATIONS")',
      '# One scan for each window, so that a job which was requeued need not begin again.',
      'for window in ${FABRICBENCH_WINDOWS//,/ }; do',
      `  measure "scan.window-$window" ${EACH} fabricbench scan --windows "$window" "\${options[@]}" "$@"`,
      'done',
    ],
  },
  'near-far': {
    ...ONE_RANK,
    title: 'The same from cores near a network device and from cores far from it',
    benchmarks: ['osu_latency', 'osu_bw', 'osu_bibw'],
    settings: [
      setting('FABRICBENCH_DEVICE', '', 'mlx5_0, eth0: the device; empty = the first of each node that has a place'),
    ],
    body: (benchmarks) => [
      '# The benchmarks bind themselves, which must be free to choose among all cores.',
      'FABRICBENCH_CPU_BIND=none',
      `(($# > 0)) || set -- ${benchmarks}`,
      'device=$(device_to_be_near) || stop_with "no network device with a place was found: set FABRICBENCH_DEVICE" 77',
      'for program in "$@"; do',
      '  for place in near far; do',
      `    measure "$place.$program" ${EACH} "$program" --bind "$place:$device"`,
      '  done',
      '  hold_against "near.$program" "far.$program"',
      'done',
    ],
  },
  acceptance: {
    ...{
      title: 'A list of nodes, tested by a job array: each with its neighbours in the list',
      nodes: 1,
      ranksPerNode: 1,
    },
    ...{ time: '00:10:00', benchmarks: ['osu_latency', 'osu_bw'] },
    settings: [
      setting('FABRICBENCH_NODES', '', 'node[1-64]: the list; empty = all nodes of the partition'),
      setting('FABRICBENCH_NODES_PER_TEST', '2', '1 = each node alone'),
      setting('FABRICBENCH_EXPECT', '', 'file of reference values, as `fabricbench compare --expect` takes it'),
    ],
    body: (benchmarks) => [
      '. "$FABRICBENCH_HOME/scripts/slurm/acceptance.sh"',
      `(($# > 0)) || set -- ${benchmarks}`,
      'if [[ -n ${FABRICBENCH_VERDICT:-} ]]; then',
      '  tell_verdict',
      'elif [[ -n ${SLURM_ARRAY_TASK_ID:-} ]]; then',
      '  test_nodes "$@"',
      'else',
      '  conduct "$@"',
      '  exit',
      'fi',
    ],
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type KindName = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as readonly KindName[];

/** Benchmarks by their own names, in the manner of pt2pt or of collectives. */
export const ownKind = (between: 'pt2pt' | 'collectives', benchmarks: readonly string[]): Kind => ({
  ...kinds[between],
  title: benchmarks.join(', '),
  benchmarks,
});
