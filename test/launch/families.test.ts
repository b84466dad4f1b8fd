/** Options of the osu_* programs under both MPIs, in every family that takes them; many programs share a launch. */
import { assert } from 'chai';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { osuRows, type MeasuringRow } from '../../src/bench/suites/osu.js';
import type { OptionName } from '../../src/cli/options.js';
import { projectRoot } from '../unit/project.js';
import type { Ran } from './cases/parts.js';
import { testFolder } from './folder.js';
import { assertWell, part, runMany, type ManyOptions } from './many.js';
import { describeUnder, launch } from './mpirun.js';
import { assertFailed, column, headerOf, ownLines, program, readRecord, rowsOf } from './output.js';

interface Case {
  readonly line: string;
  readonly check: (ran: Ran) => void;
}

const FEW = '-i 5 -x 1';

/** What each line is to print, all of them in one launch. */
function describeLines(title: string, cases: readonly Case[], options: ManyOptions = {}): void {
  describeUnder(options.mpi ?? 'openmpi')(`${title}, on ${options.np ?? 2} under ${options.mpi ?? 'openmpi'}`, () => {
    let results: Ran[] = [];
    before(async () => {
      results = await runMany(
        cases.map(({ line }) => part(line)),
        options,
      );
    });
    for (const [index, { line, check }] of cases.entries()) {
      it(line, () => {
        const ran = results[index];
        assert.isDefined(ran);
        if (!ran) return;
        assertWell(ran);
        check(ran);
      });
    }
  });
}

const lastWords = ({ stdout }: Ran): string[] => rowsOf(stdout).map((words) => words.at(-1) ?? '');
const headersOf = ({ stdout }: Ran): string[] => headerOf(stdout).filter((line) => line.startsWith('# Size'));

/** All rows were checked, and are right. */
function passes(ran: Ran): void {
  assert.isAtLeast(rowsOf(ran.stdout).length, 1, ran.stdout);
  assert.deepEqual([...new Set(lastWords(ran))], ['Pass'], ran.stdout);
}

const all =
  <T>(...checks: ((ran: T) => void)[]) =>
  (ran: T): void => {
    for (const check of checks) check(ran);
  };

const hasLine =
  (line: string) =>
  ({ stdout }: Ran): void => {
    assert.include(stdout.split('\n'), line);
  };

/** Every column of figures has a figure above 0 in every row. */
function isFull(ran: Ran): void {
  const [header = ''] = headersOf(ran);
  const columns = 1 + (header.match(/\)|Iterations|Transmit Size/g) ?? []).length;
  const rows = rowsOf(ran.stdout);
  assert.isNotEmpty(rows);
  for (const words of rows) {
    assert.lengthOf(words, columns, `${header}\n${words.join(' ')}`);
    for (const word of words) assert.match(word, /^\d+(\.\d+)?$/);
  }
}

/** Programs that take an option, on so many ranks: those with threads and with persistent collectives have other launches. */
function taking(option: OptionName, ranks: number): MeasuringRow[] {
  return osuRows.filter((row): row is MeasuringRow => {
    if (!('kernel' in row) || row.threads || row.family === 'persistent' || !row.accepts.includes(option)) return false;
    if (row.family === 'neighbourhood') return ranks >= 3;
    if (row.ranks === 2) return ranks === 2;
    return row.ranks === 'pairs' ? ranks % 2 === 0 : row.ranks === 'many';
  });
}

const nameOf = ({ name }: MeasuringRow): string => name;

