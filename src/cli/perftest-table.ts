/** The options of the ib_* programs, in the order of their help. Those that are known and refused: `perftest-refused.ts`. */
import type { PerftestTest } from '../bench/suites/perftest.js';
import { BINDING_ROWS } from './binding-options.js';
import { NOISE_HELP } from './noise.js';
import { DEFAULT_WATCHDOG } from './osu-defaults.js';
import { OUTPUT_HELP } from './outputs.js';
import type { PerftestGroup, PerftestOptionName, PerftestOptionRow } from './perftest-row.js';
import { formatBytes } from './values.js';

export const DEFAULT_PORT = 18515;
export const DEFAULT_ENDLESS_SECONDS = 5;
export const DEFAULT_JSON_FILE = 'perftest_out.json';
export const MOST_INLINE = 1024;

type Help = PerftestOptionRow['help'];
type More = Pick<PerftestOptionRow, 'kinds' | 'verbs' | 'elsewhere'>;
/** Short name (or empty) and long names, the first being the one to show. */
type Names = readonly [short: string, ...long: string[]];

const make =
  (group: PerftestGroup, more: More = {}) =>
  (name: PerftestOptionName, [short, ...long]: Names, help: Help, shown?: string): PerftestOptionRow => ({
    ...{ name, group, help, long, ...more },
    ...(short !== '' && { short }),
    ...(shown === undefined ? { argument: 'none' } : { argument: 'required', shown }),
  });

const test = make('test');
const queues = make('queues');
const path = make('path');
const meeting = make('meeting');
const output = make('output');
const own = make('own');
const bw = { kinds: ['bw'], elsewhere: 'note' } as const;
const bwAlone = { kinds: ['bw'], elsewhere: 'refuse' } as const;
const latAlone = { kinds: ['lat'], elsewhere: 'refuse' } as const;
const sendAlone = { verbs: ['send'], elsewhere: 'refuse' } as const;
const fetching = { verbs: ['read', 'atomic'], elsewhere: 'refuse' } as const;
const waking = { verbs: ['send', 'read', 'atomic'], elsewhere: 'refuse' } as const;
const sized = { verbs: ['send', 'write', 'read'], elsewhere: 'refuse' } as const;

const connectionsOf = ({ connections }: PerftestTest) => connections.join('|');

const TEST_ROWS: readonly PerftestOptionRow[] = [
  make('test', sized)('all', ['a', 'all'], 'measure all sizes from 2 to 2^23; of UD up to the MTU'),
  make('test', sized)('size', ['s', 'size'], ({ size }) => `bytes of a message (default ${formatBytes(size)})`, 'SIZE'),
  make('test', sized)(
    'sizes',
    ['', 'sizes'],
    'measure each of these sizes: a list, or all powers of 2 times MIN up to MAX',
    'S,S,...|MIN:MAX',
  ),
  make('test', { verbs: ['atomic'], elsewhere: 'refuse' })(
    'atomic-type',
    ['A', 'atomic_type'],
    'FETCH_AND_ADD or CMP_AND_SWAP (default FETCH_AND_ADD)',
    'TYPE',
  ),
  test('connection', ['c', 'connection'], (row) => `kind of queue pair: ${connectionsOf(row)} (default RC)`, 'TYPE'),
  test('iterations', ['n', 'iters'], ({ iterations }) => `messages of each queue pair (default ${iterations})`, 'N'),
  test('duration', ['D', 'duration'], 'run for S seconds in place of a number of messages', 'S'),
  test('margin', ['f', 'margin'], 'with -D: seconds left out at either end (default a quarter of -D each)', 'S'),
  make('test', bwAlone)('run-infinitely', ['', 'run_infinitely'], 'run for ever, with a row every -D seconds (5)'),
  make('test', bwAlone)('bidirectional', ['b', 'bidirectional'], 'both sides at once; what is shown is their sum'),
  make('test', bwAlone)('reversed', ['', 'reversed'], 'the server sends and the client receives'),
  make('test', latAlone)('latency-gap', ['', 'latency_gap'], 'microseconds to wait before each message', 'US'),
  make('test', { verbs: ['write'], elsewhere: 'refuse' })(
    'write-imm',
    ['', 'write_with_imm'],
    'write with immediate data, so that the receiver gets a completion',
  ),
  make('test', sendAlone)('send-imm', ['', 'send_with_imm'], 'send with immediate data'),
  test('validate', ['', 'data_validation'], 'check every byte that has arrived; wrong bytes fail the run'),
  make('test', { verbs: ['write', 'read', 'atomic'], kinds: ['bw'], elsewhere: 'note' })(
    'warm-up',
    ['', 'perform_warm_up'],
    'post -t messages on each queue pair before the first one that counts',
  ),
];

