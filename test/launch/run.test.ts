/** `fabricbench run`, as a user types it: right figures, live, and an end in which nothing is left behind. */
import { assert } from 'chai';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { placesIn } from '../../src/binding/resolve.js';
import { parseBind } from '../../src/binding/spec.js';
import { nicPlace } from '../../src/binding/sysfs.js';
import { topologyHere } from '../../src/binding/topology-here.js';
import { median } from '../../src/bench/measure/robust.js';
import type { ResultRecord } from '../../src/results/types.js';
import { strictSchemaErrors } from '../unit/schema.js';
import { testFolder } from './folder.js';
import { caseFile, describeUnder } from './mpirun.js';
import { column, ownLines, program, readRecord, rowsOnce, rowsOf, sizesOf } from './output.js';
import { Run, runCommand, type Ran } from './run-command.js';

/** Rows follow each other for minutes. */
const LONG_RUN = ['-m', '1:4M', '-i', '20000', '-x', '0', '--watchdog', '0'];
/** Seconds in which a job that was ended must be gone; generous. */
const SOON = 40;

/** Ended, for whatever reason, in time and with nothing left behind. */
function assertClean(ran: Ran): void {
  assert.isFalse(ran.hung, ran.report);
  assert.equal(ran.strays, 0, ran.report);
  assert.deepEqual(ran.segments, [], ran.report);
  assert.deepEqual(ran.folders, [], ran.report);
}

function assertEnded(ran: Ran, code: number): void {
  assertClean(ran);
  assert.equal(ran.code, code, ran.report);
}

/** A network device of this machine's; a container may have none. */
const nic = readdirSync('/sys/class/net').find((name) => nicPlace(name) !== null);

function readRecords(file: string): ResultRecord[] {
  const records = JSON.parse(readFileSync(file, 'utf8')) as ResultRecord[];
  assert.isArray(records);
  for (const record of records) assert.deepEqual(strictSchemaErrors(record), []);
  return records;
}

