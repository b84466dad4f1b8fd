/** From what was given to the options of one run. */
import type { PerftestTest } from '../bench/suites/perftest.js';
import { DEFAULT_RX_DEPTH } from '../bench/suites/perftest.js';
import { bindingOptions } from './binding-options.js';
import { DEFAULT_WATCHDOG } from './osu-defaults.js';
import type { PerftestPlace } from './perftest-conflicts.js';
import { plannedSizes, receiveDepth } from './perftest-depths.js';
import type { Meeting, Path, PerftestOptions, RateLimit } from './perftest-options.js';
import type { GivenPerftest } from './perftest-parsers.js';
import { DEFAULT_ENDLESS_SECONDS, DEFAULT_JSON_FILE, DEFAULT_PORT } from './perftest-table.js';

/** Above it no peak is looked for. */
const MOST_WITH_PEAK = 20_000;
const DEFAULT_CQE_POLL = 16;
const DEFAULT_QP_TIMEOUT = 14;
const DEFAULT_RETRIES = 7;
const DEFAULT_HOP_LIMIT = 255;

/** Options whose arguments are right and which have no conflict. */
export function buildPerftest(given: GivenPerftest, place: PerftestPlace): PerftestOptions {
  const { test } = place;
  const connection = connectionOf(given);
  return Object.freeze<PerftestOptions>({
    ...{ verb: test.verb, kind: test.kind, connection },
    atomicType: given['atomic-type']?.at(-1) ?? 'FETCH_AND_ADD',
    meeting: meetingOf(given, place),
    path: pathOf(given),
    ...whatToRun(given, test, connection),
    ...queuesOf(given, test, connection),
    ...messagesOf(given, test),
    ...outputOf(given, test),
    ...ownOf(given, test),
  });
}

function connectionOf(given: GivenPerftest): PerftestOptions['connection'] {
  const type = given.connection?.at(-1) ?? 'RC';
  // Both are refused before.
  return type === 'SRD' || type === 'RawEth' ? 'RC' : type;
}

function has<Name extends string, Value>(name: Name, value: Value | undefined): { readonly [N in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [N in Name]: Value });
}

function meetingOf(given: GivenPerftest, { underLauncher, positionals }: PerftestPlace): Meeting {
  return {
    ...has('server', underLauncher ? undefined : positionals[0]),
    port: given.port?.at(-1) ?? DEFAULT_PORT,
    ipv6Socket: given['ipv6-addr'] !== undefined,
    ...has('source', given.source?.at(-1)),
    rdmaCm: given['rdma-cm'] !== undefined,
    rdmaCmExchange: given['comm-rdma-cm'] !== undefined,
    stockPeer: given.peer !== undefined,
    serve: given.serve !== undefined,
    incast: given.incast !== undefined,
  };
}

function pathOf(given: GivenPerftest): Path {
  return {
    ...has('device', given.device?.at(-1)),
    port: given['ib-port']?.at(-1) ?? 1,
    ...has('gidIndex', given['gid-index']?.at(-1)),
    ...has('mtu', given.mtu?.at(-1)),
    sl: given.sl?.at(-1) ?? 0,
    ...has('tos', given.tos?.at(-1)),
    trafficClass: given.tclass?.at(-1) ?? 0,
    hopLimit: given['hop-limit']?.at(-1) ?? DEFAULT_HOP_LIMIT,
    flowLabels: given['flow-label']?.at(-1) ?? [],
    ...has('dlid', given.dlid?.at(-1)),
    pkeyIndex: given['pkey-index']?.at(-1) ?? 0,
    qpTimeout: given['qp-timeout']?.at(-1) ?? DEFAULT_QP_TIMEOUT,
    retryCount: given['retry-count']?.at(-1) ?? DEFAULT_RETRIES,
    ...has('forceLink', given['force-link']?.at(-1)),
    ipv6Gid: given.ipv6 !== undefined,
  };
}

function whatToRun(given: GivenPerftest, test: PerftestTest, connection: PerftestOptions['connection']) {
  const sizes = plannedSizes(
    {
      all: given.all !== undefined,
      ...has('size', given.size?.at(-1)),
      ...has('sizes', given.sizes?.at(-1)),
      ...has('mtu', given.mtu?.at(-1)),
    },
    connection,
    test.size,
  );
  return {
    sizes,
    sizesGiven: given.size !== undefined || given.sizes !== undefined,
    all: given.all !== undefined,
    iterations: given.iterations?.at(-1) ?? test.iterations,
    ...has('duration', durationOf(given)),
    runInfinitely: given['run-infinitely'] !== undefined,
    bidirectional: given.bidirectional !== undefined,
    reversed: given.reversed !== undefined,
  } satisfies Partial<PerftestOptions>;
}

function durationOf(given: GivenPerftest): PerftestOptions['duration'] {
  if (given['run-infinitely']) return { seconds: given.duration?.at(-1) ?? DEFAULT_ENDLESS_SECONDS, margin: 0 };
  const seconds = given.duration?.at(-1);
  return seconds === undefined ? undefined : { seconds, margin: given.margin?.at(-1) ?? seconds / 4 };
}

