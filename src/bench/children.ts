/** Processes beside a rank, started once MPI runs: does MPI still work when its process forks? */
import { spawn, type ChildProcess } from 'node:child_process';

export interface Children {
  readonly pids: readonly number[];
  /** Ends them. */
  stop(): void;
}

/**
 * Starts processes that wait. Each reads a pipe of this process, so that it ends with it, however that ends.
 *
 * @throws Error where the system starts none
 */
export function startChildren(count: number): Children {
  const children: ChildProcess[] = Array.from({ length: count }, () =>
    spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] }),
  );
  const pids = children.map(({ pid }) => {
    if (pid === undefined)
      throw new Error('a process could not be started beside this rank: see ulimit -u and that cat is on PATH');
    return pid;
  });
  return {
    pids,
    stop: () => {
      for (const child of children) child.kill();
    },
  };
}
