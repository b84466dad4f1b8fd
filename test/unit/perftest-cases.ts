/** Ways to parse the options of ib_*, and what perftest 4.5 printed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { perftests } from '../../src/bench/suites/perftest.js';
import type { ParsedPerftest, PerftestName, PerftestOptions } from '../../src/cli/perftest-options.js';
import { parsePerftest } from '../../src/cli/perftest.js';
import { projectRoot, readFixture } from './project.js';

const FIXTURES = 'perftest-4.5';

type Kind<K extends ParsedPerftest['kind']> = Extract<ParsedPerftest, { kind: K }>;

export const NAMES: readonly PerftestName[] = perftests.map(({ name }) => name);

/** Parses what must come out as this kind of result. */
export function parsedPerftest<K extends ParsedPerftest['kind']>(
  kind: K,
  name: PerftestName,
  argv: readonly string[],
  underLauncher = false,
): Kind<K> {
  const result = parsePerftest(name, argv, { underLauncher });
  if (result.kind !== kind) throw new Error(`${argv.join(' ')}: expected ${kind}, got ${JSON.stringify(result)}`);
  return result as Kind<K>;
}

/** Options and arguments as they are typed: `-a -n 10`. */
export function words(line: string): string[] {
  return line.split(' ').filter(Boolean);
}

export const run = (name: PerftestName, line = ''): PerftestOptions => parsedPerftest('run', name, words(line)).options;
export const notes = (name: PerftestName, line = ''): readonly string[] =>
  parsedPerftest('run', name, words(line)).notes;
export const refused = (name: PerftestName, line: string): Kind<'refuse'> =>
  parsedPerftest('refuse', name, words(line));

export interface PerftestCapture {
  readonly label: string;
  readonly name: PerftestName;
  /** As the peer was started, with the server's name of a client. */
  readonly argv: readonly string[];
  readonly side: 'client' | 'server' | 'alone';
  readonly text: string;
  readonly exitCode: number | string;
}

interface Entry {
  readonly server?: readonly string[];
  readonly client?: readonly string[];
  readonly alone?: readonly string[];
  readonly serverCode?: number | string;
  readonly clientCode?: number | string;
  readonly code?: number | string;
}

/** What each side of each run of the peer printed to stdout. */
export function readPerftestCaptures(): readonly PerftestCapture[] {
  const index = JSON.parse(readFixture(`${FIXTURES}/index.json`)) as Readonly<Record<string, Entry>>;
  return Object.entries(index).flatMap(([label, entry]) => [
    ...capture(label, 'server', entry.server, entry.serverCode),
    ...capture(label, 'client', entry.client, entry.clientCode),
    ...capture(label, 'alone', entry.alone, entry.code),
  ]);
}

function capture(
  label: string,
  side: PerftestCapture['side'],
  command: readonly string[] | undefined,
  exitCode: number | string | undefined,
): PerftestCapture[] {
  const [program, ...argv] = command ?? [];
  const name = NAMES.find((known) => known === program);
  const file = `${FIXTURES}/${label}.${side}.txt`;
  if (!name || !existsSync(join(projectRoot, 'test/fixtures', file))) return [];
  return [{ label: `${label}, ${side}`, name, argv, side, text: readFixture(file), exitCode: exitCode ?? '' }];
}
