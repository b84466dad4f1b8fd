/** Finds UCX, through pkg-config or where the compiler looks by itself (as environment modules arrange it). */
import { run } from './project.mjs';
import { findCompiler } from './toolchain.mjs';

const words = (text) => text.split(/\s+/).filter((word) => word !== '');
const libraries = ['-lucp', '-luct', '-lucs', '-lucm'];

/** The version that UCX's headers say they are of; undefined where they don't compile or the libraries don't link. */
function versionWith(compiler, { cflags, libs }) {
  const source = `#include <ucp/api/ucp.h>\n#include <uct/api/uct.h>\nint main() { return ucp_get_version_string()[0] == 0 || uct_query_components(nullptr, nullptr) == 0; }\n`;
  const linked = run(compiler, ['-x', 'c++', '-', ...cflags, '-o', '/dev/null', ...libs], { input: source });
  if (!linked.ok) return undefined;
  const macros = run(compiler, ['-x', 'c++', '-dM', '-E', '-', ...cflags], {
    input: '#include <ucp/api/ucp_version.h>\n',
  }).stdout;
  const part = (name) => new RegExp(`define UCP_API_${name}\\s+(\\d+)`).exec(macros)?.[1] ?? '?';
  return `${part('MAJOR')}.${part('MINOR')}`;
}

function flagsOfPkgConfig() {
  const [cflags, libs] = ['--cflags', '--libs'].map((flag) => run('pkg-config', [flag, 'ucx']));
  if (!cflags.ok || !libs.ok) return undefined;
  return { cflags: words(cflags.stdout), libs: [...new Set([...words(libs.stdout), ...libraries])] };
}

/** `[{ version, by, cflags, libs }]`, or nothing; `note` gets each decision as a sentence. */
export function findUcx(note) {
  const compiler = findCompiler()?.path;
  if (compiler === undefined) return [];
  const searches = [
    { by: 'pkg-config', flags: flagsOfPkgConfig() },
    { by: "the compiler's own paths", flags: { cflags: [], libs: libraries } },
  ];
  for (const { by, flags } of searches) {
    if (flags === undefined) continue;
    const version = versionWith(compiler, flags);
    if (version === undefined) continue;
    note(`UCX ${version} by ${by}`);
    return [{ version, by, ...flags }];
  }
  note("no UCX by pkg-config or in the compiler's own paths: ucx_perftest and --layer ucp, uct will not be available");
  return [];
}
