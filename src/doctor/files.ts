/** Files of a machine below a root folder: the machine's own, or one that stands for it. */
import { accessSync, constants, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Paths begin with `/` and are those of the machine. What can't be read is null or empty. */
export interface Files {
  text(path: string): string | null;
  /** The text without blanks around it; null where there is none. */
  line(path: string): string | null;
  number(path: string): number | null;
  /** Names in a folder, sorted. */
  list(path: string): readonly string[];
  exists(path: string): boolean;
  executable(path: string): boolean;
  /** The path without symbolic links; null where there is nothing. */
  real(path: string): string | null;
  /** Where this process finds the file. */
  place(path: string): string;
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

/** Follows links as the machine would: one to `/etc` means the root's. */
function resolveBelow(root: string, path: string): string | null {
  let rest = path.split('/').filter(Boolean);
  let done = '';
  for (let links = 0; rest.length > 0;) {
    const [name = '', ...more] = rest;
    rest = more;
    if (name === '..') {
      done = done === '' ? '' : dirname(done).replace(/\/$/, '');
      continue;
    }
    const target = attempt(() => readlinkSync(join(root, done, name)));
    if (target === null) {
      done = `${done}/${name}`;
      continue;
    }
    if (++links > MOST_LINKS) return null;
    if (target.startsWith('/')) done = '';
    rest = [...target.split('/').filter((part) => part !== '' && part !== '.'), ...rest];
  }
  return attempt(() => accessSync(join(root, done))) === null ? null : done || '/';
}

/** Files below a root folder, `/` being the machine itself. */
export function filesBelow(root: string): Files {
  const isMachine = root === '/';
  const real = (path: string): string | null =>
    isMachine ? attempt(() => realpathSync(path)) : resolveBelow(root, path);
  const place = (path: string): string => (isMachine ? path : join(root, real(path) ?? path));
  const text = (path: string): string | null => attempt(() => readFileSync(place(path), 'utf8'));
  const line = (path: string): string | null => text(path)?.trim() || null;
  const allowed = (path: string, mode: number): boolean =>
    attempt(() => {
      accessSync(place(path), mode);
      return true;
    }) ?? false;
  return {
    ...{ text, line, real, place },
    number: (path) => {
      const found = line(path);
      return found === null || !Number.isFinite(Number(found)) ? null : Number(found);
    },
    list: (path) => attempt(() => readdirSync(place(path)).sort()) ?? [],
    exists: (path) => allowed(path, constants.F_OK),
    executable: (path) => allowed(path, constants.X_OK),
  };
}
