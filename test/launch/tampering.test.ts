/** In every family wrong data is noticed, by the rank that has it: one byte, and what the iteration before left. */
import { assert } from 'chai';
import { readdirSync } from 'node:fs';
import type { Part, Ran } from './cases/parts.js';
import type { Tampering } from './cases/tampering.js';
import { testFolder } from './folder.js';
import { part, runMany, type ManyOptions } from './many.js';
import { describeUnder } from './mpirun.js';

const SIZES = [4, 8, 64];
/** The size whose data is spoiled; those that have one size only have this one. */
const SPOILED = 8;

interface Victim {
  readonly line: string;
  /** Ranks that receive. */
  readonly ranks: readonly number[];
  /** Bytes that arrive at one of them in a row of `SPOILED` bytes (default so many). */
  readonly bytes?: number;
}

const all = (count: number): number[] => Array.from({ length: count }, (_, rank) => rank);

const onTwo: readonly Victim[] = [
  { line: 'osu_latency_persistent', ranks: [0, 1] },
  { line: 'osu_bw_persistent', ranks: [1] },
  { line: 'osu_bibw_persistent', ranks: [0, 1] },
  { line: 'osu_latency_mp', ranks: [0, 1] },
  { line: 'osu_allreduce', ranks: [0, 1] },
  { line: 'osu_alltoall', ranks: [0, 1], bytes: 2 * SPOILED },
  { line: 'osu_put_latency', ranks: [1] },
  { line: 'osu_put_latency -s pscw', ranks: [0, 1] },
  { line: 'osu_get_latency', ranks: [0] },
  { line: 'osu_put_bw -W 4', ranks: [1], bytes: 4 * SPOILED },
  { line: 'osu_get_bw -W 4', ranks: [0], bytes: 4 * SPOILED },
  { line: 'osu_put_bibw -W 4', ranks: [0, 1], bytes: 4 * SPOILED },
  { line: 'osu_acc_latency', ranks: [1] },
  { line: 'osu_get_acc_latency', ranks: [0, 1] },
  // Open MPI 4.1 itself crashes in this call with 8 bytes in memory of MPI_Win_allocate (open-mpi/ompi issue 7967).
  { line: 'osu_cas_latency -T int64_t -w create', ranks: [0, 1] },
  { line: 'osu_fop_latency -T int64_t', ranks: [0, 1] },
];

const onThree: readonly Victim[] = [
  { line: 'osu_allgather', ranks: all(3), bytes: 3 * SPOILED },
  { line: 'osu_allreduce', ranks: all(3) },
  { line: 'osu_bcast', ranks: [1, 2] },
  { line: 'osu_gatherv', ranks: [0], bytes: 3 * SPOILED },
  { line: 'osu_reduce -k fixed:2', ranks: [2] },
  { line: 'osu_scatter', ranks: all(3) },
  { line: 'osu_ibcast', ranks: [1, 2] },
  { line: 'osu_iallreduce', ranks: all(3) },
  { line: 'osu_ialltoallw', ranks: all(3), bytes: 3 * SPOILED },
  { line: 'osu_neighbor_alltoall', ranks: all(3), bytes: 2 * SPOILED },
  { line: 'osu_ineighbor_allgatherv', ranks: all(3), bytes: 2 * SPOILED },
  { line: 'osu_bw_fan_in --nodes-by 1', ranks: [0] },
  { line: 'osu_bw_fan_out --nodes-by 1', ranks: [1, 2] },
];

const persistent: readonly Victim[] = [
  { line: 'osu_allreduce_persistent', ranks: all(3) },
  { line: 'osu_alltoall_persistent', ranks: all(3), bytes: 3 * SPOILED },
  { line: 'osu_bcast_persistent', ranks: [1, 2] },
  { line: 'osu_gather_persistent', ranks: [0], bytes: 3 * SPOILED },
];

const onFour: readonly Victim[] = [{ line: 'osu_multi_lat', ranks: all(4) }];
const threads: readonly Victim[] = [{ line: 'osu_latency_mt -t 2:2', ranks: [0, 1] }];

/** Atomic operations have one row. */
const isElement = (line: string): boolean => /_(cas|fop)_/.test(line);

interface Spoiled {
  readonly title: string;
  readonly rank: number;
  readonly part: Part;
  readonly logs: string;
}

