/** Builds one addon with node-gyp, in a folder of its own, so that stacks don't overwrite each other's makefiles. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { filesBelow, hashOf, inProject, replaceFile, run } from './project.mjs';

const nodeGyp = inProject('node_modules/node-gyp/bin/node-gyp.js');

/** node-gyp builds in ./build of where it runs, so each addon gets a folder that looks like the project's root. */
function layOut(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of ['binding.gyp', 'csrc', 'test']) {
    const link = join(folder, name);
    if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(join('../../..', name), link);
  }
}

function gyp(folder, compiler, args) {
  const env = { ...process.env, CXX: compiler.path };
  return run(process.execPath, [nodeGyp, '--loglevel=error', ...args], { cwd: folder, env });
}

/**
 * Builds `{ name, sources, defines, with }`: `name` names the folder below build/native and the result NAME.node,
 * `sources` is its folder or a list of folders, `defines` are binding.gyp's variables, `with` says what it is built
 * against. Configures anew only where something that the makefile depends on has changed; the rest is make's. Returns
 * `{ ok, written, log }`: `log` holds the compiler's messages, and all output where it failed.
 */
export function buildAddon({ name, sources, defines, with: builtWith }, { compiler, headers }, destination) {
  const folder = inProject('build/native', name);
  layOut(folder);
  const variables = Object.entries(defines).map(([key, value]) => `-D${key}=${value}`);
  const configure = ['configure', '--nodedir', headers.nodedir, ...headers.options, '--', ...variables];
  const binding = readFileSync(inProject('binding.gyp'), 'utf8');
  const list = [sources].flat().flatMap((from) => filesBelow(inProject(from), ['.cc']));
  const stamp = hashOf([configure, builtWith, compiler, process.version, binding, list, realpathSync(nodeGyp)]);
  const stampFile = join(folder, 'stamp');
  if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
    rmSync(join(folder, 'build'), { recursive: true, force: true });
    const configured = gyp(folder, compiler, configure);
    if (!configured.ok) return { ok: false, log: configured.stdout + configured.stderr };
    writeFileSync(stampFile, stamp);
  }
  const built = gyp(folder, compiler, ['build', '--jobs', String(availableParallelism())]);
  if (!built.ok) return { ok: false, log: built.stdout + built.stderr };
  const written = replaceFile(destination, readFileSync(join(folder, 'build/Release', `${name}.node`)));
  return { ok: true, written, log: built.stderr };
}