const QUEUE_ROWS: readonly PerftestOptionRow[] = [
  make('queues', bwAlone)('qps', ['q', 'qp'], 'queue pairs, 1 to 16384 (default 1)', 'N'),
  make('queues', bw)('tx-depth', ['t', 'tx-depth'], 'messages under way on a queue pair (default 128)', 'N'),
  make('queues', sendAlone)('rx-depth', ['r', 'rx-depth'], 'receives posted ahead, or the SRQ (default 512)', 'N'),
  make('queues', bw)(
    'cq-mod',
    ['Q', 'cq-mod'],
    'a completion for every Nth message alone (default 100; 1 above 8K)',
    'N',
  ),
  queues('cqe-poll', ['', 'cqe_poll'], 'completions taken by one poll at most (default 16)', 'N'),
  queues('fixed-polling', ['', 'disable_dynamic_polling'], 'taken and without effect: --cqe_poll never changes'),
  make('queues', bwAlone)('post-list', ['l', 'post_list'], 'messages posted by one call (default 1)', 'N'),
  make('queues', { ...bwAlone, verbs: ['send'] })(
    'recv-post-list',
    ['', 'recv_post_list'],
    'receives posted by one call (default 1)',
    'N',
  ),
  make('queues', { verbs: ['send', 'write'], elsewhere: 'refuse' })(
    'inline',
    ['I', 'inline_size'],
    'messages up to N bytes go inline (default: the device and the test)',
    'N',
  ),
  make('queues', fetching)('outs', ['o', 'outs'], 'reads or atomics under way (default: all that the device can)', 'N'),
  make('queues', waking)('events', ['e', 'events'], 'sleep until a completion comes, in place of polling'),
  make('queues', waking)('vector', ['X', 'vector'], 'with -e: completion vector (default 0)', 'N'),
  make('queues', sendAlone)('srq', ['', 'use-srq'], 'one shared receive queue; -r is its size'),
  make('queues', bw)('mr-per-qp', ['', 'mr_per_qp'], 'a memory region for each queue pair'),
  queues('huge-pages', ['', 'use_hugepages'], 'memory in huge pages'),
  make('queues', sized)('odp', ['', 'odp'], 'memory registered for on-demand paging'),
  make('queues', bw)('no-relaxed', ['', 'disable_pcie_relaxed'], 'no relaxed ordering on PCIe'),
  queues('old-post-send', ['', 'use_old_post_send'], 'post by ibv_post_send'),
  make('queues', bw)('wait-destroy', ['', 'wait_destroy'], 'wait S seconds before anything is given back', 'S'),
];

const PATH_ROWS: readonly PerftestOptionRow[] = [
  path('device', ['d', 'ib-dev'], 'device (default: the first)', 'DEV'),
  path('ib-port', ['i', 'ib-port'], 'port of the device (default 1)', 'PORT'),
  path('gid-index', ['x', 'gid-index'], 'GID by its index (default: chosen by the port and the other side)', 'INDEX'),
  path('mtu', ['m', 'mtu'], '256, 512, 1024, 2048 or 4096 bytes (default: the port)', 'MTU'),
  path('sl', ['S', 'sl'], 'service level, 0 to 15 (default 0)', 'SL'),
  path('tos', ['T', 'tos'], 'with -R: type of service, 0 to 255', 'TOS'),
  path('tclass', ['', 'tclass'], 'traffic class, 0 to 255 (default 0)', 'N'),
  path('hop-limit', ['L', 'hop_limit'], 'hop limit of packets with a GRH, 0 to 255 (default 255)', 'N'),
  path('flow-label', ['', 'flow_label'], 'flow labels; queue pairs take them in turn', 'N,N,...'),
  path('dlid', ['', 'dlid'], 'LID of the other side, in place of what it says', 'LID'),
  path('pkey-index', ['', 'pkey_index'], 'index of the partition key (default 0)', 'INDEX'),
  path('qp-timeout', ['u', 'qp-timeout'], 'wait 4.096 us * 2^N for an acknowledgement, 0 to 31 (default 14)', 'N'),
  path('retry-count', ['', 'retry_count'], 'retries before a message fails, 0 to 7 (default 7)', 'N'),
  path('force-link', ['', 'force-link'], 'refuse ports of another link layer: IB or ETHERNET', 'LINK'),
  path('ipv6', ['', 'ipv6'], 'take a GID that stands for no IPv4 address'),
];

const MEETING_ROWS: readonly PerftestOptionRow[] = [
  meeting('port', ['p', 'port'], `port by which both sides find each other (default ${DEFAULT_PORT})`, 'PORT'),
  meeting('ipv6-addr', ['', 'ipv6-addr'], 'find each other by IPv6'),
  meeting('source', ['', 'bind_source_ip', 'source_ip'], 'address of this side', 'IP'),
  meeting('rdma-cm', ['R', 'rdma_cm'], 'connect queue pairs by rdma_cm'),
  meeting('comm-rdma-cm', ['z', 'comm_rdma_cm', 'com_rdma_cm'], 'rdma_cm for what the sides tell each other alone'),
  meeting('no-versions', ['', 'dont_xchg_versions'], 'taken and without effect: what is told has a version of its own'),
  meeting('peer', ['', 'peer'], 'perftest: the other side is a stock perftest', 'WHO'),
  meeting('serve', ['', 'serve'], 'a server goes on after its first client'),
  meeting('incast', ['', 'incast'], 'under a launcher: all ranks to the last one'),
];

