/**
 * Whether a launcher can still begin: MPICH's mpiexec waits for ever for a daemon whose ssh has failed (a name that is
 * none, no way in, no MPICH there). It leaves that child uncollected, with its exit code.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as passed } from 'node:timers/promises';

const LOOK_EVERY_MILLISECONDS = 500;

/**
 * Done when a child of this process has ended with another exit code than 0 and nobody has collected it for a while:
 * true; or when `signal` is aborted: false.
 */
export async function agentFails(pid: number, signal: AbortSignal): Promise<boolean> {
  let before: readonly string[] = [];
  while (await passed(LOOK_EVERY_MILLISECONDS, true, { signal, ref: false }).catch(() => false)) {
    const now = failedChildren(pid);
    // Who collects its children is given the time for it.
    if (now.some((child) => before.includes(child))) return true;
    before = now;
  }
  return false;
}

/** Numbers of the children that have ended, not well, and wait to be collected. */
export function failedChildren(pid: number): string[] {
  return textOf(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((child) => {
      // Behind the program's name, which may have anything in it: the state first, the status for wait() last.
      const fields = textOf(`/proc/${child}/stat`).trimEnd().split(') ').at(-1)?.split(' ') ?? [];
      return fields[0] === 'Z' && fields.at(-1) !== '0';
    });
}

/** Text of a file of /proc; empty where the process is gone. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
