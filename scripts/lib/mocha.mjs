/** How this project runs mocha: with a reporter that leaves the counts in a file. */
import { existsSync, readFileSync } from 'node:fs';
import { inCI, inProject } from './project.mjs';

/** Arguments of node that run mocha; it writes its counts to the file `counts`. */
export const mochaArgs = (counts, extra) => [
  inProject('node_modules/mocha/bin/mocha.js'),
  '--reporter',
  inProject('scripts/lib/counting-reporter.mjs'),
  '--reporter-option',
  `counts=${counts}`,
  ...(inCI ? ['--forbid-only'] : []),
  ...extra,
];

/**
 * What a run of mocha came to, from its counts and exit status: `problems` are in words, one for each failure. Pending
 * tests are failures in CI; what ended before it had counted, or failed otherwise, is one failure.
 */
export function outcomeOf(counts, status, what = 'mocha') {
  if (!existsSync(counts))
    return { passed: 0, failed: 1, pending: 0, problems: [`${what} ended early with status ${status}`] };
  const { passes: passed, failures, pending, failed: problems } = JSON.parse(readFileSync(counts, 'utf8'));
  const failed = failures + (inCI ? pending : 0);
  if (status !== 0 && failures === 0)
    return { passed, failed: failed + 1, pending, problems: [`${what} exited ${status}`] };
  return { passed, failed, pending, problems };
}