const OUTPUT_ROWS: readonly PerftestOptionRow[] = [
  make('output', latAlone)('cycles', ['C', 'report-cycles'], 'times in cycles of the clock'),
  make('output', latAlone)('histogram', ['H', 'report-histogram', 'report-histogrm'], 'print all times, sorted'),
  make('output', latAlone)('unsorted', ['U', 'report-unsorted'], 'print all times as they came'),
  make('output', bwAlone)('no-peak', ['N', 'noPeak'], 'no peak (above 20000 messages there is none anyway)'),
  make('output', bw)('gbits', ['', 'report_gbits'], 'Gb/s (10^9 bits) in place of MiB/s (2^20 bytes)'),
  make('output', bw)('report-both', ['', 'report-both'], 'with -b: both directions by themselves too'),
  output('cpu-util', ['', 'cpu_util'], 'with -D: how busy the processors of this machine were'),
  output('counters', ['W', 'report-counters'], "what counters of the port's sysfs folder counted", 'NAME,NAME,...'),
  output('output', ['', 'output'], outputHelp, 'WHAT'),
  make('output', bwAlone)('limit-bw', ['w', 'limit_bw'], 'fail below this bandwidth, in the unit shown', 'N'),
  make('output', bwAlone)('limit-msgrate', ['y', 'limit_msgrate'], 'fail below so many million messages/s', 'N'),
  output('out-json', ['', 'out_json'], "a report in perftest's JSON"),
  output('out-json-file', ['', 'out_json_file'], `its file (default ${DEFAULT_JSON_FILE})`, 'FILE'),
  output('cpu-freq', ['F', 'CPU-freq'], 'taken and without effect: no clock here depends on the frequency'),
  output('version', ['V', 'version'], 'print the version'),
  output('help', ['h', 'help'], 'print this help'),
];

const rate = make('rate', { ...sized, ...bwAlone });

const RATE_ROWS: readonly PerftestOptionRow[] = [
  rate('rate-limit', ['', 'rate_limit'], 'send no faster than this, by pauses between bursts', 'N'),
  rate('rate-units', ['', 'rate_units'], 'g: Gb/s, M: MiB/s, p: messages per second (default g)', 'g|M|p'),
  rate('rate-limit-type', ['', 'rate_limit_type'], 'SW (default); HW and PP need a device that does it', 'SW'),
  rate('burst-size', ['', 'burst_size'], 'messages of a burst (default -t)', 'N'),
];

const OWN_ROWS: readonly PerftestOptionRow[] = [
  own('stats', ['', 'stats'], 'a line of min, median and its 95 % interval, p90, p99, max, sd and n of all samples'),
  own('json', ['', 'json'], OUTPUT_HELP.json, 'FILE|-'),
  own('csv', ['', 'csv'], OUTPUT_HELP.csv, 'FILE|-'),
  own('markdown', ['', 'markdown'], OUTPUT_HELP.markdown, 'FILE|-'),
  own('samples', ['', 'samples'], 'with --json: keep every sample in the record'),
  own('watchdog', ['', 'watchdog'], `end after S seconds without progress, 0 = never (${DEFAULT_WATCHDOG})`, 'S'),
  own('no-numa', ['', 'disable_numa'], 'taken and without effect: --bind or the launcher places processes'),
  ...BINDING_ROWS.map((row): PerftestOptionRow => ({ ...row, group: 'own', long: [row.name] })),
  { ...own('noise', ['', 'noise'], NOISE_HELP), argument: 'optional', shown: '[S]' },
];

function outputHelp({ kind }: PerftestTest): string {
  return `print one number alone: ${kind === 'lat' ? 'latency' : 'bandwidth or message_rate'}`;
}

/** Every option that does something here. */
export const PERFTEST_OPTIONS: readonly PerftestOptionRow[] = [
  ...TEST_ROWS,
  ...QUEUE_ROWS,
  ...PATH_ROWS,
  ...MEETING_ROWS,
  ...OUTPUT_ROWS,
  ...RATE_ROWS,
  ...OWN_ROWS,
];

/** As it is shown: `-n`, `--sizes`. */
export function shownOption(name: PerftestOptionName): string {
  const row = PERFTEST_OPTIONS.find((option) => option.name === name);
  if (!row) throw new RangeError(`no option ${name}`);
  return row.short === undefined ? `--${row.long?.[0] ?? row.name}` : `-${row.short}`;
}
