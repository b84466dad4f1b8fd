/** Processes beside a rank, started once MPI runs: does MPI still work when its process forks? */
import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';

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
  // Loaded here: with sockets and streams it takes a rank 2 ms to start, and few ranks have children.
  const { spawn } = createRequire(import.meta.filename)('node:child_process') as typeof import('node:child_process');
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
