/** What breaks on one host under `fabricbench run`: one sentence, the right exit code, the record, and nothing left behind. */
import { assert } from 'chai';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { NOT_REACHED } from '../../src/launch/cause.js';
import { testFolder } from '../launch/folder.js';
import { describeUnder } from '../launch/mpirun.js';
import { ownLines, parseRecord, readRecord, rowsOf, rowsOnce } from '../launch/output.js';
import { Run, runCommand, type Ran } from '../launch/run-command.js';

/** Rows follow each other for minutes. */
const LONG_RUN = ['-m', '1:4M', '-i', '20000', '-x', '0'];
/** Seconds in which all of it must have ended by itself. */
const SOON = 60;
const HOST = hostname();

/** In time, and with nothing left behind. */
function assertEnded(ran: Ran, code: number): void {
  assert.isFalse(ran.hung, ran.report);
  assert.equal(ran.strays, 0, ran.report);
  assert.deepEqual(ran.segments, [], ran.report);
  assert.deepEqual(ran.folders, [], ran.report);
  assert.equal(ran.code, code, ran.report);
}

/** What was said, beside notes and warnings on how it was measured. */
const said = (ran: Ran): string[] => ownLines(ran).filter((line) => !/^(note|warning): /.test(line));

/** The record holds what the table has shown, and why there is no more. */
function assertKept(json: string, ran: Ran, message: RegExp): void {
  const { rows, status } = readRecord(json);
  assert.isAtLeast(rows.length, Math.max(1, rowsOf(ran.stdout).length - 1), ran.report);
  assert.equal(status.state, 'failed');
  assert.match(status.message ?? '', message);
}

for (const mpi of ['openmpi', 'mpich'] as const) {
  describeUnder(mpi)(`fabricbench run, where something breaks (${mpi})`, () => {
    const file = testFolder();

    function started(...options: readonly string[]): { run: Run; json: string } {
      const json = file();
      const args = ['osu_latency', '--mpi', mpi, '--json', json, '--', ...LONG_RUN, ...options];
      return { run: new Run(args, { limit: SOON }), json };
    }

    for (const rank of [0, 1]) {
      it(`a rank that is killed (${rank})`, async () => {
        const { run, json } = started();
        await run.until(() => rowsOnce(json, 1));
        process.kill(await run.until(() => run.rank(rank, mpi)), 'SIGKILL');
        const ran = await run.ended;
        assertEnded(ran, mpi === 'openmpi' ? 137 : 9);
        const who = mpi === 'openmpi' ? `rank ${rank} on ${HOST}` : `a rank on ${HOST} \\(process \\d+\\)`;
        const why = new RegExp(`${who} was ended by signal 9 \\(Killed\\)`);
        const [line = '', ...more] = said(ran);
        assert.deepEqual(more, [], ran.report);
        assert.match(line, why);
        assertKept(json, ran, why);
      });
    }

    it("a host that can't be reached", async () => {
      const agent = file();
      writeFileSync(agent, '#!/bin/sh\necho "agent: no way to a host" >&2\nexit 255\n', { mode: 0o755 });
      const env = { OMPI_MCA_plm_rsh_agent: agent, HYDRA_LAUNCHER_EXEC: agent };
      for (const json of [[], ['--json', '-']]) {
        const args = ['osu_latency', '--mpi', mpi, '--hosts', 'nowhere1,nowhere2', ...json];
        const ran = await runCommand(args, { env, limit: SOON });
        // Open MPI has two ways to find it out.
        assertEnded(ran, mpi === 'openmpi' && ran.code === 255 ? 255 : 1);
        assert.equal(ran.stdout, '');
        const lines = said(ran);
        assert.include(lines, 'agent: no way to a host');
        assert.deepEqual(
          lines.filter((line) => !line.startsWith('agent: ')),
          [`fabricbench: osu_latency: ${NOT_REACHED}`],
        );
      }
    });

    it('a rank that is stuck, while others wait in a native call of a program, or meet between two', async () => {
      const { run, json } = started('--watchdog', '2');
      await run.until(() => rowsOnce(json, 1));
      process.kill(await run.until(() => run.rank(1, mpi)), 'SIGSTOP');
      const ran = await run.ended;
      assertEnded(ran, 1);
      const [line = '', ...more] = said(ran);
      assert.deepEqual(more, [], ran.report);
      assert.match(
        line,
        /^fabricbench: rank 0 made no progress for 2 s in (MPI_\w+, iteration \d+ of )?osu_latency, MPI_CHAR, size \d+, /,
      );
      assertKept(json, ran, /^rank 0 made no progress for 2 s in /);
    });

    it('a time limit', async () => {
      const json = file();
      const args = ['osu_latency', '--mpi', mpi, '--timeout', '10', '--json', json, '--', ...LONG_RUN];
      const ran = await runCommand(args, { limit: SOON });
      assertEnded(ran, 1);
      assert.deepEqual(said(ran), ['fabricbench: osu_latency: ended after 10 s, as --timeout says']);
      assertKept(json, ran, /^ended after 10 s, as --timeout says$/);
    });

    it('SIGTERM', async () => {
      const { run, json } = started();
      await run.until(() => rowsOnce(json, 1));
      run.signal('SIGTERM');
      const ran = await run.ended;
      assertEnded(ran, 143);
      assert.deepEqual(said(ran), ['fabricbench: osu_latency: ended by SIGTERM']);
      assertKept(json, ran, /^ended by SIGTERM$/);
    });

    it('a reader of stdout that goes', async () => {
      const json = file();
      const wrap = ['bash', '-c', '"$@" | head -6; exit "${PIPESTATUS[0]}"', 'bash'];
      const args = ['osu_latency', '--mpi', mpi, '--json', json, '--', ...LONG_RUN];
      const ran = await runCommand(args, { wrap, limit: SOON });
      assertEnded(ran, 1);
      const why = 'Writing to stdout failed: its reader is gone';
      assert.deepEqual(said(ran), [`fabricbench: osu_latency: ${why}`]);
      assertKept(json, ran, new RegExp(why));
    });
  });
}

