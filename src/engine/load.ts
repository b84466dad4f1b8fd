/** The one file that loads native addons. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { LoadError, OperationError } from './errors.js';

/** MPI libraries that an addon can be built against. */
export type MpiFamily = 'openmpi' | 'mpich';

/** A setting of UCX's memory hooks that is in force, and who made it. */
export interface HookSetting {
  readonly value: string;
  readonly setBy: 'user' | 'fabricbench';
}

/**
 * UCX patches mmap and its kin in place, which crashes Node now and then: these settings keep it from that
 * (ARCHITECTURE.md, "Traps that shaped the code").
 */
const safeHooks = { UCX_MEM_MMAP_HOOK_MODE: 'reloc', UCX_MEM_MALLOC_RELOC: 'n' } as const;

const mpis = {
  openmpi: { title: 'Open MPI', packages: 'libopenmpi-dev openmpi-bin' },
  mpich: { title: 'MPICH', packages: 'libmpich-dev mpich' },
} as const;

function install(what: string, packages: string): string {
  return `install ${what} (on Debian: apt-get install ${packages}), then npm run build`;
}

const mends: Record<string, string> = {
  engine: 'build it with npm run build',
  'mpi-openmpi': install('it', mpis.openmpi.packages),
  'mpi-mpich': install('it', mpis.mpich.packages),
  ucx: install('UCX', 'libucx-dev'),
  verbs: install('rdma-core', 'libibverbs-dev librdmacm-dev'),
  topology: install('hwloc', 'libhwloc-dev'),
  papi: install('PAPI', 'libpapi-dev'),
};

/** How to get an addon that is not there. */
export function howToBuild(addon: string): string {
  return mends[addon] ?? 'install its library, then npm run build';
}

const here = import.meta.dirname;
const applied: Record<string, HookSetting> = {};
const addons = new Map<string, unknown>();

/** Folder of the addons: `native/` beside this file (in dist/), else `dist/native/` of a folder above (in tests). */
function nativeFolder(): string {
  const beside = join(here, 'native');
  if (existsSync(beside)) return beside;
  for (let folder = here; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'dist', 'native');
    if (existsSync(candidate)) return candidate;
  }
  return beside;
}

/**
 * Sets UCX's memory hooks to what is safe in Node, unless the user has set either; notes what is in force. A user's own
 * `reloc` gets the other setting all the same: alone it makes MPICH hang.
 */
function applyHookSettings(): void {
  const names = Object.keys(safeHooks) as (keyof typeof safeHooks)[];
  const byUser = names.filter((name) => process.env[name] !== undefined && applied[name]?.setBy !== 'fabricbench');
  const complete = byUser.length === 0 || process.env['UCX_MEM_MMAP_HOOK_MODE'] === safeHooks.UCX_MEM_MMAP_HOOK_MODE;
  for (const name of names) {
    if (applied[name] !== undefined) continue;
    if (complete) process.env[name] ??= safeHooks[name];
    const value = process.env[name];
    if (value !== undefined) applied[name] = { value, setBy: byUser.includes(name) ? 'user' : 'fabricbench' };
  }
}

/** The settings of UCX's memory hooks that are in force since the first stack was loaded; empty before. */
export function hookSettings(): Readonly<Record<string, HookSetting>> {
  return { ...applied };
}

/** The error for an addon whose file is there and that the system refuses to load. */
export function explainLoadFailure(name: string, path: string, cause: Error): LoadError {
  const library = /(\S+\.so[.\d]*): cannot open shared object file/.exec(cause.message)?.[1];
  const mend = howToBuild(name);
  if (library !== undefined && library !== path) {
    const message = `${name}.node needs the library ${library}, which this machine does not have: ${mend}`;
    return new LoadError(message, name, 'library', { cause });
  }
  const message = `${name}.node can't be loaded (${cause.message}): build it again on this machine with npm run build`;
  return new LoadError(message, name, 'other', { cause });
}

/** Names of the addons that are built, e.g. `engine`, `mpi-openmpi`. */
export function builtAddons(): string[] {
  const folder = nativeFolder();
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.node'))
    .map((file) => file.slice(0, -'.node'.length));
}

/** As worker_threads' isMainThread, without loading that module, which takes a rank 3 ms. */
function isMainThread(): boolean {
  const [process, , thread] = readlinkSync('/proc/thread-self').split('/');
  return process === thread;
}

declare const cancelWordBrand: unique symbol;
/** The engine's flag that ends all runs, as a pointer that only native code can use. */
export interface CancelWord {
  readonly [cancelWordBrand]: true;
}

/** What every addon may export for its loader. */
interface AddonExports {
  readonly setErrorClass?: (constructor: typeof OperationError) => void;
  readonly setCancelWord?: (word: CancelWord) => void;
  /** The engine's alone. */
  readonly cancelWord?: CancelWord;
}

/** The engine's, once it is loaded. */
let cancelWord: CancelWord | undefined;

