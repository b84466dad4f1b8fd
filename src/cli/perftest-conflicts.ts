/** Options of the ib_* programs that are each right and not together, or not for this test. */
import type { PerftestTest } from '../bench/suites/perftest.js';
import { bindingNotes } from './binding-options.js';
import { findSharedOutput } from './outputs.js';
import { udSizeText } from './perftest-depths.js';
import type { PerftestOptions } from './perftest-options.js';
import type { GivenPerftest } from './perftest-parsers.js';
import { isFor } from './perftest-row.js';
import { PERFTEST_OPTIONS, shownOption } from './perftest-table.js';

/** What is known when conflicts are looked for. */
export interface PerftestPlace {
  readonly test: PerftestTest;
  readonly underLauncher: boolean;
  readonly positionals: readonly string[];
}

type Check = (given: GivenPerftest, place: PerftestPlace) => string | undefined | false;
type OptionsCheck = (options: PerftestOptions, given: GivenPerftest) => string | undefined | false;

/** One sentence with the cause and what to do, or undefined. */
export function findGivenConflict(given: GivenPerftest, place: PerftestPlace): string | undefined {
  for (const check of GIVEN_CHECKS) {
    const problem = check(given, place);
    if (problem) return problem;
  }
  return undefined;
}

/** As `findGivenConflict`, of what follows from the defaults. */
export function findOptionsConflict(options: PerftestOptions, given: GivenPerftest): string | undefined {
  for (const check of OPTIONS_CHECKS) {
    const problem = check(options, given);
    if (problem) return problem;
  }
  return undefined;
}

/** Options of other tests; with the value that this test has anyway they are taken. */
const othersCheck: Check = (given, { test }) => {
  const row = PERFTEST_OPTIONS.find(
    (option) =>
      given[option.name] && option.elsewhere === 'refuse' && !isFor(option, test) && !saysOne(given, option.name),
  );
  if (!row) return undefined;
  const kind = row.kinds?.includes(test.kind) === false ? (test.kind === 'lat' ? 'bandwidth' : 'latency') : undefined;
  const verbs = row.verbs?.join(', ').replace(/, (?=\w+$)/, ' and ');
  const tests = [...(verbs === undefined ? [] : [verbs]), ...(kind === undefined ? [] : [kind])].join(' ');
  return `${shownOption(row.name)} is for ${tests} tests, which ${test.name} is not: leave it out`;
};

function saysOne(given: GivenPerftest, name: keyof GivenPerftest): boolean {
  const ones: readonly string[] = ['qps', 'post-list', 'recv-post-list', 'rx-depth'];
  return ones.includes(name) && given[name]?.at(-1) === 1;
}

const serverCheck: Check = (_, { positionals }) =>
  positionals.length > 1 && `There is one server: leave out ${positionals.slice(1).join(' ')}`;

const sizesCheck: Check = (given) => {
  if (given.sizes && given.size) return 'Sizes are given twice: leave out -s or --sizes';
  return given.sizes && given.all && 'Sizes are given twice: leave out -a or --sizes';
};

const connectionCheck: Check = (given, { test }) => {
  const type = given.connection?.at(-1);
  const connections: readonly string[] = test.connections;
  if (type === undefined || connections.includes(type)) return undefined;
  return `${type} has no ${test.verb === 'atomic' ? 'atomics' : `RDMA ${test.verb}s`}: give -c ${connections.join(' or ')}`;
};

const durationCheck: Check = (given) => {
  if (!given.duration || given['run-infinitely']) return undefined;
  if (given.all || given.sizes) return '-D runs one size: give -s in place of -a or --sizes';
  return (
    given.events && '-D and -e do not go together, because nobody wakes a sleeper when the time is over: leave one out'
  );
};

const endlessCheck: Check = (given, { test }) => {
  if (!given['run-infinitely']) return undefined;
  if (given.events) return '--run_infinitely polls: leave out -e';
  if (given.all || given.sizes)
    return '--run_infinitely never comes to a second size: give -s in place of -a or --sizes';
  if (given['rate-limit']) return '--run_infinitely has no rate limit: leave out --rate_limit';
  return test.verb === 'send' && given.bidirectional && '--run_infinitely sends one way: leave out -b';
};

