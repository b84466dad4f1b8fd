/** `fabricbench map` as ranks of a job, by each MPI and transport, and as a command that starts them itself. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { testFolder } from './folder.js';
import { describeUnder, launch, type LaunchOptions } from './mpirun.js';
import { assertDone, assertFailed, ownLines, program, readRecord } from './output.js';

const script = program('fabricbench');
/** Few and small messages: what is tried is that it ends, and what it says. */
const quick = ['map', '--iterations', '20', '--size', '16K', '--window', '4', '--windows', '3'];

const cases: readonly { readonly name: string; readonly options: LaunchOptions }[] = [
  { name: 'Open MPI, ob1', options: { pml: 'ob1' } },
  { name: 'Open MPI, ucx', options: { pml: 'ucx' } },
  { name: 'MPICH', options: { mpi: 'mpich' } },
];

for (const { name, options } of cases) {
  describeUnder(options.mpi ?? 'openmpi')(`a map of ranks (${name})`, function () {
    this.timeout(180_000);
    const file = testFolder();

    it('measures every pair of nodes each way', async () => {
      const [json, csv, svg] = [file(), file('map.csv'), file('map.svg')];
      const args = [...quick, '--json', json, '--csv', csv, '-o', svg];
      const launched = await launch(script, args, { ...options, np: 6, limit: 120 });
      assertDone(launched);
      const { rows, study, status, ranks } = readRecord(json);
      assert.equal(status.state, 'done');
      assert.lengthOf(ranks, 6);
      assert.deepEqual(
        rows.map(({ parameters }) => parameters['figure']),
        ['latency', 'jitter', 'bandwidth'],
      );
      assert.deepEqual(
        rows.map(({ parameters }) => parameters['links']),
        [15, 15, 30],
      );
      for (const { figures } of rows) for (const { value } of Object.values(figures)) assert.isAbove(value ?? 0, 0);
      assert.equal(study?.kind, 'map');
      assert.equal(study?.['pairs'], 15);
      assert.lengthOf(study?.['nodes'] as string[], 6);
      const lines = readFileSync(csv, 'utf8').trimEnd().split('\r\n');
      assert.lengthOf(lines, 16);
      for (const line of lines.slice(1)) for (const field of line.split(',').slice(2)) assert.isAbove(Number(field), 0);
      assert.include(readFileSync(svg, 'utf8'), '<svg');
      assert.match(launched.stdout, /^# 6 nodes, 15 pairs in 5 rounds, each node in one pair at a time/m);
      assert.match(launched.stdout, /^(no outlier|\d+ outlier)/m);
    });

    it('shifts all ranks at once', async () => {
      const json = file();
      const launched = await launch(script, [...quick, '--congested', '--json', json], {
        ...options,
        np: 5,
        limit: 120,
      });
      assertDone(launched);
      const { rows, study } = readRecord(json);
      assert.deepEqual(
        rows.map(({ parameters }) => parameters['links']),
        [20],
      );
      assert.equal(study?.['rounds'], 4);
      assert.isAbove(rows[0]?.figures['bandwidth']?.value ?? 0, 0);
    });
  });
}

describeUnder('openmpi')('a map of a job', function () {
  this.timeout(360_000);
  const file = testFolder();

  for (const pml of ['ob1', 'ucx'] as const) {
    it(`takes 64 ranks for 8 nodes of 8, over ${pml}`, async () => {
      const json = file();
      const few = ['--mode', 'latency', '--threshold', '90%', '--time-limit', '200', '--nodes-by', '8'];
      const launched = await launch(script, [...quick, ...few, '--json', json], { np: 64, pml, limit: 300 });
      assertDone(launched);
      const { study } = readRecord(json);
      assert.deepEqual(study?.['ranks'], [0, 8, 16, 24, 32, 40, 48, 56]);
      assert.equal(study?.['pairs'], 28);
      assert.include(launched.stdout, '56 others keep still');
    });
  }

  it('refuses what can not be, once and by rank 0, and leaves no file', async () => {
    const picture = file('map.png');
    const refusals = [
      { args: ['--sample', '9'], says: /--sample 9: each of 4 nodes has 3 others/ },
      { args: ['--nodes-by', '4'], says: /a map needs at least 2 nodes, and there is 1/ },
      { args: ['-o', picture], says: /give a name that ends in \.svg or \.html/ },
      { args: ['--mode', 'all'], says: /--mode all: give latency, bw or both/ },
      { args: ['--hosts', 'a'], says: /--hosts is about starting ranks/ },
    ];
    for (const { args, says } of refusals) {
      const launched = await launch(script, ['map', ...args], { np: 4, pml: 'ob1' });
      assertFailed(launched, 2);
      const told = ownLines(launched).filter((line) => line.startsWith('fabricbench: '));
      assert.lengthOf(told, 1, launched.report);
      assert.match(told[0] ?? '', says);
    }
    assert.isFalse(existsSync(picture));
  });

  it('starts its ranks itself where nobody has', () => {
    const json = file();
    const args = [script, ...quick, '-n', '4', '--pml', 'ob1', '--timeout', '60', '--json', json];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 90_000 });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^# 4 nodes, 6 pairs in 3 rounds/m);
    assert.equal(readRecord(json).study?.['pairs'], 6);
  });

  it('prints how it would start them, one rank to each host', () => {
    const args = [script, 'map', '--hosts', 'a,b,c', '--sample', '2', '-o', file('map.svg'), '--dry-run'];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
    assert.equal(status, 0);
    assert.match(stdout, /-np? 3 /);
    assert.match(stdout, /fabricbench\.js map .*--sample=2/);
  });
});
