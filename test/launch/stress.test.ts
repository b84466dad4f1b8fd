/** scripts/stress.mjs: many ranks neither hang nor crash Node, and the script would see it if they did. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../unit/project.js';
import { testFolder } from './folder.js';

const MINUTES = 60_000;
const ONE = ['--jobs', 'osu_mbw_mr', '--pml', 'ucx'];

function stress(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = { encoding: 'utf8', timeout: 15 * MINUTES, env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(projectRoot, 'scripts/stress.mjs'), ...args],
    options,
  );
  return { status, lines: stdout.trimEnd().split('\n'), report: stdout + stderr };
}

describe('the stress test', function () {
  this.timeout(16 * MINUTES);
  const file = testFolder();

  it('has 5 jobs of 32 ranks done, and then reports what becomes of them with the default hooks', () => {
    const { status, lines, report } = stress(['--launches', '5', '--ranks', '32', ...ONE]);
    assert.equal(status, 0, report);
    const done =
      /^osu_mbw_mr, our hook settings, \d of 5: done in [\d.]+ s, all 32 ranks over pml ucx with UCX_MEM_MMAP_HOOK_MODE=reloc by fabricbench, UCX_MEM_MALLOC_RELOC=n by fabricbench$/;
    for (const line of lines.slice(0, 5)) assert.match(line, done);
    assert.equal(
      lines[5],
      'osu_mbw_mr, our hook settings, 32 ranks a job over ucx: 5 done, 0 crashed, 0 hung, 0 wrong',
    );
    const counts =
      /^osu_mbw_mr, UCX's defaults, 32 ranks a job over ucx: (\d) done, (\d) crashed, (\d) hung, (\d) wrong$/;
    const [, ...numbers] = counts.exec(lines.at(-1) ?? '') ?? [];
    assert.equal(
      numbers.reduce((sum, number) => sum + Number(number), 0),
      5,
      report,
    );
    assert.equal(numbers.at(-1), '0', report);
  });

  for (const job of ['osu_mbw_mr', 'osu_allreduce', 'scan', 'map']) {
    it(`has 5 jobs of 64 ranks done over UCX and over ob1: ${job}`, () => {
      const { status, lines, report } = stress(['--launches', '5', '--jobs', job, '--skip-defaults']);
      assert.equal(status, 0, report);
      const counts = lines.filter((line) => line.includes(' 64 ranks a job over '));
      assert.deepEqual(
        counts,
        ['ucx', 'ob1'].map(
          (pml) => `${job}, our hook settings, 64 ranks a job over ${pml}: 5 done, 0 crashed, 0 hung, 0 wrong`,
        ),
      );
    });
  }

  const small = ['--launches', '2', '--ranks', '2', '--skip-defaults', ...ONE];
  const endings = [
    { what: 'a crash', does: "process.kill(process.pid, 'SIGSEGV')", says: 'crashed', about: 'signal 11' },
    { what: 'an exit code', does: 'process.exit(3)', says: 'crashed', about: 'exit code 3' },
    { what: 'other hooks', does: "process.env.UCX_MEM_MMAP_HOOK_MODE = 'none'", says: 'wrong', about: '=none by user' },
  ];
  for (const { what, does, says, about } of endings) {
    it(`counts ${what}, tries nothing again and exits 1`, () => {
      const preload = file(`${says}-${what.length}.cjs`);
      writeFileSync(preload, `if (process.env.OMPI_COMM_WORLD_RANK === '0') ${does};\n`);
      const { status, lines, report } = stress(small, { NODE_OPTIONS: `--require ${preload}` });
      assert.equal(status, 1, report);
      const counts = { crashed: 0, hung: 0, wrong: 0, [says]: 2 };
      const { crashed, hung, wrong } = counts;
      assert.equal(
        lines.at(-1),
        `osu_mbw_mr, our hook settings, 2 ranks a job over ucx: 0 done, ${crashed} crashed, ${hung} hung, ${wrong} wrong`,
      );
      const jobs = lines.filter((line) => /\d of 2: /.test(line));
      assert.lengthOf(jobs, 2, report);
      for (const job of jobs) assert.include(job, about);
    });
  }

  it('counts a hang and exits 1', () => {
    const { status, lines, report } = stress([...small, '--limit', '0.1']);
    assert.equal(status, 1, report);
    assert.equal(
      lines.at(-1),
      'osu_mbw_mr, our hook settings, 2 ranks a job over ucx: 0 done, 0 crashed, 2 hung, 0 wrong',
    );
  });
});
