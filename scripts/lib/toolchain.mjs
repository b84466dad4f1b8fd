/** Finds the C++ compiler and the Node-API headers that every addon is built with. */
import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { inProject, replaceFile, run, which } from './project.mjs';

/** How to get what is missing, in the words of the system's own package manager. */
export function installCommand(aptPackages, otherwise) {
  return which('apt-get') === undefined ? `install ${otherwise}` : `apt-get install ${aptPackages}`;
}

/** A compiler that accepts C++17: `{ path, version }`, or undefined. `$CXX` goes first. */
export function findCompiler() {
  const candidates = [process.env.CXX, 'g++', 'c++', 'clang++'].filter((name) => name);
  for (const name of candidates) {
    const input = '#include <optional>\nint main() { return std::optional<int>().has_value(); }\n';
    if (!run(name, ['-std=c++17', '-fsyntax-only', '-x', 'c++', '-'], { input }).ok) continue;
    return { path: name, version: run(name, ['--version']).stdout.split('\n')[0] };
  }
  return undefined;
}

// node-gyp includes the common.gypi of its node folder. The addons set every option that matters themselves, so that
// the one made for the package's headers only has to name the configurations.
const commonGypi = `{
  'target_defaults': {
    'default_configuration': 'Release',
    'configurations': { 'Release': {}, 'Debug': {} },
    'cflags': ['-pthread'],
    'ldflags': ['-pthread']
  }
}
`;

/** Lays the package node-api-headers out as node-gyp expects a node folder to be, in build/headers. */
function headersOfPackage() {
  const from = createRequire(import.meta.url)('node-api-headers').include_dir;
  const folder = inProject('build/headers');
  for (const name of readdirSync(from)) {
    replaceFile(join(folder, 'include/node', name), readFileSync(join(from, name)));
  }
  replaceFile(join(folder, 'include/node/common.gypi'), commonGypi);
  return { nodedir: folder, options: ['--force-process-config'], origin: 'the package node-api-headers' };
}

/** Headers for node-gyp, never downloaded: those of the running Node where it has them, else those of the package. */
export function findHeaders() {
  const prefix = dirname(dirname(realpathSync(process.execPath)));
  const own = ['node_api.h', 'common.gypi'].every((name) => existsSync(join(prefix, 'include/node', name)));
  return own ? { nodedir: prefix, options: [], origin: join(prefix, 'include/node') } : headersOfPackage();
}
