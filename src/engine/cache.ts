import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Units of a size as the kernel writes it: `32768K`. */
const UNITS: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

interface Cache {
  readonly level: number;
  readonly bytes: number;
}

/**
 * Bytes of the last-level data cache that processor 0 uses, or null where the kernel doesn't tell.
 *
 * @param root where /sys is looked for
 */
export function lastLevelCacheBytes(root = '/'): number | null {
  const folder = join(root, 'sys/devices/system/cpu/cpu0/cache');
  const caches = indices(folder).flatMap((index) => readCache(join(folder, index)) ?? []);
  const level = Math.max(...caches.map((cache) => cache.level));
  return caches.find((cache) => cache.level === level)?.bytes ?? null;
}

function indices(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^index\d+$/.test(name));
  } catch {
    return [];
  }
}

function readCache(folder: string): Cache | undefined {
  const [type, level, size] = ['type', 'level', 'size'].map((name) => readText(join(folder, name)));
  const [, amount, unit = ''] = /^(\d+)([KMG]?)$/.exec(size ?? '') ?? [];
  if (type === 'Instruction' || amount === undefined || !(Number(level) >= 1)) return undefined;
  return { level: Number(level), bytes: Number(amount) * (UNITS[unit] ?? NaN) };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
