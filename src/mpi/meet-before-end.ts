/**
 * MPICH before 4.2 (seen with 4.0.2) hangs in MPI_Finalize over UCX's tcp where one rank has closed its endpoints before
 * another one begins to: closing needs the peer's progress, and who has done it waits in the launcher's barrier without any
 * (pmodels/mpich pull request 6596). So all ranks meet in that barrier first, as later versions do by themselves.
 */
import { readSync, writeSync } from 'node:fs';
import { isMpichBefore } from './repairs.js';
import type { Mpi } from './types.js';

const FIXED = [4, 2] as const;
const LONGEST_ANSWER = 1024;

/** To be called right before MPI ends, by all ranks; does nothing where there is no need. */
export function meetBeforeEnd(MPI: Pick<Mpi, 'Get_library_version'>, env: NodeJS.ProcessEnv = process.env): void {
  const text = env['PMI_FD'];
  if (text === undefined || !/^\d+$/.test(text) || !isMpichBefore(MPI, FIXED)) return;
  try {
    barrier(Number(text));
  } catch {
    // A launcher that has gone: MPI will find that out, and say it.
    return;
  }
}

/** The barrier of PMI 1; MPICH itself speaks by this descriptor only while it starts and ends. */
function barrier(fd: number): void {
  writeSync(fd, 'cmd=barrier_in\n');
  const bytes = Buffer.alloc(LONGEST_ANSWER);
  for (let length = 0; length < bytes.length && !bytes.subarray(0, length).includes('\n');) {
    const count = readSync(fd, bytes, length, bytes.length - length, null);
    if (count === 0) return;
    length += count;
  }
}