describe('options of all that take them', () => {
  for (const mpi of ['openmpi', 'mpich'] as const) {
    const rotating: Case[] = taking('root-rank', 3).flatMap(({ name }) =>
      ['rotate', 'fixed:1', 'fixed:2'].map((root) => ({ line: `${name} -m 4:64 ${FEW} -c -k ${root}`, check: passes })),
    );
    const inPlace: Case[] = taking('in-place', 3).map(({ name }) => ({
      line: `${name} -m 8:64 ${FEW} -c -l`,
      check: passes,
    }));
    const both: Case[] = taking('root-rank', 3).map(({ name }) => ({
      line: `${name} -m 8:64 ${FEW} -c -l -k rotate`,
      check: passes,
    }));
    describeLines('roots, and data in place', [...rotating, ...inPlace, ...both], { mpi, np: 3 });

    const types = ['float', 'double', 'c_double_complex', 'int8_t'];
    const typed: Case[] = taking('type', 2).map(({ name }) => {
      const some = name === 'osu_cas_latency' ? ['mpi_int8_t', 'int16_t', 'unsigned'] : types;
      const sizes = /_(cas|fop)_/.test(name) ? '' : '-m 64:64';
      const sections = ({ stdout }: Ran): void => {
        assert.lengthOf(stdout.match(/^# Datatype/gm) ?? [], some.length);
      };
      return { line: `${name} ${sizes} -T ${some.join(',')} ${FEW} -c`, check: all(passes, sections) };
    });
    describeLines('datatypes', typed, { mpi });

    const derived: Case[] = taking('ddt', 2).map(({ name }) => ({
      line: `${name} --sizes 8,64 ${FEW} -D vect:4:2`,
      check: (ran) => {
        assert.deepEqual(lastWords(ran), ['4', '32']);
        assert.match(headersOf(ran)[0] ?? '', / Transmit Size$/);
      },
    }));
    describeLines('derived layouts', derived, { mpi });

    const creations = ['create', 'allocate', 'dynamic'] as const;
    const synchronizations = ['lock', 'flush', 'flush_local', 'lock_all', 'pscw', 'fence'] as const;
    const windowNotes = {
      create: 'MPI_Win_create',
      allocate: 'MPI_Win_allocate',
      dynamic: 'MPI_Win_create_dynamic',
      lock: 'MPI_Win_lock/unlock',
      flush: 'MPI_Win_flush',
      flush_local: 'MPI_Win_flush_local',
      lock_all: 'MPI_Win_lock_all/unlock_all',
      pscw: 'MPI_Win_post/start/complete/wait',
      fence: 'MPI_Win_fence',
    };
    const windows: Case[] = osuRows
      .filter(({ family }) => family === 'one-sided')
      .flatMap(({ name }) =>
        creations.flatMap((creation) =>
          synchronizations
            .filter((way) => name !== 'osu_put_bibw' || way === 'pscw' || way === 'fence')
            .map((way) => ({
              line: `${name}${/_(cas|fop)_/.test(name) ? '' : ' -m 4:64'} ${FEW} -c -w ${creation} -s ${way}`,
              check: all(
                passes,
                hasLine(`# Window creation: ${windowNotes[creation]}`),
                hasLine(`# Synchronization: ${windowNotes[way]}`),
              ),
            })),
        ),
      );
    describeLines('windows', windows, { mpi });
  }
});

/** One program of each family that needs no more than two ranks. */
const ofFamilies = ['osu_bw_persistent', 'osu_allgather', 'osu_ialltoall', 'osu_get_latency', 'osu_multi_lat'];

function statisticsShown(ran: Ran): void {
  const [header = ''] = headersOf(ran);
  for (const word of ['Min', 'Median', 'P90', 'P99', 'Max', 'SD', 'CI Low', 'CI High', 'N'])
    assert.include(header, word);
  assert.deepEqual([...new Set(lastWords(ran))], ['5']);
}

describe('options in each family', () => {
  const two: Case[] = [
    {
      line: `osu_allreduce -m 4:64 ${FEW} -f`,
      check: (ran) => {
        assert.deepEqual(headersOf(ran), [
          '# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations',
        ]);
        for (const [, mean = NaN, min = NaN, max = NaN, count] of rowsOf(ran.stdout).map((words) =>
          words.map(Number),
        )) {
          assert.isTrue(min <= mean && mean <= max, ran.stdout);
          assert.equal(count, 5);
        }
      },
    },
    {
      line: `osu_ibcast -m 4:64 ${FEW} -f -t 3`,
      check: all(isFull, (ran) => {
        const tested = column(ran.stdout, 4).map(Number);
        assert.isTrue(
          tested.every((time) => time > 0),
          ran.stdout,
        );
        assert.match(headersOf(ran)[0] ?? '', /Coll. Init\(us\) +MPI_Test\(us\) +MPI_Wait\(us\)/);
      }),
    },
    {
      line: `osu_ibcast -m 4:64 ${FEW} -f`,
      check: (ran) => assert.deepEqual([...new Set(column(ran.stdout, 4))], ['0.00']),
    },
    ...ofFamilies.flatMap((name): Case[] => [
      { line: `${name} -m 4:64 ${FEW} -z`, check: isFull },
      { line: `${name} -m 4:64 ${FEW} -z1,50,99.9,0,100,25,75`, check: isFull },
      { line: `${name} -m 4:64 ${FEW} -c -u 0`, check: passes },
      { line: `${name} -m 4:64 ${FEW} --stats`, check: statisticsShown },
    ]),
    {
      line: `osu_barrier ${FEW} -z50,99 -f`,
      check: ({ stdout }) => assert.match(stdout, /^ +\S+ +\S+ +\S+ +5 +\d+\.\d\d +\d+\.\d\d$/m),
    },
    {
      line: `osu_allgather --sizes 8,1M ${FEW} -M 1M`,
      check: ({ stdout, stderr }) => {
        assert.deepEqual(column(stdout, 0), ['8']);
        assert.match(stderr, /^warning: sizes 1048576 are left out: with 2 ranks more than 1048576 bytes \(-M\)$/m);
      },
    },
    ...['osu_allgather', 'osu_reduce', 'osu_ireduce'].flatMap((name): Case[] => [
      ...['barrier', 'dissemination', 'none'].map((sync) => ({
        line: `${name} -m 4:64 ${FEW} -c --sync ${sync}`,
        check: passes,
      })),
      {
        line: `${name} -m 4:64 ${FEW} --per-repetition`,
        check: all(isFull, (ran) => assert.match(headersOf(ran)[0] ?? '', /Slowest Lat\(us\)$/)),
      },
      { line: `${name} --sizes 64K,256K ${FEW} --off-cache`, check: isFull },
      { line: `${name} -m 4:64 ${FEW} --off-cache -c`, check: passes },
    ]),
    {
      line: `osu_allreduce -m 4:64 ${FEW} -G tty`,
      check: ({ stdout }) => assert.isAbove(stdout.split('\n').length, 15, stdout),
    },
    {
      line: `osu_put_bw -m 4:64 ${FEW} -G tty`,
      check: ({ stdout }) => assert.isAbove(stdout.split('\n').length, 15, stdout),
    },
  ];
  describeLines('tables and ways to measure', two);

  const three: Case[] = [
    {
      line: `osu_allreduce -m 4:64 ${FEW} -c --comm-size 2,3`,
      check: all(passes, hasLine('# Ranks: 2.'), hasLine('# Ranks: 3.'), ({ stdout }) =>
        assert.lengthOf(rowsOf(stdout), 10),
      ),
    },
    { line: `osu_ialltoall -m 4:64 ${FEW} -c --comm-size 3,2`, check: passes },
    {
      line: `osu_neighbor_allgather -m 4:64 ${FEW} -c -N cart:1:1`,
      check: all(passes, hasLine('Dimensions size = 3 ')),
    },
    ...taking('nhbr', 3)
      .map(nameOf)
      .flatMap((name): Case[] => [
        { line: `${name} -m 64:64 ${FEW} -c -T float,double,c_double_complex,int8_t`, check: passes },
        {
          line: `${name} --sizes 8,64 ${FEW} -D vect:4:2`,
          check: (ran) => assert.deepEqual(lastWords(ran), ['4', '32']),
        },
        { line: `${name} -m 4:64 ${FEW} -f -z`, check: isFull },
      ]),
    { line: `osu_neighbor_alltoallw -m 4:64 ${FEW} -c -u 0 --sync dissemination`, check: passes },
    { line: `osu_ineighbor_alltoallv -m 4:64 ${FEW} --per-repetition -t 3 --stats`, check: statisticsShown },
  ];
  for (const mpi of ['openmpi', 'mpich'] as const) describeLines('parts and neighbours', three, { mpi, np: 3 });

  const grid = 'osu_neighbor_alltoall --sizes 8,64 -i 2 -x 1 -u 0 -c -N cart:2:1';
  describeLines('a grid', [{ line: grid, check: all(passes, hasLine('Dimensions size = 3 3 ')) }], { np: 9 });

  const four: Case[] = [
    { line: `osu_multi_lat -m 1:64 ${FEW} -z`, check: isFull },
    { line: `osu_multi_lat -m 1:64 ${FEW} -D cont`, check: isFull },
    { line: `osu_bw_fan_in -m 1:64 ${FEW} --nodes-by 2 -z -W 8`, check: isFull },
    { line: `osu_bw_fan_out -m 1:64 ${FEW} --nodes-by 1 -c -b multiple`, check: passes },
    {
      line: `osu_bw_fan_out --sizes 8,64 ${FEW} --nodes-by 2 -D vect:4:2`,
      check: (ran) => assert.deepEqual(lastWords(ran), ['4', '32']),
    },
    { line: `osu_bw_fan_in -m 64:64 ${FEW} --nodes-by 2 -c -T float,double,c_double_complex,int8_t`, check: passes },
  ];
  describeLines('pairs and nodes', four, { np: 4 });

  const lasting: Case[] = ['osu_allreduce_persistent', 'osu_bcast_persistent', 'osu_gather_persistent'].flatMap(
    (name) => [
      { line: `${name} -m 4:64 ${FEW} -f -z`, check: isFull },
      { line: `${name} -m 64:64 ${FEW} -c -T float,double,c_double_complex,int8_t`, check: passes },
      { line: `${name} -m 4:64 ${FEW} -c -u 0 --sync none`, check: passes },
      { line: `${name} -m 4:64 ${FEW} --per-repetition`, check: isFull },
      // Each buffer has a request of its own, to be started once: with a large cache smaller sizes would take minutes here.
      { line: `${name} --sizes 1M,4M ${FEW} --off-cache`, check: isFull },
      { line: `${name} -m 4:64 ${FEW} -c --comm-size 2,3`, check: passes },
    ],
  );
  describeLines('persistent collectives', lasting, { mpi: 'mpich', np: 3 });

  const sessions: Case[] = ['osu_latency', 'osu_allreduce', 'osu_ibcast', 'osu_put_latency', 'osu_acc_latency'].map(
    (name) => ({
      line: `${name} -m 4:64 ${FEW} -c -I`,
      check: passes,
    }),
  );
  describeLines('sessions', sessions, { mpi: 'mpich', how: 'session' });
});

describe('files of the programs', () => {
  const file = testFolder();
  const families = [
    ['osu_bw_persistent', 2],
    ['osu_init', 2],
    ['osu_allgather', 2],
    ['osu_ialltoall', 2],
    ['osu_barrier', 2],
    ['osu_put_bw', 2],
    ['osu_fop_latency', 2],
    ['osu_neighbor_alltoall', 3],
    ['osu_bw_fan_in --nodes-by 1', 3],
  ] as const;

  for (const np of [2, 3]) {
    it(`records of each family hold to the schema (--json), on ${np}`, async () => {
      const wanted = families.filter(([, ranks]) => ranks === np).map(([line]) => line);
      const lines = wanted.map((line, index) => {
        const sizes = /barrier|fop|init/.test(line) ? '' : '--sizes 8,64';
        const counts = line === 'osu_init' ? '' : FEW;
        return `${line} ${sizes} ${counts} --json ${file(`${np}-${index}.json`)}`;
      });
      for (const ran of await runMany(lines.map(part), { np })) assertWell(ran);
      for (const [index, line] of wanted.entries()) {
        const { rows, status, run } = readRecord(file(`${np}-${index}.json`));
        assert.deepEqual(status, { state: 'done' });
        assert.equal(run.name, line.split(' ')[0]);
        assert.isNotEmpty(rows);
        for (const { figures } of rows) {
          assert.isNotEmpty(Object.values(figures));
          for (const { value } of Object.values(figures)) assert.isAtLeast(value ?? NaN, 0);
        }
      }
    });
  }

  it('a graph is read from a file (-N graph:FILE)', async () => {
    const graph = file('ring.txt');
    writeFileSync(graph, '0,1\n1,2\n2,0\n1,0\n');
    const names = ['osu_neighbor_alltoallw', 'osu_ineighbor_allgatherv', 'osu_neighbor_allgather'];
    const lines = names.map((name) => `${name} -m 4:64 ${FEW} -c -N graph:${graph}`);
    for (const ran of await runMany(lines.map(part), { np: 3 })) {
      assertWell(ran);
      passes(ran);
    }
  });

  it('hardware counters are shown, or it is said why they can not be had (-P)', async () => {
    const [ran] = await runMany([part(`osu_allreduce -m 4:64 ${FEW} -P perf::PAGE-FAULTS`)]);
    assert.isDefined(ran);
    if (!ran) return;
    if (existsSync(join(projectRoot, 'dist/native/papi.node')) && ran.code === 0) {
      assert.include(ran.stdout, 'perf::PAGE-FAULTS');
      return;
    }
    assert.equal(ran.code, 77, ran.stderr);
    assert.equal(ran.stdout, '');
    assert.match(ran.stderr, /^osu_allreduce: [^\n]+\n$/);
  });
});

describe('sessions without MPI-4', () => {
  for (const name of ['osu_allreduce', 'osu_init']) {
    it(`${name} -I says in one sentence what it needs, exit 77`, async () => {
      const launched = await launch(program(name), ['-I']);
      assertFailed(launched, 77);
      assert.equal(launched.stdout, '');
      assert.lengthOf(ownLines(launched), 1);
      assert.match(ownLines(launched)[0] ?? '', new RegExp(`^${name}: .*MPI-4.*MPICH`));
    });
  }
});

describeUnder('mpich')('programs themselves under MPICH', () => {
  const file = testFolder();
  it('osu_gather_persistent sets what its MPI needs for right data, and the record tells', async () => {
    const json = file();
    const launched = await launch(program('osu_gather_persistent'), ['-m', '1:64', '-i', '5', '-c', '--json', json], {
      mpi: 'mpich',
    });
    assert.equal(launched.code, 0, launched.report);
    assert.deepEqual([...new Set(rowsOf(launched.stdout).map((words) => words.at(-1)))], ['Pass']);
    assert.property(readRecord(json).environment.settings, 'MPIR_CVAR_IGATHER_INTRA_ALGORITHM');
  });

  it('osu_init -I measures the start of a session', async () => {
    const launched = await launch(program('osu_init'), ['-I'], { mpi: 'mpich' });
    assert.equal(launched.code, 0, launched.report);
    assert.match(launched.stdout, /^# OSU MPI Init Test v7\.4\nnprocs: 2, min: \d+\.\d+ ms, max: /);
  });
});
