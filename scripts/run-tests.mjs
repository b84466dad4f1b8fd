/**
 * Builds, checks and tests; extra arguments go to mocha. Tests of test/lab run in the Soft-RoCE machine. What failed is
 * told again at the end, before the last line `N passed, N failed`: mocha's counts, and one failure more for each check,
 * build, machine or mocha itself that failed, and in CI for each pending test. Exits 1 unless all passed.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { choosing, runLab } from './lib/lab.mjs';
import { mochaArgs, outcomeOf } from './lib/mocha.mjs';
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

/** Runs the tests that need no lab. */
function runMocha(extra) {
  const counts = inProject('build/test-counts.json');
  mkdirSync(inProject('build'), { recursive: true });
  rmSync(counts, { force: true });
  return outcomeOf(counts, runNode(mochaArgs(counts, extra), mochaMinutes * 60_000));
}

const problems = [];
for (const { name, args } of checks) {
  process.stdout.write(`== ${name}\n`);
  if (runNode(args) !== 0) problems.push(`${name} failed`);
}
process.stdout.write('== tests\n');
const extra = process.argv.slice(2);
const outcomes = [runMocha(extra), ...runLab({ choice: choosing(extra) })];
const sum = (what) => outcomes.reduce((total, outcome) => total + outcome[what], 0);
let failed = sum('failed') + problems.length;
problems.push(...outcomes.flatMap((outcome) => outcome.problems));
const pending = sum('pending');
if (pending > 0) problems.push(`${pending} tests were skipped${inCI ? ', which CI counts as failed' : ''}`);
if (sum('passed') + failed === 0) {
  problems.push('no test was run');
  failed = 1;
}
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${sum('passed')} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
