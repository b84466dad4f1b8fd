/**
 * The bundles of dist, by esbuild. What core.js and the libraries have in common stands once, in stacks.js: a program
 * that uses several of them has one engine and one copy of each class, and a rank opens two bundles.
 */
import { basename, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { lightYargs } from './light-yargs.mjs';
import { fail, filesBelow, inProject, root } from './project.mjs';

const entries = {
  core: 'src/bench/main.ts',
  mpi: 'src/mpi/index.ts',
  engine: 'src/engine/index.ts',
  ucx: 'src/ucx/index.ts',
  verbs: 'src/verbs/index.ts',
  topology: 'src/topology/index.ts',
  'ucx-perftest-core': 'src/bench/ucx-perftest/main.ts',
  'ib-core': 'src/bench/perftest/main.ts',
  'fabricbench-core': 'src/cli/fabricbench.ts',
  // Loaded by rank 0 alone, and only for -G (src/report/plot/load.ts).
  plots: 'src/report/plot/plots.ts',
  // Likewise for --csv and --markdown (src/report/table/load.ts).
  tables: 'src/report/table/tables.ts',
  // Loaded by commands that read records (src/results/validate.ts).
  validator: 'src/results/validator.ts',
  // For --expect (src/analysis/expect-file.ts).
  yaml: 'src/analysis/yaml.ts',
};
// Folders whose modules stand in stacks.js; their index.ts are the libraries, and only name what is in there.
const sharedFolders = ['src/engine', 'src/mpi', 'src/ucx', 'src/verbs', 'src/topology'];
// Packages and files that a rank must not load when it starts. Of yargs it has the parser alone, a package of its own.
const onDemand = [
  ...['node_modules/ajv/', 'node_modules/csv-stringify/', 'node_modules/yargs/'],
  ...['src/report/plot/reporter.ts', 'src/report/table/reporter.ts'],
];
// Parts of Node likewise: they bring sockets and streams with them.
const builtinsOnDemand = ['child_process', 'dgram', 'http', 'https', 'net', 'stream', 'worker_threads'];
const mostFiles = 8;

const isShared = (file) =>
  sharedFolders.some((folder) => file.startsWith(`${inProject(folder)}/`) && file !== inProject(folder, 'index.ts'));

const fromStacks = {
  name: 'from-stacks',
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
      const file = resolve(resolveDir, path).replace(/\.js$/, '.ts');
      return isShared(file) ? { path: './stacks.js', external: true } : undefined;
    });
  },
};

// CommonJS: Node's loader of ES modules takes 10 ms to start, and loads streams and promises of which a rank needs none.
// Names are kept: people read stack traces.
const options = {
  absWorkingDir: root,
  outdir: inProject('dist'),
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // yargs-parser hands its address to createRequire, which takes a path as well.
  define: {
    'import.meta.dirname': '__dirname',
    'import.meta.filename': '__filename',
    'import.meta.url': '__filename',
  },
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'warning',
};

const sharedModules = () => sharedFolders.flatMap((folder) => filesBelow(inProject(folder), ['.ts'])).filter(isShared);

// Two modules that export one name hide it from each other in stacks.js: refused here, not when a rank starts.
const noHiding = { 'ambiguous-reexport': 'error' };

async function bundleStacks() {
  const modules = sharedModules();
  const contents = modules.map((file) => `export * from './${relative(root, file).replace(/\.ts$/, '.js')}';`);
  const stdin = { contents: contents.join('\n'), resolveDir: root, sourcefile: 'stacks.ts', loader: 'ts' };
  return build({
    ...options,
    logOverride: noHiding,
    entryPoints: [],
    stdin,
    entryNames: 'stacks',
    plugins: [lightYargs],
  });
}

// yargs, unlike its parser, wants a true URL.
const withUrl = {
  define: { ...options.define, 'import.meta.url': 'importMetaUrl' },
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
};
const special = { 'fabricbench-core': withUrl };

// What a report's page draws itself with, in a browser.
const bundleBrowser = () =>
  build({
    ...{
      absWorkingDir: root,
      outdir: inProject('dist'),
      bundle: true,
      write: false,
      metafile: true,
      logLevel: 'warning',
    },
    ...{ platform: 'browser', format: 'iife', target: 'es2022', minify: true, legalComments: 'none' },
    entryPoints: { 'report-browser': 'src/report/browser/main.ts' },
    define: { 'process.env.NODE_ENV': '"production"' },
  });

const bundleEntry = (name) =>
  build({ ...options, ...special[name], entryPoints: { [name]: entries[name] }, plugins: [fromStacks, lightYargs] });

/** Every output that core.js loads when it starts: itself and what it imports statically, directly or not. */
function loadedAtStart(outputs, path, seen = new Set()) {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const { kind, path: next, external } of outputs[path].imports) {
    if (kind !== 'import-statement') continue;
    if (!external || next === './stacks.js') loadedAtStart(outputs, external ? 'dist/stacks.js' : next, seen);
  }
  return seen;
}

/** Refuses a bundle that makes ranks load too much: thousands of them start from one shared file system. */
function checkStart(outputs) {
  const loaded = [...loadedAtStart(outputs, 'dist/core.js')];
  for (const path of loaded) {
    const files = Object.keys(outputs[path].inputs);
    const imported = outputs[path].imports.map((one) => one.path.replace(/^node:/, ''));
    const early =
      onDemand.find((name) => files.some((file) => file.includes(name))) ??
      builtinsOnDemand.find((name) => imported.includes(name));
    if (early) fail(`Every rank would load ${early} when it starts (in ${path}): load it where it is used.`);
  }
  const opened = ['launcher', 'package.json', 'core.code', 'engine.node', 'mpi-FAMILY.node', 'native/', ...loaded];
  if (opened.length > mostFiles) fail(`Every rank would open more than ${mostFiles} files: ${opened.join(', ')}.`);
}

/** Makes all bundles: `bundles` are pairs of a file name in dist and its bytes, `inputs` the files that went in. */
export async function bundleAll() {
  const stacks = await bundleStacks();
  const results = await Promise.all(Object.keys(entries).map(bundleEntry));
  const all = [stacks, ...results, await bundleBrowser()];
  const outputs = Object.assign({}, ...all.map(({ metafile }) => metafile.outputs));
  checkStart(outputs);
  const files = all.flatMap(({ outputFiles }) => outputFiles);
  const used = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  return { bundles: files.map(({ path, contents }) => [basename(path), contents]), inputs: [...new Set(used)] };
}