/** No queue is deeper than the messages that will be. */
function queuesOf(given: GivenPerftest, test: PerftestTest, connection: PerftestOptions['connection']) {
  const timed = given.duration !== undefined || given['run-infinitely'] !== undefined;
  const iterations = timed ? undefined : (given.iterations?.at(-1) ?? test.iterations);
  const wantedDepth = test.kind === 'lat' ? test.txDepth : (given['tx-depth']?.at(-1) ?? test.txDepth);
  const txDepth = Math.min(wantedDepth, iterations ?? Infinity);
  const postList = given['post-list']?.at(-1) ?? 1;
  const cqMod = given['cq-mod']?.at(-1) ?? (postList > 1 ? postList : test.cqMod);
  const receives = test.verb === 'send' || given['write-imm'] !== undefined;
  const many = given.all !== undefined || given['run-infinitely'] !== undefined;
  const unreliable = connection === 'UC' || connection === 'UD';
  return {
    qps: given.qps?.at(-1) ?? 1,
    txDepth,
    rxDepth: receives
      ? receiveDepth({ given: given['rx-depth']?.at(-1), byDefault: DEFAULT_RX_DEPTH, unreliable, many, iterations })
      : test.rxDepth,
    postList,
    recvPostList: given['recv-post-list']?.at(-1) ?? 1,
    cqMod: Math.min(cqMod, txDepth),
    cqModGiven: test.kind === 'bw' && given['cq-mod'] !== undefined,
    cqePoll: given['cqe-poll']?.at(-1) ?? DEFAULT_CQE_POLL,
    useSrq: given.srq !== undefined || connection === 'XRC' || connection === 'DC',
    mrPerQp: test.kind === 'bw' && given['mr-per-qp'] !== undefined,
  } satisfies Partial<PerftestOptions>;
}

function messagesOf(given: GivenPerftest, test: PerftestTest) {
  return {
    ...has('inlineSize', given.inline?.at(-1)),
    ...has('outs', given.outs?.at(-1)),
    events: given.events !== undefined,
    vector: given.vector?.at(-1) ?? 0,
    hugePages: given['huge-pages'] !== undefined,
    odp: given.odp !== undefined,
    // The last byte of a written message tells of the others, which relaxed ordering doesn't keep.
    relaxedOrdering: given['no-relaxed'] === undefined && !(test.verb === 'write' && test.kind === 'lat'),
    oldPostSend: given['old-post-send'] !== undefined,
    withImm: given['write-imm'] !== undefined || given['send-imm'] !== undefined,
    validate: given.validate !== undefined,
    warmUp: given['warm-up'] !== undefined && test.kind === 'bw' && test.verb !== 'send',
    latencyGap: given['latency-gap']?.at(-1) ?? 0,
    ...has('rateLimit', rateOf(given, test)),
    waitDestroy: test.kind === 'bw' ? (given['wait-destroy']?.at(-1) ?? 0) : 0,
  } satisfies Partial<PerftestOptions>;
}

function rateOf(given: GivenPerftest, test: PerftestTest): RateLimit | undefined {
  const limit = given['rate-limit']?.at(-1);
  if (limit === undefined) return undefined;
  const depth = given['tx-depth']?.at(-1) ?? test.txDepth;
  return { limit, units: given['rate-units']?.at(-1) ?? 'g', burstSize: given['burst-size']?.at(-1) ?? depth };
}

function outputOf(given: GivenPerftest, test: PerftestTest) {
  const timed = given.duration !== undefined || given['run-infinitely'] !== undefined;
  const many = (given.iterations?.at(-1) ?? test.iterations) > MOST_WITH_PEAK;
  const jsonFile = given['out-json-file']?.at(-1) ?? (given['out-json'] ? DEFAULT_JSON_FILE : undefined);
  return {
    noPeak: test.kind === 'bw' && (given['no-peak'] !== undefined || timed || many),
    gbits: test.kind === 'bw' && given.gbits !== undefined,
    reportBoth: given['report-both'] !== undefined && given.bidirectional !== undefined,
    cycles: given.cycles !== undefined,
    histogram: given.histogram !== undefined && !timed,
    unsorted: given.unsorted !== undefined && !timed,
    cpuUtil: given['cpu-util'] !== undefined && given.duration !== undefined,
    counters: given.counters?.at(-1) ?? [],
    ...has('output', given.output?.at(-1)),
    ...has('limitBw', given['limit-bw']?.at(-1)),
    ...has('limitMsgRate', given['limit-msgrate']?.at(-1)),
    ...has('outJson', jsonFile),
  } satisfies Partial<PerftestOptions>;
}

function ownOf(given: GivenPerftest, { kind }: PerftestTest) {
  return {
    ...has('json', given.json?.at(-1)),
    ...has('csvFile', given.csv?.at(-1)),
    ...has('markdown', given.markdown?.at(-1)),
    samples: given.samples !== undefined && kind === 'lat',
    stats: given.stats !== undefined && kind === 'lat',
    ...has('noise', given.noise?.at(-1)),
    ...bindingOptions(given),
    watchdog: given.watchdog?.at(-1) ?? DEFAULT_WATCHDOG,
  } satisfies Partial<PerftestOptions>;
}