/** Runs a command on a file system of so many KiB at a folder, and keeps what is on it at the end in another. */
const SMALL = `mount -t tmpfs -o size="$1"k tmpfs "$2" && cd "$2" && shift 2 && { "$@"; code=$?; cp "$PWD"/* ../kept 2> /dev/null; exit $code; }`;
const onSmallDisk = (size: number, folder: string): string[] => [
  'unshare',
  '-rm',
  'sh',
  '-c',
  SMALL,
  'sh',
  String(size),
  folder,
];

describeUnder('openmpi')('a disk that fills up', () => {
  const file = testFolder();

  async function filling(
    size: number,
    ...outputs: readonly string[]
  ): Promise<{ ran: Ran; kept: (name: string) => string }> {
    const disk = file('disk');
    mkdirSync(disk, { recursive: true });
    mkdirSync(file('kept'), { recursive: true });
    const sizes = Array.from({ length: 200 }, (_, index) => String(8 * (index + 1))).join();
    const args = ['osu_latency', '--', '--sizes', sizes, '-i', '200', ...outputs];
    const ran = await runCommand(args, { wrap: onSmallDisk(size, disk), limit: SOON });
    return { ran, kept: (name) => file(`kept/${name}`) };
  }

  it('is the same of a device that is full, which is not read for what it has kept', async () => {
    const ran = await runCommand(['osu_latency', '--json', '/dev/full', '--', ...LONG_RUN.slice(4), '-m', '8:8'], {
      limit: SOON,
    });
    assertEnded(ran, 1);
    assert.deepEqual(said(ran), [
      "osu_latency: rank 0: The record can't be written to /dev/full: no space is left on the device; free some.",
    ]);
    assert.notInclude(ran.stderr, 'MPI_ABORT');
  });

  it('is no reason to wait for a record in a pipe when the run has been ended', async () => {
    const pipe = file();
    execFileSync('mkfifo', [pipe]);
    const ran = await runCommand(['osu_latency', '--timeout', '2', '--json', pipe, '--', ...LONG_RUN], { limit: SOON });
    assertEnded(ran, 1);
    assert.deepEqual(said(ran), ['fabricbench: osu_latency: ended after 2 s, as --timeout says']);
  });

  it('ends the run when the record no longer fits, and keeps the one that did', async () => {
    const { ran, kept } = await filling(48, '--json', 'record.json');
    assertEnded(ran, 1);
    const [line = '', ...more] = said(ran);
    assert.deepEqual(more, [], ran.report);
    assert.match(
      line,
      /^osu_latency: rank 0: The record can't be written to .*record\.json: no space is left on the device; free some\.$/,
    );
    const { rows } = parseRecord(readFileSync(kept('record.json'), 'utf8'));
    assert.isAbove(rows.length, 5);
    assert.isAtLeast(rows.length, rowsOf(ran.stdout).length - 1);
  });

  for (const form of ['csv', 'markdown']) {
    it(`tells of a ${form} that doesn't fit, and the record is whole`, async () => {
      const json = file();
      const { ran, kept } = await filling(12, '--json', json, `--${form}`, `table.${form}`);
      assertEnded(ran, 1);
      const [line = '', ...more] = said(ran);
      assert.deepEqual(more, [], ran.report);
      assert.match(line, /no space is left on the device; free some/);
      assert.isAtLeast(readRecord(json).rows.length, Math.max(3, rowsOf(ran.stdout).length - 1), ran.report);
      assert.isFalse(existsSync(kept(`table.${form}.tmp`)));
    });
  }
});
