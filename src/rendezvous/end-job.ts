/** How a rank that can't start MPI has its launcher end the other ranks, which wait for it in MPI's start. */
import { writeSync } from 'node:fs';
import type { Launcher } from './launcher.js';

/** Whether this launcher ends all ranks of a job when one of them has failed. */
export function endsJobs({ launcher }: Launcher): boolean {
  return launcher === 'openmpi' || launcher === 'mpich';
}

/**
 * Asks the launcher to end the job with this exit code, where an exit code of a rank that has not started MPI means nothing to
 * it: MPICH's Hydra takes an abort by PMI, on a descriptor that ranks inherit. Open MPI's mpirun goes by exit codes.
 */
export function endJob({ launcher }: Launcher, exitCode: number, env: NodeJS.ProcessEnv = process.env): void {
  const descriptor = env['PMI_FD'];
  if (launcher !== 'mpich' || descriptor === undefined || !/^\d+$/.test(descriptor)) return;
  try {
    writeSync(Number(descriptor), `cmd=abort exitcode=${exitCode}\n`);
  } catch {
    return; // the launcher has gone
  }
}
