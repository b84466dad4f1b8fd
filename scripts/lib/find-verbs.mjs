/** Finds rdma-core (libibverbs and librdmacm), through pkg-config or where the compiler looks by itself. */
import { run } from './project.mjs';
import { findCompiler } from './toolchain.mjs';

const words = (text) => text.split(/\s+/).filter((word) => word !== '');
const libraries = ['-lrdmacm', '-libverbs'];
const PROGRAM =
  '#include <infiniband/verbs.h>\n#include <rdma/rdma_cma.h>\nint main() { return ibv_get_device_list(nullptr) == nullptr || rdma_create_event_channel() == nullptr; }\n';

function flagsOfPkgConfig() {
  const [cflags, libs, version] = ['--cflags', '--libs', '--modversion'].map((flag) =>
    run('pkg-config', [flag, 'librdmacm', 'libibverbs']),
  );
  if (!cflags.ok || !libs.ok) return undefined;
  return { cflags: words(cflags.stdout), libs: words(libs.stdout), version: words(version.stdout)[0] };
}

function links(compiler, { cflags, libs }) {
  return run(compiler, ['-x', 'c++', '-', ...cflags, '-o', '/dev/null', ...libs], { input: PROGRAM }).ok;
}

/** `[{ version, by, cflags, libs }]`, or nothing; `note` gets each decision as a sentence. */
export function findVerbs(note) {
  const compiler = findCompiler()?.path;
  if (compiler === undefined) return [];
  const searches = [
    { by: 'pkg-config', flags: flagsOfPkgConfig() },
    { by: "the compiler's own paths", flags: { cflags: [], libs: libraries, version: 'of an unknown version' } },
  ];
  for (const { by, flags } of searches) {
    if (flags === undefined || !links(compiler, flags)) continue;
    note(`rdma-core, librdmacm ${flags.version} by ${by}`);
    return [{ by, ...flags }];
  }
  note("no rdma-core by pkg-config or in the compiler's own paths: ib_* and --layer verbs will not be available");
  return [];
}
