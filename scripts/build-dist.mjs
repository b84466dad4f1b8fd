/**
 * Bundles src into dist: core.js with all that the benchmarks need, one small launcher per program of the suites'
 * tables, fabricbench.js, the code that V8 makes of them, the libraries, their types, and the licences of what is bundled. dist/ works when copied elsewhere, without
 * node_modules. Needs build/ts (scripts/build-ts.mjs) for the tables.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleAll } from './lib/bundles.mjs';
import { codeOf, withId } from './lib/code.mjs';
import { fail, filesBelow, inProject, replaceFile } from './lib/project.mjs';
import { thirdPartyText } from './lib/third-party.mjs';

const dist = inProject('dist');

/** What a compiled table of the suites exports: names of programs, at least one. */
async function readNames(file, exported) {
  const table = inProject(`build/ts/src/bench/suites/${file}.js`);
  if (!existsSync(table)) fail(`The table of programs, ${table}, is missing: run npm run build:ts.`);
  const { [exported]: names } = await import(pathToFileURL(table).href);
  if (Array.isArray(names) && names.length > 0) return names;
  return fail(`src/bench/suites/${file}.ts exports no ${exported}, so that no launcher can be written.`);
}

const template = readFileSync(inProject('scripts/lib/launcher.cjs'), 'utf8');
const placeholder = "load('core').launch('osu_bw')";
const launcher = (bundle, call) => template.replace(placeholder, () => `load('${bundle}').${call}`);
const benchmark = (bundle) => (name) => [`${name}.js`, launcher(bundle, `launch('${name}')`)];

function declareTypes() {
  const tsc = inProject('node_modules/typescript/bin/tsc');
  const done = spawnSync(process.execPath, [tsc, '-p', inProject('tsconfig.types.json')], { stdio: 'inherit' });
  if (done.status !== 0) fail('The types of the libraries could not be written: see above.');
}

const programNames = await readNames('index', 'programNames');
const perftestNames = await readNames('perftest', 'perftestNames');
const { bundles: plain, inputs } = await bundleAll();
const started = ['core', 'ib-core', 'ucx-perftest-core', 'fabricbench-core'];
const compiled = ['stacks', ...started].map((name) => `${name}.js`);
const bundles = new Map(
  plain.map(([file, bytes]) => [file, compiled.includes(file) ? withId(Buffer.from(bytes).toString()) : bytes]),
);
const code = started.map((name) => [
  `${name}.code`,
  codeOf(['stacks.js', `${name}.js`].map((file) => [file, bundles.get(file)])),
]);
const { name, version, license } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
const launchers = new Map([
  ...programNames.map(benchmark('core')),
  ...perftestNames.map(benchmark('ib-core')),
  ['ucx_perftest.js', launcher('ucx-perftest-core', 'launch()')],
  ['fabricbench.js', launcher('fabricbench-core', 'main()')],
]);
// Batch files that ucx_perftest finds by their names.
const shared = filesBelow(inProject('share'), ['']).map((file) => [relative(inProject(), file), readFileSync(file)]);
const files = new Map([
  ...bundles,
  ...code,
  ...shared,
  ...launchers,
  ['package.json', `${JSON.stringify({ name, version, license, type: 'commonjs' }, null, 2)}\n`],
  ['THIRD-PARTY.txt', thirdPartyText(inputs)],
]);
for (const [file, content] of files) replaceFile(join(dist, file), content, launchers.has(file) ? 0o755 : 0o644);
for (const file of readdirSync(dist)) {
  if (/\.(js|code)$/.test(file) && !files.has(file)) rmSync(join(dist, file)); // of an earlier build
}
declareTypes();
process.stdout.write(`dist/: ${launchers.size} programs, version ${version}\n`);