function spoiledOf({ line, ranks, bytes = SPOILED }: Victim, logs: () => string): Spoiled[] {
  const ways: Pick<Tampering, 'what' | 'place'>[] = [
    { what: 'corrupt', place: 'first' },
    { what: 'corrupt', place: 'last' },
    { what: 'stale' },
  ];
  const sizes = isElement(line) ? '' : ` --sizes ${SIZES.join(',')}`;
  return ranks.flatMap((rank) =>
    ways.map((way) => {
      const folder = logs();
      const done = way.place === undefined ? 'what the iteration before left' : `a wrong ${way.place} byte`;
      return {
        title: `${line}: ${done} on rank ${rank}`,
        rank,
        logs: folder,
        part: { ...part(`${line}${sizes} -i 6 -x 1 -c`), tampering: { ...way, rank, size: bytes } },
      };
    }),
  );
}

function assertFound(ran: Ran, rank: number, logs: string): void {
  const report = `${ran.stderr}\n${ran.stdout}`;
  assert.equal(ran.code, 1, report);
  const lines = ran.stdout.trimEnd().split('\n');
  const last = `DATA VALIDATION ERROR: ${ran.name} exited with status 1 on message size ${SPOILED}.`;
  assert.equal(lines.at(-1), last);
  const rows = lines.filter((line) => /^\d/.test(line)).map((line) => line.split(/\s+/));
  const sizes = isElement(ran.name) ? [SPOILED] : SIZES.slice(0, SIZES.indexOf(SPOILED) + 1);
  assert.deepEqual(
    rows.map((words) => [Number(words[0]), words.at(-1)]),
    sizes.map((size) => [size, size === SPOILED ? 'Fail' : 'Pass']),
  );
  assert.deepEqual(readdirSync(logs), [`log-${rank}.log`]);
}

function describeVictims(title: string, victims: readonly Victim[], options: ManyOptions): void {
  describeUnder(options.mpi ?? 'openmpi')(`spoiled data on ${options.np ?? 2} ranks, ${title}`, () => {
    const file = testFolder();
    let count = 0;
    const spoiled = victims.flatMap((victim) => spoiledOf(victim, () => `logs-${count++}`));
    let results: Ran[] = [];
    before(async () => {
      const parts = spoiled.map(({ part: { argv, ...rest }, logs }) => ({
        ...rest,
        argv: [...argv.slice(0, -1), `-clog:${file(logs)}`],
      }));
      results = await runMany(parts, options);
    });
    for (const [index, { title: what, rank, logs }] of spoiled.entries()) {
      it(what, () => {
        const ran = results[index];
        assert.isDefined(ran);
        if (ran) assertFound(ran, rank, file(logs));
      });
    }
  });
}

/** What is measured leaves no byte moved, though the untimed repeats before it did. */
describe('timed parts that move nothing', () => {
  const lines = [
    ...['osu_latency_persistent', 'osu_multi_lat', 'osu_allgather', 'osu_allreduce', 'osu_bcast'],
    ...[
      'osu_alltoallw',
      'osu_put_latency',
      'osu_get_latency',
      'osu_put_bw -W 4',
      'osu_get_bw -W 4',
      'osu_put_bibw -W 4',
    ],
    ...['osu_acc_latency', 'osu_get_acc_latency', 'osu_fop_latency', 'osu_cas_latency', 'osu_bw_fan_in --nodes-by 1'],
  ];
  let results: Ran[] = [];
  before(async () => {
    const tampering: Tampering = { what: 'nothing', rank: 0, size: 0 };
    const sizes = (line: string): string => (isElement(line) ? '' : ' --sizes 64');
    results = await runMany(lines.map((line) => ({ ...part(`${line}${sizes(line)} -i 5 -x 0 -c`), tampering })));
  });
  for (const [index, line] of lines.entries()) {
    it(line, () => {
      const { code, stdout, stderr } = results[index] ?? {};
      assert.equal(code, 1, `${stderr}\n${stdout}`);
      assert.match(stdout ?? '', /^\d.* Fail$/m);
    });
  }
});

describeVictims('two and two', onTwo, {});
describeVictims('many', onThree, { np: 3 });
describeVictims('pairs', onFour, { np: 4 });
describeVictims('threads', threads, { how: 'multiple' });
describeVictims('under MPICH', onTwo, { mpi: 'mpich' });
describeVictims('under MPICH', persistent, { mpi: 'mpich', np: 3 });
