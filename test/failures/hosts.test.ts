/** What breaks between hosts: daemons that are killed, links that fail, are slow or lose what they carry. */
import { assert } from 'chai';
import { existsSync, mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { withHosts, type Done, type Running } from '../hosts/lab.js';
import { testFolder } from '../launch/folder.js';
import { describeUnder } from '../launch/mpirun.js';
import { ownLines, program, readRecord, rowsOf, rowsOnce } from '../launch/output.js';
import { commandOf, variableOf } from '../launch/processes.js';
import { withoutUcx } from './unlike.js';

/** Rows follow each other for minutes. */
const LONG_RUN = ['-m', '1:4M', '-i', '20000', '-x', '0'];
/** Seconds in which all of it must have ended by itself. */
const SOON = 110;
const LINK_AWAY = 3000;

const WAYS = [
  { name: 'Open MPI over UCX', mpi: 'openmpi', options: ['--mpi', 'openmpi', '--pml', 'ucx'] },
  { name: 'Open MPI over ob1', mpi: 'openmpi', options: ['--mpi', 'openmpi', '--pml', 'ob1'] },
  { name: 'MPICH', mpi: 'mpich', options: ['--mpi', 'mpich'] },
] as const;

/** What was said, beside notes and warnings on how it was measured, and the shell's word on a process that was killed. */
const said = (done: Done): string[] => ownLines(done).filter((line) => !/^(note|warning): |^Killed$/.test(line));

for (const { name, mpi, options } of WAYS) {
  describeUnder(mpi)(`fabricbench run across hosts, where something breaks (${name})`, () => {
    const hosts = withHosts(2);
    const file = testFolder();
    afterEach(() => {
      hosts.kill();
      hosts.link('node2', 'up');
      hosts.shape({ rate: 'none', loss: '0%' });
    });

    function started(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
      const json = file();
      const words = ['run', ...options, '--hosts', 'node1,node2', '--json', json, 'osu_latency', '--', ...args];
      const running = hosts.on('node1', [process.execPath, program('fabricbench'), ...words], { limit: SOON, env });
      return { json, running };
    }

    const processOf = (node: string, is: (pid: number) => boolean) => (): number | undefined =>
      hosts.processes(node).find(is);

    async function ended({ running, json }: { running: Running; json: string }, code: number): Promise<Done> {
      const done = await running.ended;
      assert.isFalse(done.hung, done.report);
      assert.equal(done.code, code, done.report);
      assert.deepEqual(await hosts.strays(), [], done.report);
      const shown = rowsOf(done.stdout).length;
      if (existsSync(json)) assert.isAtLeast(readRecord(json).rows.length, shown - 1, done.report);
      return done;
    }

    function assertTold(done: Done, json: string, why: RegExp): void {
      const [line = '', ...more] = said(done);
      assert.deepEqual(more, [], done.report);
      assert.match(line, why);
      const { status } = readRecord(json);
      assert.equal(status.state, 'failed');
      assert.match(status.message ?? '', why);
    }

    it('a rank that is killed on another host', async () => {
      const launch = started(LONG_RUN);
      await launch.running.until(() => rowsOnce(launch.json, 1));
      const variable = mpi === 'openmpi' ? 'OMPI_COMM_WORLD_RANK' : 'PMI_RANK';
      const isRank = (pid: number): boolean =>
        commandOf(pid)[0] === process.execPath && variableOf(pid, variable) === '1';
      process.kill(await launch.running.until(processOf('node2', isRank)), 'SIGKILL');
      const done = await ended(launch, mpi === 'openmpi' ? 137 : 255);
      const why =
        mpi === 'openmpi' ? /rank 1 on node2 was ended by signal 9 \(Killed\)/ : /a rank on node2 \(process \d+\) died/;
      assertTold(done, launch.json, why);
    });

    it('a link that is down for 3 s: the run goes on, and the row has the outage', async () => {
      // On an idle machine a row takes a second.
      const launch = started(['-m', '1:4', '-i', '100000', '-x', '0']);
      await launch.running.until(() => rowsOnce(launch.json, 1));
      hosts.link('node2', 'down');
      await sleep(LINK_AWAY);
      hosts.link('node2', 'up');
      const done = await ended(launch, 0);
      assert.deepEqual(said(done), []);
      const { rows, status } = readRecord(launch.json);
      assert.equal(status.state, 'done');
      const longest = Math.max(...rows.map(({ statistics }) => statistics?.max ?? 0));
      assert.isAtLeast(longest, 1);
    });

    it('a link that is down for good', async () => {
      const launch = started([...LONG_RUN, '--watchdog', '20']);
      await launch.running.until(() => rowsOnce(launch.json, 1));
      hosts.link('node2', 'down');
      const done = await ended(launch, mpi === 'openmpi' ? 205 : 1);
      const why =
        mpi === 'openmpi' ? /node2 is lost: the network to it is down, / : /rank 0 made no progress for 20 s in MPI_/;
      assertTold(done, launch.json, why);
    });

    it('a link that is slow shows in the figures alone', async () => {
      hosts.shape({ rate: '10mbit' }, 'node2');
      const launch = started(['--sizes', '64K', '-i', '5', '-x', '1']);
      const done = await ended(launch, 0);
      assert.deepEqual(said(done), []);
      // There at full speed, and back at 10 Mbit/s, headers not counted.
      assert.isAtLeast(readRecord(launch.json).rows[0]?.figures['latency']?.value ?? 0, (65536 * 8) / 10e6 / 2 / 2);
    });

    it('a link that loses what it carries shows in the figures alone', async () => {
      hosts.shape({ loss: '10%' }, 'node2');
      const launch = started(['--sizes', '8', '-i', '60', '-x', '0', '-c']);
      const done = await ended(launch, 0);
      assert.deepEqual(said(done), []);
      const [row] = readRecord(launch.json).rows;
      assert.isTrue(row?.validation?.passed);
      const { max = 0, median = Infinity } = row?.statistics ?? {};
      assert.isAbove(max ?? 0, 10 * (median ?? Infinity));
    });
  });
}

describeUnder('openmpi')("a launcher's daemon that is killed on another host", () => {
  const hosts = withHosts(2);
  const file = testFolder();
  afterEach(() => hosts.kill());

  for (const { mpi, daemon, code, why } of [
    { mpi: 'openmpi', daemon: 'orted', code: 205, why: /^fabricbench: osu_latency: node2 is lost: / },
    { mpi: 'mpich', daemon: 'hydra_pmi_proxy', code: 255, why: /^fabricbench: osu_latency: a host is lost: / },
  ] as const) {
    it(`(${daemon}) ends the launch`, async () => {
      const json = file();
      // MPICH's ranks need theirs only at their end, where the first that misses it has all others ended.
      const args = mpi === 'mpich' ? ['-m', '1:2', '-i', '4000', '-x', '0'] : LONG_RUN;
      const words = ['run', '--mpi', mpi, '--hosts', 'node1,node2', '--json', json, 'osu_latency', '--', ...args];
      const running = hosts.on('node1', [process.execPath, program('fabricbench'), ...words], { limit: SOON });
      await running.until(() => (existsSync(json) ? true : undefined));
      const found = hosts.processes('node2').find((pid) => commandOf(pid)[0]?.endsWith(daemon));
      process.kill(found ?? 0, 'SIGKILL');
      const done = await running.ended;
      assert.isFalse(done.hung, done.report);
      assert.equal(done.code, code, done.report);
      assert.deepEqual(await hosts.strays(), [], done.report);
      const [line = '', ...more] = said(done);
      assert.deepEqual(more, [], done.report);
      assert.match(line, why);
      const { rows, status } = readRecord(json);
      assert.isAtLeast(rows.length, rowsOf(done.stdout).length - 1);
      if (mpi === 'mpich' && status.state === 'done') assert.lengthOf(rows, 2, done.report);
      else {
        assert.equal(status.state, 'failed', done.report);
        assert.match(`fabricbench: osu_latency: ${status.message}`, why);
      }
    });
  }
});

describeUnder('openmpi')('a host without UCX among others', () => {
  const hosts = withHosts(2);
  const file = testFolder();

  it('is named', async () => {
    const folder = file('empty');
    mkdirSync(folder);
    const hide = 'case $(hostname) in node2) export LD_LIBRARY_PATH="$0";; esac; exec "$@"';
    const wrapped = ['sh', '-c', hide, withoutUcx(folder), process.execPath, program('osu_latency'), '-m', '1:4'];
    const line = hosts.launchLine([]).filter((word) => word !== process.execPath);
    const done = await hosts.on('node1', [...line, ...wrapped]).ended;
    assert.isFalse(done.hung, done.report);
    assert.equal(done.code, 1, done.report);
    const [told = '', ...more] = said(done);
    assert.deepEqual(more, [], done.report);
    assert.match(told, /^osu_latency: rank 1 on node2: Open MPI's PML ucx can't be had on node2: .*libucp\.so\.0/);
    assert.deepEqual(await hosts.strays(), [], done.report);
  });
});
