/**
 * Runs tests of test/lab in the Soft-RoCE machine, from what is built: `npm run test:lab -- [WORD...] [--grep TEXT]`. Words
 * choose files by name. The last line is `N passed, N failed`; exits 1 unless all passed.
 */
import { choosing, runLab } from './lib/lab.mjs';

const args = process.argv.slice(2);
const choice = choosing(args);
const words = args.filter((arg) => !arg.startsWith('-') && !choice.includes(arg));
const outcomes = runLab({ words, choice });
const sum = (what) => outcomes.reduce((total, outcome) => total + outcome[what], 0);
for (const problem of outcomes.flatMap(({ problems }) => problems)) process.stdout.write(`${problem}\n`);
if (outcomes.length === 0) process.stdout.write('no test was run\n');
process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
process.exitCode = sum('failed') === 0 && sum('passed') > 0 ? 0 : 1;