/** Tells an addon, or with the engine all that were loaded before it, where the flag is that ends all runs. */
function shareCancelWord(exports: AddonExports): void {
  cancelWord ??= exports.cancelWord;
  if (cancelWord === undefined) return;
  const others = exports.cancelWord === undefined ? [] : (addons.values() as Iterable<AddonExports>);
  for (const each of [exports, ...others]) each.setCancelWord?.(cancelWord);
}

function requireAddon(path: string): AddonExports {
  return createRequire(import.meta.filename)(path) as AddonExports;
}

/**
 * Loads an addon by its name (`engine`, `mpi-openmpi`, ...) and returns its exports; later calls return the same. Other
 * stacks than the engine get safe settings of UCX's memory hooks first. Throws `LoadError`.
 */
export function loadAddon(name: string): unknown {
  const known = addons.get(name);
  if (known !== undefined) return known;
  if (!isMainThread()) {
    throw new LoadError(`${name}.node works on Node's main thread only: load it there, not in a Worker`, name, 'other');
  }
  const path = join(nativeFolder(), `${name}.node`);
  if (!existsSync(path)) {
    const mend = howToBuild(name);
    throw new LoadError(`${name}.node is not built (looked for ${path}): ${mend}`, name, 'not-built');
  }
  if (name !== 'engine') applyHookSettings();
  return adopt(name, path);
}

function adopt(name: string, path: string): unknown {
  let exports: AddonExports;
  try {
    exports = requireAddon(path);
  } catch (error) {
    throw explainLoadFailure(name, path, error instanceof Error ? error : new Error(String(error)));
  }
  exports.setErrorClass?.(OperationError);
  shareCancelWord(exports);
  addons.set(name, exports);
  return exports;
}

/**
 * Loads an addon from a path of its own, such as one that a user built for operations of their own. It is treated like a
 * stack's. Throws `LoadError`.
 */
export function loadAddonFile(path: string): unknown {
  const known = addons.get(path);
  if (known !== undefined) return known;
  if (!isMainThread()) throw new LoadError(`${path} works on Node's main thread only`, path, 'other');
  if (!existsSync(path)) throw new LoadError(`there is no addon ${path}`, path, 'not-built');
  applyHookSettings();
  return adopt(path, path);
}

/** Whose launcher started this process, as its environment tells; undefined where nothing does. */
interface LauncherFamily {
  readonly family: MpiFamily;
  /** False where the other family may have been built for this launcher too: Slurm and PRRTE serve any MPI. */
  readonly certain: boolean;
}

function familyOfLauncher(env: NodeJS.ProcessEnv): LauncherFamily | undefined {
  if (env['OMPI_COMM_WORLD_SIZE'] !== undefined) return { family: 'openmpi', certain: true };
  if (env['PMIX_RANK'] !== undefined) return { family: 'openmpi', certain: false };
  if (env['PMI_SIZE'] === undefined) return undefined;
  const byHydra = env['HYDI_CONTROL_FD'] !== undefined || env['MPI_LOCALRANKID'] !== undefined;
  return { family: 'mpich', certain: byHydra || env['SLURM_PROCID'] === undefined };
}

/**
 * Which MPI to load: the one asked for (argument, then FABRICBENCH_MPI unless it is empty), the launcher's, or the one that
 * is built.
 * Throws `LoadError` for a family that there is not, and where only another one than the launcher's is built.
 */
export function chooseMpiFamily(
  asked?: string,
  env = process.env,
  built: readonly string[] = builtAddons(),
): MpiFamily {
  const name = asked ?? (env['FABRICBENCH_MPI'] || undefined);
  if (name !== undefined && name !== 'openmpi' && name !== 'mpich') {
    throw new LoadError(`there is no MPI family "${name}": use openmpi or mpich`, `mpi-${name}`, 'choice');
  }
  if (name !== undefined) return name;
  const launcher = familyOfLauncher(env);
  const wanted = launcher?.family ?? 'openmpi';
  const other = wanted === 'openmpi' ? 'mpich' : 'openmpi';
  if (built.includes(`mpi-${wanted}`) || !built.includes(`mpi-${other}`)) return wanted;
  if (launcher?.certain !== true) return other;
  const { title, packages } = mpis[wanted];
  const problem = `${title}'s mpirun started this process, but only mpi-${other}.node is built`;
  const mend = `start it with ${mpis[other].title}'s mpirun, or ${install(title, packages)}`;
  throw new LoadError(`${problem}: ${mend}`, `mpi-${wanted}`, 'choice');
}

/** Loads the addon of an MPI family, by default the one that `chooseMpiFamily` finds. Throws `LoadError`. */
export function loadMpi(family?: string): { readonly family: MpiFamily; readonly addon: unknown } {
  const chosen = chooseMpiFamily(family);
  return { family: chosen, addon: loadAddon(`mpi-${chosen}`) };
}
