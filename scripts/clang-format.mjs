/** Checks the format of all C and C++ with clang-format, or mends it with --write. */
import { relative } from 'node:path';
import { fail, filesBelow, inProject, root, run } from './lib/project.mjs';

const version = run('clang-format', ['--version']);
if (!version.ok) fail('clang-format was not found: apt-get install clang-format (the project uses version 14).');
const files = ['csrc', 'scripts', 'test'].flatMap((folder) =>
  filesBelow(inProject(folder), ['.c', '.cc', '.h', '.hpp']),
);
const mode = process.argv.includes('--write') ? ['-i'] : ['--dry-run', '--Werror'];
const bad = files.filter((file) => !run('clang-format', ['--style=file', ...mode, file]).ok);
for (const file of bad) process.stderr.write(`${relative(root, file)} is not formatted\n`);
if (bad.length > 0) fail(`Mend the format with npm run format (checked by ${version.stdout.trim()}).`);
