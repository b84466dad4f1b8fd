/** Servers and clients of the ib_* programs in the Soft-RoCE machine, for tests of what goes wrong. */
import { assert } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PerftestName } from '../../src/cli/perftest-options.js';
import { program } from '../launch/output.js';
import { begin, listening, type Ended, type RunOptions, type Running } from './processes.js';

export const ADDRESS = '10.9.0.1';
/** A small size, which is soon measured, and one that goes on for as long as a test needs. */
export const TWO_SIZES = ['--sizes', '64,1M'];

export const ours = (name: PerftestName): string[] => [process.execPath, program(name)];

/** Iterations that make the second of `TWO_SIZES` last, and not the first. */
export const longRun = (name: string): string[] => [...TWO_SIZES, '-n', name.endsWith('_lat') ? '1500' : '5000'];

/** Rows of a table under way or at its end. */
export const rows = (text: string): string[] => text.split('\n').filter((line) => /^ \d+ +\d+ /.test(line));

export interface Sides {
  readonly port: number;
  readonly server: Running;
  readonly client: Running;
}

let nextPort = 20_000;
/** One that no test before has used. */
export const freshPort = (): number => nextPort++;

/** Starts a server and, once it listens, its client, both at a port of their own. */
export async function beginSides(
  server: readonly string[],
  client: readonly string[],
  options: { readonly server?: RunOptions; readonly client?: RunOptions; readonly address?: string } = {},
): Promise<Sides> {
  const port = freshPort();
  const limits = { limit: 120 };
  const there = begin([...server, '-p', String(port)], { cpu: 0, ...limits, ...options.server });
  await listening(there, port);
  const here = begin([...client, '-p', String(port), options.address ?? ADDRESS], {
    cpu: 1,
    ...limits,
    ...options.client,
  });
  return { port, server: there, client: here };
}

/** Waits until a process has printed what matches. Throws its report where it ends before. */
export async function printing(side: Running, pattern: RegExp): Promise<void> {
  let over: Ended | undefined;
  void side.ended.then((ended) => (over = ended));
  while (!pattern.test(side.printed())) {
    if (over) throw new Error(`it ended too early: ${over.report}`);
    await sleep(50);
  }
}

/** Waits until a side has shown its first row, and a little longer: the next size is under way then. */
export async function measuring(side: Running): Promise<void> {
  await printing(side, /^ \d+ +\d+ .*\n/m);
  await sleep(500);
}

export async function bothEnds({
  server,
  client,
}: Pick<Sides, 'server' | 'client'>): Promise<{ readonly server: Ended; readonly client: Ended }> {
  const [first, second] = await Promise.all([server.ended, client.ended]);
  return { server: first, client: second };
}

/** Its one sentence on stderr, which names the program; its exit code is the one expected. */
export function sentenceOf({ code, stderr, report, hung }: Ended, expected = 1): string {
  assert.isFalse(hung, report);
  assert.equal(code, expected, report);
  const lines = stderr.trimEnd().split('\n');
  assert.lengthOf(lines, 1, report);
  const [, sentence = ''] = /^ib_\w+: (.*)$/.exec(lines[0] ?? '') ?? [];
  assert.notEqual(sentence, '', report);
  return sentence;
}
