/** The processes of a job, found in /proc by a variable that they all inherit. */
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';

/**
 * Marks what belongs to a launch. Neither parents nor groups would do: launchers give ranks sessions of their own, and
 * a rank whose launcher was killed has init for a parent.
 */
export const MARK = 'FABRICBENCH_JOB';

let launches = 0;

/** The variable with a mark that no other launch has. */
export function markEnvironment(): Readonly<Record<string, string>> {
  return { [MARK]: `${process.pid}-${Date.now()}-${launches++}` };
}

/** Numbers of the processes on this host that carry this mark and still run. */
export function processesOf(mark: string): number[] {
  const wanted = `${MARK}=${mark}`;
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  // Of a process that has ended and waits to be collected the environment is empty; of other users' it can't be read.
  return pids.filter((pid) => textOf(`/proc/${pid}/environ`).split('\0').includes(wanted)).map(Number);
}

/** Text of a file of /proc; empty where the process is gone, or another user's. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Sends a signal to all of them; those that have ended meanwhile are left out. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      continue;
    }
  }
}

/** A file of shared memory, as one that has its name later may be another one. */
export interface SharedFile {
  readonly path: string;
  readonly inode: number;
}

/** What Open MPI 4 and 5, UCX, MPICH and fabricbench call theirs: a rank may use others' too, which are not ours to remove. */
const SHARED_MEMORY = /^\/dev\/shm\/(vader_segment\.|sm_segment\.|ucx_shm_posix_|mpich_shar_tmp|fabricbench)[^\n]*$/;

/** Files of shared memory that these processes use: who is killed can't take them away. */
export function sharedFilesOf(pids: readonly number[]): SharedFile[] {
  const paths = new Set(pids.flatMap((pid) => [...mappedBy(pid), ...openedBy(pid)]));
  return [...paths].flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ path, inode: stats.ino }];
  });
}

function mappedBy(pid: number): string[] {
  const lines = textOf(`/proc/${pid}/maps`).split('\n');
  return lines.map((line) => line.slice(line.indexOf('/'))).filter((path) => SHARED_MEMORY.test(path));
}

function openedBy(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    const links = readdirSync(folder).map((name) => readlinkSync(`${folder}/${name}`));
    return links.filter((path) => SHARED_MEMORY.test(path));
  } catch {
    return [];
  }
}

/** Removes those that are still there, once nobody uses them. */
export function removeShared(files: readonly SharedFile[]): void {
  for (const { path, inode } of files) {
    if (statSync(path, { throwIfNoEntry: false })?.ino === inode) rmSync(path, { force: true });
  }
}
