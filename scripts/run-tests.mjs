/**
 * Builds, checks and tests; extra arguments go to mocha. The last line is `N passed, N failed`: mocha's counts, and one
 * failure more for each check, build or mocha itself that failed, and in CI for each pending test. Exits 1 unless all
 * passed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { inCI, inProject, root } from './lib/project.mjs';

const bin = (name) => inProject('node_modules', name);
const checks = [
  { name: 'native build', args: ['scripts/build-native.mjs', '--tests'] },
  { name: 'types', args: ['scripts/build-ts.mjs'] },
  { name: 'bundles', args: ['scripts/build-dist.mjs'] },
  { name: 'lint', args: [bin('eslint/bin/eslint.js'), '.'] },
  { name: 'format', args: [bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'] },
  { name: 'format of C and C++', args: ['scripts/clang-format.mjs'] },
];
const mochaMinutes = 60;

function runNode(args, timeout) {
  const done = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', timeout, killSignal: 'SIGKILL' });
  return done.status ?? -1;
}

/** Runs mocha; failures include mocha's own crash, and pending tests in CI. */
function runMocha(extra) {
  const counts = inProject('build/test-counts.json');
  mkdirSync(inProject('build'), { recursive: true });
  rmSync(counts, { force: true });
  const reporter = [
    '--reporter',
    inProject('scripts/lib/counting-reporter.mjs'),
    '--reporter-option',
    `counts=${counts}`,
  ];
  const args = [bin('mocha/bin/mocha.js'), ...reporter, ...(inCI ? ['--forbid-only'] : []), ...extra];
  const status = runNode(args, mochaMinutes * 60_000);
  if (!existsSync(counts))
    return { passed: 0, failed: 1, pending: 0, problem: `mocha ended early with status ${status}` };
  const { passes: passed, failures, pending } = JSON.parse(readFileSync(counts, 'utf8'));
  const failed = failures + (inCI ? pending : 0);
  if (status !== 0 && failures === 0) return { passed, failed: failed + 1, pending, problem: `mocha exited ${status}` };
  return { passed, failed, pending };
}

const problems = [];
for (const { name, args } of checks) {
  process.stdout.write(`== ${name}\n`);
  if (runNode(args) !== 0) problems.push(`${name} failed`);
}
process.stdout.write('== tests\n');
const tests = runMocha(process.argv.slice(2));
let failed = tests.failed + problems.length;
if (tests.problem) problems.push(tests.problem);
if (tests.pending > 0) problems.push(`${tests.pending} tests were skipped${inCI ? ', which CI counts as failed' : ''}`);
if (tests.passed + failed === 0) {
  problems.push('no test was run');
  failed = 1;
}
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${tests.passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