const vectorCheck: Check = (given) =>
  given.vector && !given.events && '-X chooses who wakes a sleeper: add -e, or leave it out';

const managerCheck: Check = (given) => {
  const type = given.connection?.at(-1) ?? 'RC';
  if (given['rdma-cm'] && type !== 'RC' && type !== 'UD')
    return `rdma_cm connects no ${type} queue pairs here: leave out -R or give -c RC`;
  return given.tos && !given['rdma-cm'] && "-T is rdma_cm's type of service: add -R, or give --tclass";
};

const outputCheck: Check = (given, { test }) => {
  const output = given.output?.at(-1);
  if (output === undefined || (output === 'latency') === (test.kind === 'lat')) return undefined;
  return `--output=${output} is nothing that ${test.name} measures: give ${test.kind === 'lat' ? 'latency' : 'bandwidth or message_rate'}`;
};

const rateCheck: Check = (given, { test }) => {
  if (given['burst-size'] && !given['rate-limit']) return '--burst_size belongs to a rate limit: add --rate_limit';
  if (!given['rate-limit']) return undefined;
  return test.verb === 'send' && given.bidirectional && '-b has no rate limit for sends: leave out --rate_limit';
};

const recordCheck: Check = (given) => {
  if (given.samples && !given.json) return 'Samples are kept in the record: add --json FILE';
  const [json, csvFile, markdown] = [given.json?.at(-1), given.csv?.at(-1), given.markdown?.at(-1)];
  return findSharedOutput({ json, csvFile, markdown });
};

const meetingCheck: Check = (given, { underLauncher, positionals }) => {
  if (given.incast && !underLauncher) return '--incast needs ranks: start it by mpirun';
  if (given.serve && underLauncher) return '--serve is for a server, and a launcher has none: leave it out';
  return given.serve && positionals.length > 0 && '--serve is for the server: leave it out here';
};

/** The plain exchange over TCP knows no more than 4.5's parameters. */
const stockCheck: Check = (given, { underLauncher }) => {
  if (!given.peer) return undefined;
  if (underLauncher) return '--peer perftest is for two programs, and a launcher starts only ours: leave it out';
  if (given['rdma-cm'] || given['comm-rdma-cm']) return '--peer perftest talks over TCP: leave out -R and -z';
  if (given.sizes) return '--peer perftest measures one size or those of -a: leave out --sizes';
  if (given.validate) return '--peer perftest sends data that can not be checked: leave out --data_validation';
  return given['no-versions'] && '--peer perftest needs the versions: leave out --dont_xchg_versions on both sides';
};

const incastCheck: Check = (given, { test }) =>
  given.incast && test.kind === 'lat' && `--incast is for bandwidth tests, which ${test.name} is not: leave it out`;

const GIVEN_CHECKS: readonly Check[] = [
  ...[serverCheck, othersCheck, sizesCheck, connectionCheck, durationCheck, endlessCheck, vectorCheck, managerCheck],
  ...[outputCheck, rateCheck, recordCheck, meetingCheck, stockCheck, incastCheck],
];

const marginOfCheck: OptionsCheck = ({ duration, runInfinitely }) => {
  if (!duration || runInfinitely || duration.seconds > 2 * duration.margin) return undefined;
  const { seconds, margin } = duration;
  return `Nothing is left of -D ${seconds} between two margins of ${margin} s: give a smaller -f or a larger -D`;
};

const udCheck: OptionsCheck = ({ connection, sizes, sizesGiven, path }) => {
  const most = path.mtu ?? 4096;
  const large = connection === 'UD' && sizesGiven ? sizes.find((size) => size > most) : undefined;
  return large !== undefined && udSizeText(large, most);
};

const noSizeCheck: OptionsCheck = ({ sizes }) => sizes.length === 0 && 'There is no size to measure: give -s';

