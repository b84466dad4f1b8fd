/** How much processor time the cgroup grants, version 1 and 2. */
import { join } from 'node:path';
import { allowedOf, type Host } from '../host.js';
import type { Files } from '../files.js';
import { finding, goodOr, type Check, type Finding } from '../types.js';
import { count } from '../words.js';

interface Mount {
  readonly root: string;
  readonly point: string;
  readonly kind: string;
  readonly options: readonly string[];
}

/** `31 30 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu` */
function mountsOf(files: Files): Mount[] {
  const lines = (files.text('/proc/self/mountinfo') ?? '').split('\n');
  return lines.flatMap((line) => {
    const [own = '', more = ''] = line.split(' - ');
    const [, , , root = '', point = ''] = own.split(' ');
    const [kind = '', , options = ''] = more.split(' ');
    return kind === 'cgroup' || kind === 'cgroup2' ? [{ root, point, kind, options: options.split(',') }] : [];
  });
}

/** Folders from a cgroup up to its mount, the cgroup first. */
function upwards({ root, point }: Mount, path: string): string[] {
  const below =
    path === root
      ? ''
      : path.startsWith(root === '/' ? '/' : `${root}/`)
        ? path.slice(root === '/' ? 0 : root.length)
        : '';
  const parts = below.split('/').filter((part) => part !== '' && part !== '..');
  return parts.map((_, index) => join(point, ...parts.slice(0, parts.length - index))).concat(point);
}

/** Processors that a folder's quota is worth; null for no quota. */
function quotaOf(files: Files, folder: string): number | null {
  const [most, period] = (files.line(`${folder}/cpu.max`) ?? '').split(' ').map(Number);
  if (most !== undefined && period !== undefined && most / period > 0) return most / period;
  const quota = files.number(`${folder}/cpu.cfs_quota_us`) ?? -1;
  const each = files.number(`${folder}/cpu.cfs_period_us`) ?? 100_000;
  return quota > 0 ? quota / each : null;
}

/** Folders that may limit this process; null where nothing tells. */
function foldersOf(files: Files): string[] | null {
  const cgroups = files.text('/proc/self/cgroup');
  if (cgroups === null) return null;
  const mounts = mountsOf(files);
  return cgroups.split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) return [];
    const fits = ({ kind, options }: Mount): boolean =>
      controllers === '' ? kind === 'cgroup2' : kind === 'cgroup' && options.includes('cpu');
    if (controllers !== '' && !controllers.split(',').includes('cpu')) return [];
    return mounts.filter(fits).flatMap((mount) => upwards(mount, path));
  });
}

function quota(host: Host): Finding {
  const { files } = host;
  const cpus = allowedOf(host).length;
  const wanted =
    'none, or as much as the processors allowed: whoever has used it up stands still for the rest of a period';
  const folders = foldersOf(files);
  if (folders === null) return finding('CPU quota', 'unknown', { found: 'the kernel does not say', wanted });
  const quotas = folders.flatMap((folder) => quotaOf(files, folder) ?? []);
  const least = Math.min(...quotas);
  const throttled = folders.reduce(
    (most, folder) =>
      Math.max(most, Number(/^nr_throttled (\d+)/m.exec(files.text(`${folder}/cpu.stat`) ?? '')?.[1] ?? 0)),
    0,
  );
  const times = throttled > 0 ? `; its cgroup was stopped ${count(throttled, 'time')} so far` : '';
  const found =
    quotas.length === 0 ? 'none' : `${Number(least.toFixed(2))} of ${count(cpus, 'processor')} allowed${times}`;
  return finding('CPU quota', goodOr(quotas.length === 0 || least >= cpus, 'bad'), {
    found,
    wanted,
    mend: 'start the container or the job without a limit of CPU time (cpu.max, cpu.cfs_quota_us), with whole processors in place of it',
  });
}

export const quotaChecks: readonly Check[] = [{ look: (host) => [quota(host)], varies: true }];
