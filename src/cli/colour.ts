/** Whether stdout is somebody's terminal that shows colours. */
import { readLauncher } from '../rendezvous/launcher.js';

/**
 * Under mpirun every rank has a terminal, even where the output goes to a file. isTTY is undefined where there is none, which
 * picocolors would take for leave to decide by itself: it then colours the files of CI.
 */
export function showsColours(): boolean {
  const { TERM, NO_COLOR } = process.env;
  return readLauncher(process.env).launcher === null && process.stdout.isTTY === true && TERM !== 'dumb' && !NO_COLOR;
}