const listsCheck: OptionsCheck = ({ postList, recvPostList, txDepth, rxDepth, iterations, duration }, given) => {
  if (postList > txDepth)
    return `-l ${postList} is more than the ${txDepth} messages that may be under way: raise -t or -n`;
  if (recvPostList > rxDepth)
    return `--recv_post_list ${recvPostList} is more than the ${rxDepth} receives posted ahead: raise -r`;
  const cqMod = given['cq-mod']?.at(-1);
  if (cqMod !== undefined && postList > 1 && postList % cqMod !== 0)
    return `-l ${postList} is no multiple of -Q ${cqMod}: give one that is, or leave out -Q`;
  if (duration) return undefined;
  if (iterations % postList !== 0)
    return `-n ${iterations} is no multiple of -l ${postList}: give -n ${upTo(iterations, postList)}`;
  if (iterations % recvPostList === 0) return undefined;
  return `-n ${iterations} is no multiple of --recv_post_list ${recvPostList}: give -n ${upTo(iterations, recvPostList)}`;
};

/** The next multiple. */
function upTo(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}

const srqCheck: OptionsCheck = ({ verb, useSrq, rxDepth, qps }) =>
  verb === 'send' &&
  useSrq &&
  rxDepth < qps &&
  `A shared receive queue of ${rxDepth} is too small for ${qps} queue pairs: give -r ${qps}`;

const OPTIONS_CHECKS: readonly OptionsCheck[] = [marginOfCheck, udCheck, noSizeCheck, listsCheck, srqCheck];

/** What perftest takes too and which does nothing, or something else than it seems. */
export function perftestNotes(given: GivenPerftest, options: PerftestOptions, place: PerftestPlace): string[] {
  const { test, underLauncher, positionals } = place;
  const notes = PERFTEST_OPTIONS.filter((row) => given[row.name] && row.elsewhere === 'note' && !isFor(row, test)).map(
    ({ name }) => `Ignored: ${shownOption(name)}, because it does nothing in ${test.name}`,
  );
  if (positionals.length > 0 && underLauncher)
    notes.push(`Ignored: ${positionals[0]}, because ranks of a launcher know each other`);
  for (const [condition, note] of conditions(given, options, test)) if (condition) notes.push(note);
  return [...notes, ...bindingNotes(given)];
}

function conditions(
  given: GivenPerftest,
  options: PerftestOptions,
  { kind }: PerftestTest,
): readonly (readonly [unknown, string])[] {
  const timed = given.duration !== undefined;
  const endless = given['run-infinitely'] !== undefined;
  const [least = 0] = options.sizes;
  return [
    [given.margin && (!timed || endless), 'Ignored: -f, because margins are those of -D'],
    [given.iterations && (timed || endless), 'Ignored: -n, because the time decides'],
    [given['cpu-util'] && !timed, 'Ignored: --cpu_util, because it needs -D'],
    [given['report-both'] && !given.bidirectional, 'Ignored: --report-both, because it needs -b'],
    [given.histogram && timed, 'Ignored: -H, because -D keeps no list of times'],
    [given.unsorted && timed, 'Ignored: -U, because -D keeps no list of times'],
    [given['rate-units'] && !given['rate-limit'], 'Ignored: --rate_units, because there is no --rate_limit'],
    [given['rate-limit-type'] && !given['rate-limit'], 'Ignored: --rate_limit_type, because there is no --rate_limit'],
    [given['no-versions'], 'Ignored: --dont_xchg_versions, because what the sides tell each other has its own version'],
    [given.samples && kind === 'bw', 'Ignored: --samples, because a bandwidth test has no time of each message'],
    [given.stats && kind === 'bw', 'Ignored: --stats, because a bandwidth test has no time of each message'],
    [
      given['cq-mod'] && options.cqMod > 1 && options.connection !== 'UD' && least > 8192,
      'Few completions of large messages make uneven figures: leave out -Q for one each',
    ],
  ];
}
