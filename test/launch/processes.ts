/** Processes as /proc shows them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Text of a file of /proc; empty where the process is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Processes that were started with a variable of this value, themselves or by way of their ancestors, and still run. */
export function withVariable(name: string, value: string): number[] {
  const pids = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
  return pids.filter((pid) => variableOf(pid, name) === value);
}

/** Processes that a process has started and that still run. */
export function childrenOf(pid: number): number[] {
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : [];
  const lists = threads.map((thread) => read(`/proc/${pid}/task/${thread}/children`));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** A variable that the process was started with; undefined for one that has ended and waits to be collected. */
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

/** What a process maps into its memory, as text. */
export function mapsOf(pid: number): string {
  return read(`/proc/${pid}/maps`);
}
