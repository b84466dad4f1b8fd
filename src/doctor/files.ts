/** Files of a machine below a root folder: the machine's own, or one that stands for it. */
import { accessSync, constants, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve as resolvePath } from 'node:path';

/** Paths begin with `/` and are those of the machine. What can't be read is null or empty. */
export interface Files {
  text(path: string): string | null;
  bytes(path: string): Uint8Array | null;
  /** The text without blanks around it; null where there is none. */
  line(path: string): string | null;
  number(path: string): number | null;
  /** Names in a folder, sorted. */
  list(path: string): readonly string[];
  exists(path: string): boolean;
  executable(path: string): boolean;
  /** The path without symbolic links; null where there is nothing. */
  real(path: string): string | null;
  /** Where this process finds the file; null where there is none. */
  place(path: string): string | null;
}

/** More links than any path has. */
const MOST_LINKS = 40;

function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null; // absent, or not for us to read: both mean that it isn't known
  }
}

/** Follows links as the machine would: one to `/etc` means the root's. Null where there is nothing. */
class Links {
  readonly #root: string;
  readonly #known = new Map<string, string | null>([['/', '/']]);

  constructor(root: string) {
    this.#root = root;
  }

  resolve(path: string, links = 0): string | null {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const resolved = this.#look(path, links);
    this.#known.set(path, resolved);
    return resolved;
  }

  #look(path: string, links: number): string | null {
    const folder = this.resolve(dirname(path), links);
    if (folder === null || links > MOST_LINKS) return null;
    const own = join(folder, basename(path));
    const stats = attempt(() => lstatSync(join(this.#root, own), { throwIfNoEntry: false }));
    if (!stats) return null;
    if (!stats.isSymbolicLink()) return own;
    // Above the root there is nothing: `..` stays there.
    return this.resolve(resolvePath(folder, readlinkSync(join(this.#root, own))), links + 1);
  }
}

/** Files below a root folder, `/` being the machine itself. */
export function filesBelow(root: string): Files {
  const isMachine = root === '/';
  const links = new Links(root);
  const real = (path: string): string | null =>
    isMachine ? attempt(() => realpathSync(path)) : links.resolve(resolvePath('/', path));
  const place = (path: string): string | null => {
    if (isMachine) return path;
    const own = real(path);
    return own === null ? null : join(root, own);
  };
  /** What is done with a file that is there and lets it be done. */
  const using = <T>(path: string, action: (file: string) => T): T | null => {
    const file = place(path);
    return file === null ? null : attempt(() => action(file));
  };
  const text = (path: string): string | null => using(path, (file) => readFileSync(file, 'utf8'));
  const line = (path: string): string | null => text(path)?.trim() || null;
  const allowed = (path: string, mode: number): boolean =>
    using(path, (file) => {
      accessSync(file, mode);
      return true;
    }) ?? false;
  return {
    ...{ text, line, real, place },
    bytes: (path) => using(path, (file) => new Uint8Array(readFileSync(file))),
    number: (path) => {
      const found = line(path);
      return found === null || !Number.isFinite(Number(found)) ? null : Number(found);
    },
    list: (path) => using(path, (file) => readdirSync(file).sort()) ?? [],
    exists: (path) => allowed(path, constants.F_OK),
    executable: (path) => allowed(path, constants.X_OK),
  };
}
