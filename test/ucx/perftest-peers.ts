/** Servers, clients and others that a test of ucx_perftest has running, all of which end with it. */
import { assert } from 'chai';
import { once } from 'node:events';
import { connect as rawConnect, type Socket } from 'node:net';
import { EXIT, startClient, startServer, type Run, type Server } from './perftest.js';

const POSIX = ['-x', 'posix', '-d', 'memory'];
/** Processes and sockets of a test. */
export const runs: Run[] = [];
const sockets: Socket[] = [];

/** Ends all of them, after each test. */
export async function endAll(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const run of runs.splice(0)) {
    run.kill('SIGKILL');
    await run.ended;
  }
}

export async function serving(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const server = await startServer(args, { env });
  runs.push(server.run);
  return server;
}

export function client(
  server: { readonly port: number },
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const run = startClient(server, args, { env });
  runs.push(run);
  return run;
}

/** Waits until the server waits for so many clients, one after the other. */
export async function waiting(server: Server, times: number): Promise<void> {
  await server.run.until(new RegExp(`(?:Waiting for connection[^]*){${times}}`));
}

/** A server still works: one that comes to its end is the last. */
export async function assertServes(server: Server, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const last = await client(server, [...POSIX, '-t', 'put_lat', '-n', '100', '-V'], env).ended;
  assert.equal(last.code, EXIT.done, last.report);
  const served = await server.run.ended;
  assert.equal(served.code, EXIT.done, served.report);
}

/** A plain TCP client. */
export async function raw({ port }: Server, say: (socket: Socket) => unknown): Promise<void> {
  const socket = rawConnect({ port, host: '127.0.0.1' });
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  say(socket);
}
