/** Processes as /proc shows them. */
import { readdirSync, readFileSync } from 'node:fs';

/** Text of a file of /proc; empty where the process is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** State and session stand behind the name, which is in brackets and may hold anything. */
function statOf(pid: number): { state: string; session: number } | undefined {
  const [state, , , session] = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
  return state === undefined || session === undefined ? undefined : { state, session: Number(session) };
}

/** Processes of a session that still run: those that have ended and wait to be collected don't count. */
export function inSession(session: number): number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => {
    const stat = statOf(pid);
    return stat?.session === session && stat.state !== 'Z';
  });
}

/** A variable that the process was started with. */
export function variableOf(pid: number, name: string): string | undefined {
  const line = read(`/proc/${pid}/environ`)
    .split('\0')
    .find((entry) => entry.startsWith(`${name}=`));
  return line?.slice(name.length + 1);
}

export function commandOf(pid: number): string[] {
  return read(`/proc/${pid}/cmdline`).split('\0');
}

/** Processors of every thread of a process, in the kernel's notation. */
export function processorsOf(pid: number): string[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap((thread) => {
    const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(read(`/proc/${pid}/task/${thread}/status`))?.[1];
    return list === undefined ? [] : [list];
  });
}