for (const mpi of ['openmpi', 'mpich'] as const) {
  const by = (...args: string[]): string[] => [args[0] ?? '', '--mpi', mpi, ...args.slice(1)];

  describeUnder(mpi)(`fabricbench run (${mpi})`, () => {
    const file = testFolder();

    for (const side of nic === undefined ? [] : (['near', 'far'] as const)) {
      it(`has the ranks run ${side} a network device (--${side})`, async () => {
        const bind = `${side}:${nic}`;
        const spec = parseBind(bind);
        if (!spec.ok || spec.value.kind === 'keep') throw new Error(bind);
        const wanted = placesIn(topologyHere(spec.value, null), { spec: spec.value, ranks: 2, overlap: false });
        if (!wanted.ok) throw new Error(wanted.reason);
        for (const name of ['osu_latency', 'ucx_perftest']) {
          const json = file();
          const own = name === 'osu_latency' ? ['-m', '8:8', '-i', '50'] : ['-t', 'tag_lat', '-s', '8', '-n', '50'];
          const ran = await runCommand(
            by(name, `--${side}`, nic ?? '', '--json', json, '--', ...own, '--report-binding'),
          );
          assertEnded(ran, 0);
          const { ranks } = readRecord(json);
          assert.deepEqual(
            ranks.map(({ hardwareThreads }) => hardwareThreads),
            wanted.value.map((cpu) => [cpu]),
          );
          for (const { binding } of ranks) assert.deepInclude(binding, { asked: bind, by: 'fabricbench' });
          assert.lengthOf(ran.stderr.match(new RegExp(`^rank \\d on .*, bound by --bind ${bind}, `, 'gm')) ?? [], 2);
        }
      });
    }

    it('says once where no rank can be near a device that there is not', async () => {
      const ran = await runCommand(by('osu_latency', '--near', 'no_such_nic0', '--', '-m', '8'));
      assertEnded(ran, 1);
      assert.equal(ran.stdout, '');
      assert.match(
        ran.stderr,
        /^osu_latency: --bind near:no_such_nic0 can't be had on \S+: this machine has no device "no_such_nic0": .*\n$/,
      );
    });

    it('starts two ranks on a core each, over UCX, and shows their table', async () => {
      const json = file();
      const ran = await runCommand(by('osu_latency', '--json', json, '--', '--sizes', '1,8,1K', '-i', '200'));
      assertEnded(ran, 0);
      assert.deepEqual(column(ran.stdout, 0), ['1', '8', '1024']);
      assert.include(ran.stdout, '# OSU MPI Latency Test v7.4\n');
      assert.equal(ran.stderr, '');
      const { ranks, environment, status, run } = readRecord(json);
      assert.deepEqual(status, { state: 'done' });
      assert.equal(environment.mpi?.family, mpi);
      if (mpi === 'openmpi') assert.equal(environment.mpi?.pml, 'ucx');
      assert.deepEqual(run.commandLine.slice(-2), ['--json', json]);
      assert.lengthOf(ranks, 2);
      if (availableParallelism() < 2) return;
      const cores = ranks.map((rank) => rank.cores ?? []);
      for (const own of cores) assert.lengthOf(own, 1);
      assert.notDeepEqual(cores[0], cores[1]);
    });

    it('shows rows while it runs, and a signal keeps them', async () => {
      const json = file();
      const run = new Run(by('osu_latency', '--json', json, '--', ...LONG_RUN), { limit: SOON });
      const shown = await run.until(() => (rowsOf(run.stdout).length >= 2 ? run.stdout : undefined));
      assert.isTrue(run.runs);
      const before = await run.until(() => rowsOnce(json, 2));
      run.signal('SIGTERM');
      const ran = await run.ended;
      assertEnded(ran, 143);
      assert.isTrue(ran.stdout.startsWith(shown));
      const record = readRecord(json);
      assert.isAtLeast(record.rows.length, before.length);
      assert.deepEqual(record.rows.slice(0, before.length), before);
      assert.deepEqual(record.status, { state: 'failed', message: 'ended by SIGTERM' });
      assert.deepEqual(ownLines(ran), ['fabricbench: osu_latency: ended by SIGTERM']);
    });

    it('ends by --timeout, and keeps what was measured', async () => {
      const json = file();
      const ran = await runCommand(by('osu_latency', '--timeout', '8', '--json', json, '--', ...LONG_RUN), {
        limit: SOON,
      });
      assertEnded(ran, 1);
      assert.deepEqual(ownLines(ran), ['fabricbench: osu_latency: ended after 8 s, as --timeout says']);
      const { rows, status } = readRecord(json);
      assert.isAtLeast(rows.length, rowsOf(ran.stdout).length - 1);
      assert.deepEqual(status, { state: 'failed', message: 'ended after 8 s, as --timeout says' });
    });

    it('ends a job whose launcher is stuck, ranks and shared memory with it', async () => {
      const run = new Run(by('osu_latency', '--timeout', '8', '--', ...LONG_RUN), { limit: SOON });
      await run.until(() => run.rank(1, mpi));
      process.kill(await run.until(() => run.launcher()), 'SIGSTOP');
      assertEnded(await run.ended, 1);
    });

    it('kills at once on a second signal', async () => {
      const run = new Run(by('osu_latency', '--', ...LONG_RUN), { limit: SOON });
      await run.until(() => (rowsOf(run.stdout).length >= 1 ? true : undefined));
      process.kill(await run.until(() => run.launcher()), 'SIGSTOP');
      run.signal('SIGINT');
      await sleep(200);
      run.signal('SIGINT');
      assertEnded(await run.ended, 130);
    });

    it('passes on the code of a launch in which a rank was killed', async () => {
      const json = file();
      const run = new Run(by('osu_latency', '--json', json, '--', ...LONG_RUN), { limit: SOON });
      await run.until(() => rowsOnce(json, 1));
      process.kill(await run.until(() => run.rank(0, mpi)), 'SIGKILL');
      const ran = await run.ended;
      const code = mpi === 'openmpi' ? 137 : 9;
      assertEnded(ran, code);
      assert.match(ran.stderr, /signal 9/);
      const { status } = readRecord(json);
      assert.equal(status.state, 'failed');
      assert.match(status.message ?? '', / was ended by signal 9 \(Killed\)$/);
    });

    it('repeats launches, and tells what they have in common', async () => {
      const json = file();
      const args = by('osu_latency', '--launches', '3', '--json', json, '--', '--sizes', '8,1K', '-i', '300');
      const ran = await runCommand(args);
      assertEnded(ran, 0);
      const records = readRecords(json);
      assert.deepEqual(
        records.map(({ run }) => run.launch),
        [1, 2, 3].map((index) => ({ index, of: 3 })),
      );
      for (const record of records) assert.deepEqual(sizesOf(record), [8, 1024]);
      const [title, head, ...lines] = ran.stdout.split('\n');
      assert.equal(title, '# osu_latency: medians of 3 launches');
      assert.match(head ?? '', /^# Size +Launches +Latency\(us\) +95% low +95% high +Between\(%\) +Within\(%\)$/);
      const rows = rowsOf(lines.join('\n'));
      for (const [index, [size, launches, shown]] of rows.entries()) {
        const values = records.map(({ rows: all }) => all[index]?.figures['latency']?.value ?? NaN);
        assert.deepEqual([size, launches, shown], [String([8, 1024][index]), '3', (median(values) * 1e6).toFixed(2)]);
      }
      assert.lengthOf(ran.stderr.match(/# OSU MPI Latency Test/g) ?? [], 3);
      assert.match(ran.stderr, /^launch 2 of 3$/m);
    });

    it('keeps complete launches and the one under way when it is ended', async () => {
      const json = file();
      const args = by('osu_latency', '--launches', '50', '--json', json, '--', '--sizes', '8,1K', '-i', '300');
      const run = new Run(args, { limit: SOON });
      await run.until(() => (existsSync(json) && readRecords(json).length >= 2 ? true : undefined));
      run.signal('SIGTERM');
      const ran = await run.ended;
      assertEnded(ran, 143);
      const records = readRecords(json);
      const whole = records.filter(({ status }) => status.state === 'done');
      assert.isAtLeast(whole.length, 2);
      assert.include(ran.stdout, `# osu_latency: medians of ${whole.length} launches\n`);
      assert.include(ran.stdout, "was ended by SIGTERM, and doesn't count");
    });

    it('lets more ranks run than there are cores', async () => {
      const ranks = availableParallelism() + 1;
      const json = file();
      const args = by('osu_barrier', '-n', String(ranks), '--json', json, '--', '-i', '3', '-x', '0');
      const ran = await runCommand(args);
      assertEnded(ran, 0);
      assert.lengthOf(readRecord(json).ranks, ranks);
      assert.match(ran.stderr, /^note: there are more ranks \(\d+\) than hardware threads, /);
    });

    it('hands variables on to the ranks', async () => {
      const json = file();
      const args = by('osu_hello', '--env', 'UCX_RNDV_THRESH=12345', '--json', json);
      assertEnded(await runCommand(args, { env: { UCX_ZCOPY_THRESH: '54321' } }), 0);
      const { settings } = readRecord(json).environment;
      assert.include(settings, { UCX_RNDV_THRESH: '12345', UCX_ZCOPY_THRESH: '54321' });
    });

    it('binds by the benchmark where it may use some processors only', async () => {
      const json = file();
      const wrap = ['taskset', '-c', '0'];
      const ran = await runCommand(by('osu_init', '-n', '1', '--json', json), { wrap });
      assertEnded(ran, 0);
      assert.deepEqual(readRecord(json).ranks[0]?.hardwareThreads, [0]);
    });

    it('prints a command that does the same in a shell', async () => {
      const ran = await runCommand(by('osu_hello', '--dry-run', '--env', 'UCX_LOG_LEVEL=error'));
      assertEnded(ran, 0);
      // Other tests of this process may have loaded UCX, which left it variables of its own.
      assert.match(ran.stdout, /^(?:UCX_\w+=\S+ )*UCX_LOG_LEVEL=error (?:UCX_\w+=\S+ )*\/\S+ [^\n]+osu_hello\.js\n$/);
      const text = execFileSync('sh', ['-c', ran.stdout], { encoding: 'utf8', cwd: file('..'), timeout: 60_000 });
      assert.include(text, 'This is a test with 2 processes\n');
    });

    it('runs ucx_perftest between two ranks', async () => {
      const ran = await runCommand(by('ucx_perftest', '--', '-t', 'tag_lat', '-n', '1000'));
      assertEnded(ran, 0);
      assert.match(ran.stdout, /Final: +1000 /);
    });

    it("tells of the benchmark's refusals in its own words, with its code", async () => {
      const ran = await runCommand(by('osu_latency', '-n', '3'));
      assertEnded(ran, 1);
      assert.equal(ran.stdout, '');
      const lines = ran.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('note: '));
      assert.lengthOf(lines, 1, ran.report);
      assert.match(lines[0] ?? '', /^osu_latency: .*two ranks/);
    });

    it('runs scripts of its user, and passes on their codes', async () => {
      const tampering = JSON.stringify({ what: 'throw', rank: 1, size: 8 });
      const run = ['osu_latency', tampering, '--sizes', '1,8', '-i', '10', '-c'];
      const ran = await runCommand(by(caseFile('tamper'), '--', ...run));
      assertEnded(ran, 1);
      assert.deepEqual(ownLines(ran), ['osu_latency: rank 1: thrown by a test']);
    });
  });

  describeUnder(mpi)(`output of fabricbench run that nobody takes (${mpi})`, () => {
    it('ends it on a full device, in one sentence', async () => {
      const wrap = ['sh', '-c', 'exec "$@" > /dev/full', 'sh'];
      const ran = await runCommand(by('osu_latency', '--', '--sizes', '1,8', '-i', '10'), { wrap });
      assertEnded(ran, 1);
      assert.deepEqual(ownLines(ran), [
        'fabricbench: osu_latency: Writing to stdout failed: no space is left on the device; free some',
      ]);
    });

    it('ends it where the reader has gone', async () => {
      const wrap = ['bash', '-c', '"$@" | head -3; exit "${PIPESTATUS[0]}"', 'bash'];
      const ran = await runCommand(by('osu_latency', '--', ...LONG_RUN), { wrap, limit: SOON });
      assertEnded(ran, 1);
      assert.lengthOf(ran.stdout.split('\n'), 4);
      assert.deepEqual(ownLines(ran), ['fabricbench: osu_latency: Writing to stdout failed: its reader is gone']);
    });

    it('does not keep it from its time limit where the reader is stuck', async () => {
      const args = by(caseFile('flood'), '--timeout', '3');
      const ran = await runCommand(args, { reads: false, limit: SOON });
      assertClean(ran);
      assert.deepEqual([ran.code, ran.signal], [null, 'SIGKILL'], ran.report);
      assert.match(ran.stderr, /flood\.js: ended after 3 s, as --timeout says\n/);
    });
  });
}

describe('fabricbench run', () => {
  it('is not possible without an MPI, and says how to get one', async () => {
    const ran = await runCommand(['osu_latency'], { env: { PATH: '/nowhere' } });
    assertEnded(ran, 77);
    assert.equal(ran.stdout, '');
    assert.match(ran.stderr, /^fabricbench: no MPI is here that can start ranks: .*apt-get install libopenmpi-dev/);
    assert.lengthOf(ran.stderr.trimEnd().split('\n'), 1);
  });

  it('refuses to start ranks from a rank', async () => {
    const ran = await runCommand(['osu_latency'], { env: { OMPI_COMM_WORLD_RANK: '0' } });
    assertEnded(ran, 2);
    assert.match(ran.stderr, /^fabricbench: it starts the ranks itself/);
  });

  it('finds out before the run that the record cannot be written', async () => {
    for (const more of [[], ['--launches', '2']]) {
      const ran = await runCommand(['osu_latency', '--json', '/nowhere/r.json', ...more]);
      assertEnded(ran, 1);
      assert.equal(ran.stdout, '');
      assert.match(ran.stderr, /^fabricbench: The record can't be written to \/nowhere\/r\.json: there is no folder /);
    }
  });

  for (const command of ['scan', 'map', 'congest'])
    it(`finds out the same before ${command}, which is wrong use as of its other files`, async () => {
      const ran = await runCommand(['-n', '4', '--json', '/nowhere/r.json'], { command });
      assertEnded(ran, 2);
      assert.equal(ran.stdout, '');
      assert.match(ran.stderr, /^fabricbench: The record can't be written to \/nowhere\/r\.json: [^\n]*\n$/);
    });

  it('has records of launches on stdout, and the tables on stderr', async () => {
    const ran = await runCommand(['osu_hello', '--launches', '2', '--json', '-']);
    assertEnded(ran, 0);
    assert.lengthOf(JSON.parse(ran.stdout) as unknown[], 2);
    assert.include(ran.stderr, '# osu_hello: medians of 2 launches\n');
  });

  it('gives the programs of dist, whichever folder it is called from', async () => {
    const ran = await runCommand(['osu_bw', '--dry-run'], { wrap: ['env', '-C', '/'] });
    assertEnded(ran, 0);
    assert.include(ran.stdout, program('osu_bw'));
  });
});
