/**
 * Builds the native addons: one per stack that was found, into dist/native. Usage:
 *   node scripts/build-native.mjs [--tests] [STACK...]
 * `--tests` adds what tests and benches need: the test operations and the C programs of test/reference. Prints what was
 * found, what is missing and how to get it. Fails where the engine can't be built, and in CI where any stack can't that is
 * not optional; what is found and doesn't compile is never excused there.
 */
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildAddon } from './lib/addon.mjs';
import { fail, filesBelow, inCI, inProject, tableLines } from './lib/project.mjs';
import { buildReferences } from './lib/references.mjs';
import { stacks, testStacks } from './lib/stacks.mjs';
import { findCompiler, findHeaders, installCommand } from './lib/toolchain.mjs';

const say = (line) => process.stdout.write(`${line}\n`);

const MISSING = 'missing';

/** Builds all that a stack's search found; one row of the closing table for each. */
function buildStack(stack, tools, folder) {
  const found = stack.find((sentence) => say(`  ${stack.name}: ${sentence}`));
  const missing = stack.missing(found).map(({ name, how }) => ({ stack, name, state: MISSING, how, ok: false }));
  const built = found.map((build) => {
    const destination = join(folder, `${build.name}.node`);
    const { ok, written, log } = buildAddon({ ...build, sources: stack.sources }, tools, destination);
    if (log !== '') process.stderr.write(log);
    if (!ok) rmSync(destination, { force: true }); // an older one would pass for this source
    const state = ok ? (written ? 'found, built' : 'found, up to date') : 'found, but does not compile: see above';
    return { stack, name: build.name, state, how: build.with, ok, compiler: build.compiler };
  });
  return [...built, ...missing];
}

/** The C programs, with Open MPI, whose launcher the benches use; no row where there are none. */
function references(rows) {
  const sources = filesBelow(inProject('test/reference'), ['.c']);
  const compiler = rows.find(({ name }) => name === 'mpi-openmpi')?.compiler;
  if (sources.length === 0 || compiler === undefined) return [];
  const results = buildReferences(sources, compiler);
  for (const { log } of results) if (log !== '') process.stderr.write(log);
  const bad = results.filter(({ ok }) => !ok).map(({ source }) => basename(source));
  const state = bad.length === 0 ? 'found, built' : `does not compile: ${bad.join(', ')}`;
  return [{ stack: {}, name: 'reference', state, how: compiler.join(' '), ok: bad.length === 0 }];
}

function main(args) {
  const withTests = args.includes('--tests');
  const wanted = args.filter((arg) => !arg.startsWith('--'));
  const unknown = wanted.find((name) => !stacks.some((stack) => stack.name === name));
  if (unknown) fail(`There is no stack named ${unknown}: choose from ${stacks.map(({ name }) => name).join(', ')}.`);
  const compiler = findCompiler();
  if (compiler === undefined) {
    fail(`No C++17 compiler was found: ${installCommand('g++ make python3', 'g++, make and python3')}, or set CXX.`);
  }
  const headers = findHeaders();
  say('Native stacks');
  say(`  compiler: ${compiler.version} (${compiler.path}); Node-API headers of ${headers.origin}`);
  const tools = { compiler, headers };
  const chosen = stacks.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const rows = chosen.flatMap((stack) => buildStack(stack, tools, inProject('dist/native')));
  if (withTests) {
    rows.push(...testStacks.flatMap((stack) => buildStack(stack, tools, inProject('build/test'))), ...references(rows));
  }
  const table = [['stack', 'state', 'with / how to get it'], ...rows.map(({ name, state, how }) => [name, state, how])];
  for (const line of tableLines(table)) say(`  ${line}`);
  const failed = rows.filter(({ ok }) => !ok);
  const excused = ({ stack, state }) => stack.optional && state === MISSING;
  const fatal = failed.filter((row) => row.stack.always || (inCI && !excused(row)));
  if (fatal.length > 0) fail(`Could not be built: ${fatal.map(({ name }) => name).join(', ')}.`);
}

main(process.argv.slice(2));
