/** Options of ucx_perftest that are each right and not together, and those that do nothing. */
import { bindingNotes } from './binding-options.js';
import type { UcxTestFacts } from '../report/ucx-perftest-types.js';
import type { GetoptResult } from './getopt.js';
import { findSharedOutput } from './outputs.js';
import type { UcxPerftestRun } from './ucx-perftest-options.js';
import type { UcxTestOptionName } from './ucx-perftest-row.js';
import { MOST_BATCH_FILES, UCX_OPTIONS } from './ucx-perftest-table.js';
import type { GivenUcx } from './ucx-perftest-test-options.js';

interface Place {
  readonly tests: readonly UcxTestFacts[];
  readonly underLauncher: boolean;
}

/** What can't be had together, in one sentence. */
export function findUcxConflict(found: GetoptResult, given: GivenUcx, place: Place): string | undefined {
  const { positionals } = found;
  if (given.loopback && positionals.length > 0)
    return 'conflicting arguments: server hostname argument is not allowed in loopback (-l) mode';
  if (positionals.length > 1) return `There is one server: leave out ${positionals.slice(1).join(' ')}`;
  if (given.sizes && given.pieces) return 'Message sizes are given twice: leave out -s or --sizes';
  if (given.sizes && given.batch) return 'Batch files say which sizes to measure: leave out -b or --sizes';
  if ((given.batch?.length ?? 0) > MOST_BATCH_FILES) return `At most ${MOST_BATCH_FILES} batch files can be given`;
  if (given.samples && !given.json) return 'Samples are kept in the record: add --json FILE';
  const [json, csvFile, markdown] = [given.json?.at(-1), given['csv-file']?.at(-1), given.markdown?.at(-1)];
  const shared = findSharedOutput({ json, csvFile, markdown });
  if (shared !== undefined) return shared;
  if (given.cpus && given.bind) return 'Processors are given twice: leave out -c or --bind';
  return findWrongLayout(given, place);
}

/** With batch files a test takes the kind of layout that is for it. */
function findWrongLayout(given: GivenUcx, { tests }: Place): string | undefined {
  const test = tests.find(({ name }) => name === given.test?.at(-1));
  const choice = given.layout?.at(-1);
  if (given.batch || !test || !choice || choice.api === test.api) return undefined;
  const choices = test.api === 'uct' ? 'short, shortiov, bcopy or zcopy' : 'contig or iov';
  const named = choice.api === 'uct' ? choice.layout : choice.send;
  return `Invalid option argument for -D: ${named} is no layout of ${test.name}, give ${choices}`;
}

/** What the peer takes too and which does nothing, or something else than it seems. */
export function ucxNotes(
  { positionals }: GetoptResult,
  given: GivenUcx,
  place: Place & { readonly isServer: boolean; readonly runs: readonly UcxPerftestRun[] },
): string[] {
  const [host] = positionals;
  const notes: string[] = [];
  if (given['launcher-mode']) notes.push('Ignored: -P, because a launcher is noticed without it');
  if (host !== undefined && place.underLauncher)
    notes.push(`Ignored: ${host}, because ranks of a launcher know each other`);
  else if (given['error-handling'] && host !== undefined && ERROR_MODES.includes(host))
    notes.push(`-e takes no argument, so that ${host} is the name of the server`);
  if (given.once && !place.isServer) notes.push('Ignored: --once, because this is no server');
  return [...notes, ...bindingNotes(given), ...otherApiNotes(given, place)];
}

/** Arguments of -e in newer versions of the peer. */
const ERROR_MODES = ['none', 'peer', 'failover'];

const OF_UCT: readonly UcxTestOptionName[] = ['device', 'transport', 'flow-control', 'async-mode'];
const OF_UCP: readonly UcxTestOptionName[] = [
  ...(['wildcard', 'unexpected', 'stream-receive'] as const),
  ...(['error-handling', 'wait-mode', 'preregistered', 'am-copy'] as const),
];

/** Options for tests of the other API, where all tests are of one. */
function otherApiNotes(
  given: GivenUcx,
  { tests, runs }: Place & { readonly runs: readonly UcxPerftestRun[] },
): string[] {
  const used = new Set(runs.map(({ options }) => options.test));
  const apis = new Set(tests.filter(({ name }) => used.has(name)).map(({ api }) => api));
  if (apis.size !== 1) return [];
  const [api] = apis;
  const idle = (api === 'ucp' ? OF_UCT : OF_UCP).filter((name) => given[name]);
  const other = api === 'ucp' ? 'UCT' : 'UCP';
  const instead = api === 'ucp' ? '; UCX_TLS and UCX_NET_DEVICES choose transports and devices of UCP' : '';
  return idle.map((name) => {
    const short = UCX_OPTIONS.find((row) => row.name === name)?.short;
    const mend = name === 'device' || name === 'transport' ? instead : '';
    return `Ignored: -${short}, because it is for ${other} tests${mend}`;
  });
}
