/** Finds hwloc, through pkg-config or where the compiler looks by itself (as environment modules arrange it). */
import { run } from './project.mjs';
import { findCompiler } from './toolchain.mjs';

const words = (text) => text.split(/\s+/).filter((word) => word !== '');
// Kinds of processors came with 2.4.
const PROGRAM = `#include <hwloc.h>
#if HWLOC_API_VERSION < 0x00020400
#error "too old"
#endif
int main() { return hwloc_cpukinds_get_nr(nullptr, 0); }
`;

/** The version that hwloc.h says it is of; undefined where it is too old, doesn't compile or doesn't link. */
function versionWith(compiler, { cflags, libs }) {
  const linked = run(compiler, ['-x', 'c++', '-', ...cflags, '-o', '/dev/null', ...libs], { input: PROGRAM });
  if (!linked.ok) return undefined;
  const macros = run(compiler, ['-x', 'c++', '-dM', '-E', '-', ...cflags], { input: '#include <hwloc.h>\n' }).stdout;
  return /define HWLOC_VERSION\s+"(.*)"/.exec(macros)?.[1] ?? 'of an unknown version';
}

function flagsOfPkgConfig() {
  const [cflags, libs] = ['--cflags', '--libs'].map((flag) => run('pkg-config', [flag, 'hwloc']));
  return cflags.ok && libs.ok ? { cflags: words(cflags.stdout), libs: words(libs.stdout) } : undefined;
}

/** `[{ version, by, cflags, libs }]`, or nothing; `note` gets each decision as a sentence. */
export function findHwloc(note) {
  const compiler = findCompiler()?.path;
  if (compiler === undefined) return [];
  const searches = [
    { by: 'pkg-config', flags: flagsOfPkgConfig() },
    { by: "the compiler's own paths", flags: { cflags: [], libs: ['-lhwloc'] } },
  ];
  for (const { by, flags } of searches) {
    if (flags === undefined) continue;
    const version = versionWith(compiler, flags);
    if (version === undefined) continue;
    note(`hwloc ${version} by ${by}`);
    return [{ version, by, ...flags }];
  }
  note(
    "no hwloc 2.4 or later by pkg-config or in the compiler's own paths: info shows no topology, and --bind knows neither near, far nor numa",
  );
  return [];
}
