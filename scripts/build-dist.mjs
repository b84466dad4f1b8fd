/**
 * Bundles src into dist: core.js with all that the benchmarks need, one tiny launcher per program of the suites'
 * tables, fabricbench.js, the libraries, their types, and the licences of what is bundled. dist/ works when copied elsewhere, without
 * node_modules. Needs build/ts (scripts/build-ts.mjs) for the tables.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleAll } from './lib/bundles.mjs';
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

const launcher = (name, bundle) => `#!/usr/bin/env node\nrequire('./${bundle}.js').launch('${name}');\n`;
// Programs that have a bundle of their own.
const others = [
  ['fabricbench.js', `#!/usr/bin/env node\nrequire('./fabricbench-core.js').main();\n`],
  ['ucx_perftest.js', `#!/usr/bin/env node\nrequire('./ucx-perftest-core.js').launch();\n`],
];

function declareTypes() {
  const tsc = inProject('node_modules/typescript/bin/tsc');
  const done = spawnSync(process.execPath, [tsc, '-p', inProject('tsconfig.types.json')], { stdio: 'inherit' });
  if (done.status !== 0) fail('The types of the libraries could not be written: see above.');
}

const programNames = await readNames('index', 'programNames');
const perftestNames = await readNames('perftest', 'perftestNames');
const { bundles, inputs } = await bundleAll();
const { name, version, license } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
const launchers = new Map([
  ...programNames.map((program) => [`${program}.js`, launcher(program, 'core')]),
  ...perftestNames.map((program) => [`${program}.js`, launcher(program, 'ib-core')]),
  ...others,
]);
// Batch files that ucx_perftest finds by their names.
const shared = filesBelow(inProject('share'), ['']).map((file) => [relative(inProject(), file), readFileSync(file)]);
const files = new Map([
  ...bundles,
  ...shared,
  ...launchers,
  ['package.json', `${JSON.stringify({ name, version, license, type: 'commonjs' }, null, 2)}\n`],
  ['THIRD-PARTY.txt', thirdPartyText(inputs)],
]);
for (const [file, content] of files) replaceFile(join(dist, file), content, launchers.has(file) ? 0o755 : 0o644);
for (const file of readdirSync(dist)) {
  if (file.endsWith('.js') && !files.has(file)) rmSync(join(dist, file)); // of an earlier build
}
declareTypes();
process.stdout.write(`dist/: ${launchers.size} programs, version ${version}\n`);
