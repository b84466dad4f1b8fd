/** A table of tests, ways to parse with it, and what the peer printed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ParsedUcxPerftest, UcxPerftestOptions, UcxTestOptions } from '../../src/cli/ucx-perftest-options.js';
import { parseUcxPerftest, type UcxPerftestContext } from '../../src/cli/ucx-perftest.js';
import type { UcxTestFacts } from '../../src/report/ucx-perftest-types.js';
import { projectRoot, readFixture } from './project.js';

const FIXTURES = 'ucx-perftest-1.13.1';

type Row = readonly [name: string, metric: UcxTestFacts['metric'], description: string];

const UCT: readonly Row[] = [
  ['am_lat', 'latency', 'active message latency'],
  ['put_lat', 'latency', 'put latency'],
  ['add_lat', 'latency', 'atomic add latency'],
  ['get', 'latency', 'get latency / bandwidth / message rate'],
  ['fadd', 'latency', 'atomic fetch-and-add latency / rate'],
  ['swap', 'latency', 'atomic swap latency / rate'],
  ['cswap', 'latency', 'atomic compare-and-swap latency / rate'],
  ['am_bw', 'overhead', 'active message bandwidth / message rate'],
  ['put_bw', 'overhead', 'put bandwidth / message rate'],
  ['add_mr', 'overhead', 'atomic add message rate'],
  ['get_bw', 'overhead', 'get bandwidth / message rate'],
];

const UCP: readonly Row[] = [
  ['tag_lat', 'latency', 'tag match latency'],
  ['tag_bw', 'overhead', 'tag match bandwidth'],
  ['tag_sync_lat', 'latency', 'tag sync match latency'],
  ['tag_sync_bw', 'overhead', 'tag sync match bandwidth'],
  ['ucp_put_lat', 'latency', 'put latency'],
  ['ucp_put_bw', 'overhead', 'put bandwidth'],
  ['ucp_get', 'latency', 'get latency / bandwidth / message rate'],
  ['ucp_add', 'overhead', 'atomic add bandwidth / message rate'],
  ['ucp_fadd', 'latency', 'atomic fetch-and-add latency / bandwidth / rate'],
  ['ucp_swap', 'latency', 'atomic swap latency / bandwidth / rate'],
  ['ucp_cswap', 'latency', 'atomic compare-and-swap latency / bandwidth / rate'],
  ['stream_bw', 'overhead', 'stream bandwidth'],
  ['stream_lat', 'latency', 'stream latency'],
  ['ucp_am_lat', 'latency', 'am latency'],
  ['ucp_am_bw', 'overhead', 'am bandwidth / message rate'],
];

const facts =
  (api: UcxTestFacts['api']) =>
  ([name, metric, description]: Row): UcxTestFacts => ({ name, api, metric, description });

export const TESTS: readonly UcxTestFacts[] = [...UCT.map(facts('uct')), ...UCP.map(facts('ucp'))];

/** Text of one of the batch files that the peer was given. */
export function readFixtureBatch(name: string): string {
  return readFileSync(join(projectRoot, 'test/fixtures', FIXTURES, 'batch', name), 'utf8');
}

export const CONTEXT: UcxPerftestContext = { tests: TESTS, readFile: readFixtureBatch, underLauncher: false };

/** A context in which these batch files exist. */
export function withFiles(files: Readonly<Record<string, string>>): UcxPerftestContext {
  return {
    ...CONTEXT,
    readFile: (name) => {
      const text = files[name];
      if (text === undefined) throw Object.assign(new Error(`no ${name}`), { code: 'ENOENT' });
      return text;
    },
  };
}

type Kind<K extends ParsedUcxPerftest['kind']> = Extract<ParsedUcxPerftest, { kind: K }>;

/** Parses what must come out as this kind of result. */
export function parsedUcx<K extends ParsedUcxPerftest['kind']>(
  kind: K,
  argv: readonly string[],
  context: UcxPerftestContext = CONTEXT,
): Kind<K> {
  const result = parseUcxPerftest(argv, context);
  if (result.kind !== kind) throw new Error(`${argv.join(' ')}: expected ${kind}, got ${JSON.stringify(result)}`);
  return result as Kind<K>;
}

export const run = (...argv: string[]): UcxPerftestOptions => parsedUcx('run', argv).options;
export const notes = (...argv: string[]): readonly string[] => parsedUcx('run', argv).notes;

/**
 * How it is refused. What is wrong with the only test of a client is for both sides to refuse, when they have met: the
 * sentence then stands in its run.
 */
export function refused(...argv: string[]): Omit<Kind<'refuse'>, 'kind'> {
  const result = parseUcxPerftest(argv, CONTEXT);
  const problem =
    result.kind === 'run' && result.options.server !== undefined ? result.options.runs[0]?.problem : undefined;
  if (problem !== undefined) return { exitCode: 255, stderr: `${problem}\n` };
  return parsedUcx('refuse', argv);
}

/** Options of the only test. */
export function only(...argv: string[]): UcxTestOptions {
  const { runs } = run(...argv);
  if (runs.length !== 1 || !runs[0]) throw new Error(`${argv.join(' ')}: ${runs.length} tests`);
  return runs[0].options;
}

export interface UcxCapture {
  readonly name: string;
  readonly argv: readonly string[];
  /** Of the server, where there was one. */
  readonly serverArgv: readonly string[] | undefined;
}

/** Lines of the list of captures: `NAME: ucx_perftest OPTIONS`, or the server's and the client's with `; ` between. */
export const captures: readonly UcxCapture[] = readFixture(`${FIXTURES}/COMMANDS`)
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [, name = '', commands = ''] = /^(\S+): (.*)$/.exec(line) ?? [];
    const argvs = commands.split('; ').map((command) => command.split(' ').filter(Boolean).slice(1));
    const argv = argvs.at(-1);
    if (!argv) throw new Error(`not a command: ${line}`);
    return { name, argv, serverArgv: argvs.length > 1 ? argvs[0] : undefined };
  });

/** What the peer printed, without the last newline. */
export function readUcxCapture(name: string): readonly string[] {
  return readFixture(`${FIXTURES}/${name}.txt`).replace(/\n$/, '').split('\n');
}

export interface UcxMessage {
  readonly argv: readonly string[];
  readonly exitCode: number;
  readonly sentences: readonly string[];
  readonly help: boolean;
}

/** What the peer refuses: a command with its exit code, and indented lines of what it says. */
export const messages: readonly UcxMessage[] = readFixture(`${FIXTURES}/MESSAGES`)
  .trimEnd()
  .split(/\n(?! )/)
  .map((block) => {
    const [head = '', ...rest] = block.split('\n').map((line) => line.trim());
    const [, argv = '', exitCode] = /^ucx_perftest (.*) \(exit (\d+)\)$/.exec(head) ?? [];
    const sentences = rest.filter((line) => line !== '(help)');
    return { argv: argv.split(' '), exitCode: Number(exitCode), sentences, help: rest.includes('(help)') };
  });
