/**
 * Compiles src and test into build/ts, and removes what is left there of sources that are gone (mocha would run them).
 * Fails on a type error, having emitted all the same.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesBelow, inProject, root } from './lib/project.mjs';

const output = inProject('build/ts');
const tsc = inProject('node_modules/typescript/bin/tsc');
const compile = (project) => spawnSync(process.execPath, [tsc, '-p', project], { stdio: 'inherit' }).status === 0;
// What runs in a browser is bundled from its sources, and only checked here.
const ok = [root, inProject('src/report/browser')].map(compile).every(Boolean);
for (const file of filesBelow(output, ['.js', '.js.map'])) {
  const source = join(root, relative(output, file)).replace(/\.js(\.map)?$/, '.ts');
  if (!existsSync(source)) rmSync(file);
}
process.exitCode = ok ? 0 : 1;
