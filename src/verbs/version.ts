/** Which libibverbs is loaded. It has no call that says so; its file's name does. */
import { readFileSync } from 'node:fs';

/** Of rdma-core, e.g. `44.0` of libibverbs.so.1.14.44.0; null where it isn't loaded or its file says none. */
export function verbsVersion(maps = ownMaps()): string | null {
  return /\/libibverbs\.so\.1\.\d+\.(\d+(?:\.\d+)*)$/m.exec(maps)?.[1] ?? null;
}

function ownMaps(): string {
  try {
    return readFileSync('/proc/self/maps', 'utf8');
  } catch {
    return '';
  }
}
