/**
 * Bundles src into dist: core.js with all that the benchmarks need, one tiny launcher per program of the suites'
 * tables, the libraries, their types, and the licences of what is bundled. dist/ works when copied elsewhere, without
 * node_modules. Needs build/ts (scripts/build-ts.mjs) for the tables.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { lightYargs } from './lib/light-yargs.mjs';
import { fail, inProject, replaceFile, root } from './lib/project.mjs';
import { thirdPartyText } from './lib/third-party.mjs';

const dist = inProject('dist');
const entries = { core: 'src/bench/main.ts', mpi: 'src/mpi/index.ts', engine: 'src/engine/index.ts' };
// Packages that a rank must not load when it starts: they may be reached by import() only.
const onDemand = ['ajv'];
const mostFiles = 8;

// Names stay (stack traces are read by people), and splitting keeps one copy of what core and the libraries share.
// Packages written as CommonJS call require for Node's own modules; an ES module has none, so each file makes its own.
const options = {
  absWorkingDir: root,
  entryPoints: entries,
  outdir: dist,
  bundle: true,
  splitting: true,
  chunkNames: 'shared-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  plugins: [lightYargs],
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'warning',
};

/** Names of all programs, by the compiled tables of the suites. */
async function programNames() {
  const table = inProject('build/ts/src/bench/suites/index.js');
  if (!existsSync(table))
    fail('The table of programs, build/ts/src/bench/suites/index.js, is missing: run npm run build:ts.');
  const suites = await import(pathToFileURL(table).href);
  if (!Array.isArray(suites.programNames) || suites.programNames.length === 0) {
    fail('src/bench/suites/index.ts exports no programNames, so that no launcher can be written.');
  }
  return suites.programNames;
}

const launcher = (name) => `#!/usr/bin/env node\nimport { launch } from './core.js';\nawait launch('${name}');\n`;

/** Every output that core.js loads when it starts: itself and what it imports statically, directly or not. */
function loadedAtStart(outputs, path, seen = new Set()) {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const { kind, path: next, external } of outputs[path].imports) {
    if (kind === 'import-statement' && !external) loadedAtStart(outputs, next, seen);
  }
  return seen;
}

/** Refuses a bundle that makes ranks load too much: thousands of them start from one shared file system. */
function checkStart(outputs) {
  const loaded = [...loadedAtStart(outputs, 'dist/core.js')];
  for (const path of loaded) {
    const inputs = Object.keys(outputs[path].inputs);
    const early = onDemand.find((name) => inputs.some((input) => input.includes(`node_modules/${name}/`)));
    if (early)
      fail(`Every rank would load ${early} when it starts (it is in ${path}): reach it by import() where it is used.`);
  }
  const opened = ['launcher', 'package.json', 'engine.node', 'mpi-FAMILY.node', ...loaded];
  if (opened.length > mostFiles) fail(`Every rank would open more than ${mostFiles} files: ${opened.join(', ')}.`);
}

function declareTypes() {
  const tsc = inProject('node_modules/typescript/bin/tsc');
  const done = spawnSync(process.execPath, [tsc, '-p', inProject('tsconfig.types.json')], { stdio: 'inherit' });
  if (done.status !== 0) fail('The types of the libraries could not be written: see above.');
}

const names = await programNames();
const { outputFiles, metafile } = await build(options);
checkStart(metafile.outputs);
const { name, version, license } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
const files = new Map([
  ...outputFiles.map(({ path, contents }) => [relative(dist, path), contents]),
  ...names.map((program) => [`${program}.js`, launcher(program)]),
  ['package.json', `${JSON.stringify({ name, version, license, type: 'module' }, null, 2)}\n`],
  ['THIRD-PARTY.txt', thirdPartyText(Object.keys(metafile.inputs))],
]);
const isLauncher = (file) => names.includes(file.replace(/\.js$/, ''));
for (const [file, content] of files) replaceFile(join(dist, file), content, isLauncher(file) ? 0o755 : 0o644);
for (const file of readdirSync(dist)) {
  if (file.endsWith('.js') && !files.has(file)) rmSync(join(dist, file)); // of an earlier build
}
declareTypes();
process.stdout.write(`dist/: ${names.length} programs, ${Object.keys(entries).length} bundles, version ${version}\n`);
