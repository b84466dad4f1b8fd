/** Runs the tests of test/lab in the Soft-RoCE machine: one start of it for each suite. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { mochaArgs, outcomeOf } from './mocha.mjs';
import { filesBelow, inCI, inProject, root, run } from './project.mjs';

const minutes = 40;
const softroce = inProject('scripts/softroce');
const compiled = inProject('build/ts/test/lab');
// Emulated processors are some thirty times slower, and a start of MPI on them may hang; what fails twice has failed, and
// the reporter names what passed at its second attempt.
const mochaOptions = ['--no-config', '--timeout', '240000', '--slow', '60000', '--retries', '1'];

const tests = (folder) => filesBelow(folder, ['.test.js']).filter((file) => !file.includes('/cases/'));
const inTwo = (file) => file.startsWith(`${compiled}/two/`);

/** The suites, by the devices that their tests need. */
export const suites = [
  { name: 'one-device', title: 'tests in the lab, one device', options: [], files: (file) => !inTwo(file) },
  { name: 'two-devices', title: 'tests in the lab, two devices', options: ['--two-devices'], files: inTwo },
];

/** Of mocha's options those that choose tests, with their values. */
export function choosing(args) {
  const chosen = [];
  for (let at = 0; at < args.length; at++) {
    if (/^(-g|-f|--grep|--fgrep)$/.test(args[at])) chosen.push(args[at], args[++at] ?? '');
    else if (/^(--f?grep=.*|-i|--invert)$/.test(args[at])) chosen.push(args[at]);
  }
  return chosen;
}

/** Files of a suite whose names hold one of the words; all where there is no word. */
function filesOf(suite, words) {
  const wanted = (file) => words.length === 0 || words.some((word) => basename(file).includes(word));
  return tests(compiled).filter((file) => suite.files(file) && wanted(file));
}

/** How many tests the options leave, found without running them: a machine need not start for none. */
function countTests(files, options) {
  const counts = inProject('build/lab/dry.json');
  rmSync(counts, { force: true });
  const dry = run(process.execPath, mochaArgs(counts, [...mochaOptions, '--dry-run', ...options, ...files]));
  const { passed, pending, problems } = outcomeOf(counts, dry.ok ? 0 : 1);
  if (problems.length > 0) process.stdout.write(`${dry.stdout}${dry.stderr}`);
  return problems.length > 0 ? -1 : passed + pending;
}

function runSuite({ name, title, options }, files, choice) {
  const out = inProject('build/lab', name);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const counts = `${out}/counts.json`;
  const machine = ['run', ...options, '--timeout', String(minutes * 60), '--'];
  const mocha = [process.execPath, ...mochaArgs(counts, [...mochaOptions, ...choice, ...files])];
  process.stdout.write(`== ${title}\n`);
  const done = spawnSync(softroce, [...machine, ...mocha], {
    cwd: root,
    env: { ...process.env, FABRICBENCH_LAB_OUT: out },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: (minutes + 2) * 60_000,
  });
  return outcomeOf(counts, done.status ?? done.signal, title);
}

/**
 * Runs the lab's suites, of each only the files whose names hold one of `words` and the tests that mocha's options
 * `choice` leave. Returns an outcome for each suite that has any; where the machine can't be had one that says why,
 * which is a failure in CI.
 */
export function runLab({ words = [], choice = [] } = {}) {
  mkdirSync(inProject('build/lab'), { recursive: true });
  const wanted = suites
    .map((suite) => ({ suite, files: filesOf(suite, words) }))
    .filter(({ files }) => files.length > 0 && countTests(files, choice) !== 0);
  if (wanted.length === 0) return [];
  const prepared = spawnSync(softroce, ['prepare'], { cwd: root, encoding: 'utf8' });
  if (prepared.status !== 0) {
    const reason = (prepared.stderr ?? String(prepared.error)).trim().split('\n').at(-1);
    return [{ passed: 0, failed: inCI ? 1 : 0, pending: 0, problems: [`the lab's tests were skipped: ${reason}`] }];
  }
  return wanted.map(({ suite, files }) => runSuite(suite, files, choice));
}
