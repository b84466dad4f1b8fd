/** One run of a program in the way of ucx_perftest: a server and a client on a core each, or with `-l` one process. */
import { freePort, runOne, runTwo } from '../two-sides.mjs';
import { outcomeOf } from './outcome.mjs';

function runBoth(program, args, { environment, limit, cpus }) {
  const port = freePort();
  const at = ['-p', String(port)];
  const server = [...program, ...at, '-c', cpus[0]];
  const client = [...program, '127.0.0.1', ...at, '-c', cpus[1], ...args];
  return runTwo({ server, client, port, environment, limit });
}

/**
 * Runs one cell once. `limit` is in seconds, after which all of it is ended; `cpus` are the server's and the client's
 * core. Returns what it came to (`outcomeOf`). A server that outlives a run that went well is a hang too.
 */
export async function runCell(program, cell, { iterations, warmup }, { limit, cpus }) {
  const measured = ['-t', cell.test, '-s', String(cell.size), '-n', String(iterations), '-w', String(warmup)];
  const args = ['-f', '-v', ...measured, ...cell.args];
  const { environment } = cell;
  const ended = cell.loopback
    ? await runOne([...program, '-l', '-c', cpus[1], ...args], { environment, limit })
    : await runBoth(program, args, { environment, limit, cpus });
  const outcome = outcomeOf(ended, iterations);
  return ended.serverHung ? { kind: 'hung', about: ended.serverHung, then: outcome } : outcome;
}
