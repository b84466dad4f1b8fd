/** Server and client of an ib_* program with the same options, and what they printed. */
import { assert } from 'chai';
import { perftests } from '../../src/bench/suites/perftest.js';
import { program } from '../launch/output.js';
import { begin, listening, type Ended, type Running } from './processes.js';

export const ADDRESS = '10.9.0.1';
/** Of one pair, in a machine that is emulated and may be busy. */
const LIMIT = 60;
const PORT = 18515;

export interface Sides {
  readonly server: Ended;
  readonly client: Ended;
  readonly report: string;
}

export interface SidesOptions {
  /** Beside those of both. */
  readonly server?: readonly string[];
  readonly client?: readonly string[];
  readonly address?: string;
  /** What to do once both are started; both are ended by force at the limit whatever it does. */
  readonly meanwhile?: (sides: { readonly server: Running; readonly client: Running }) => Promise<void>;
}

export const words = (line: string): string[] => line.split(' ').filter((word) => word !== '');

/** Runs both, the client once the server listens. */
export async function runSides(name: string, line: string, options: SidesOptions = {}): Promise<Sides> {
  const { address = ADDRESS, meanwhile } = options;
  const command = [process.execPath, program(name), ...words(line)];
  const server = begin([...command, ...(options.server ?? [])], { cpu: 0, limit: LIMIT });
  await listening(server, PORT, words(line).includes('-z') ? 'rdma_cm' : 'tcp');
  const client = begin([...command, ...(options.client ?? []), address], { cpu: 1, limit: LIMIT });
  const [ends] = await Promise.all([Promise.all([server.ended, client.ended]), meanwhile?.({ server, client })]);
  return { server: ends[0], client: ends[1], report: ends.map(({ report }) => report).join('\n--\n') };
}

/** The cells of each row. */
export const rowsOf = ({ stdout }: Pick<Ended, 'stdout'>): string[][] =>
  stdout
    .split('\n')
    .filter((text) => /^ \d+ +\d+ /.test(text))
    .map((text) => text.trim().split(/\s+/));

/** Sizes of the rows of a side, each of finite figures; those but the peak of a bandwidth, which may be unknown, above 0. */
function assertFigures(name: string, side: Ended, report: string): void {
  for (const cells of rowsOf(side)) {
    const numbers = cells.map(Number);
    assert.isTrue(numbers.every(Number.isFinite), report);
    assert.isAbove(numbers[name.endsWith('bw') ? 3 : 2] ?? 0, 0, report);
  }
}

/** Both ended well; each has a row of each size where it has any to show. */
export function assertRan(name: string, sides: Sides, rows = 1): void {
  const { server, client, report } = sides;
  assert.deepEqual([server.code, client.code], [0, 0], report);
  const test = perftests.find((one) => one.name === name);
  const idle = test?.kind === 'lat' && (test.verb === 'read' || test.verb === 'atomic');
  assert.deepEqual([rowsOf(client).length, rowsOf(server).length], [rows, idle ? 0 : rows], report);
  for (const side of [client, server]) assertFigures(name, side, report);
}

/** Runs both and checks that they went well. */
export async function ran(name: string, line: string, options: SidesOptions & { readonly rows?: number } = {}) {
  const sides = await runSides(name, line, options);
  assertRan(name, sides, options.rows);
  return sides;
}
