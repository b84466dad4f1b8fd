/** Finds PAPI, through pkg-config or where the compiler looks by itself (as environment modules arrange it). */
import { run } from './project.mjs';
import { findCompiler } from './toolchain.mjs';

const words = (text) => text.split(/\s+/).filter((word) => word !== '');

/** The version that papi.h says it is of; undefined where it doesn't compile or the library doesn't link. */
function versionWith(compiler, { cflags, libs }) {
  const source = '#include <papi.h>\nint main() { return PAPI_library_init(PAPI_VER_CURRENT) < 0; }\n';
  const linked = run(compiler, ['-x', 'c++', '-', ...cflags, '-o', '/dev/null', ...libs], { input: source });
  if (!linked.ok) return undefined;
  const macros = run(compiler, ['-x', 'c++', '-dM', '-E', '-', ...cflags], { input: '#include <papi.h>\n' }).stdout;
  const numbers = /define PAPI_VERSION\s+PAPI_VERSION_NUMBER\((\d+),(\d+),(\d+),\d+\)/.exec(macros) ?? [];
  return numbers.slice(1).join('.') || 'of an unknown version';
}

function flagsOfPkgConfig() {
  const [cflags, libs] = ['--cflags', '--libs'].map((flag) => run('pkg-config', [flag, 'papi']));
  return cflags.ok && libs.ok ? { cflags: words(cflags.stdout), libs: words(libs.stdout) } : undefined;
}

/** `[{ version, by, cflags, libs }]`, or nothing; `note` gets each decision as a sentence. */
export function findPapi(note) {
  const compiler = findCompiler()?.path;
  if (compiler === undefined) return [];
  const searches = [
    { by: 'pkg-config', flags: flagsOfPkgConfig() },
    { by: "the compiler's own paths", flags: { cflags: [], libs: ['-lpapi'] } },
  ];
  for (const { by, flags } of searches) {
    if (flags === undefined) continue;
    const version = versionWith(compiler, flags);
    if (version === undefined) continue;
    note(`PAPI ${version} by ${by}`);
    return [{ version, by, ...flags }];
  }
  note("no PAPI by pkg-config or in the compiler's own paths: -P will not be available");
  return [];
}
