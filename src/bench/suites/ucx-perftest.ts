/** The tests of ucx_perftest: one row each. Names, metrics and windows are the peer's (UCX 1.13.1; get_bw: 1.18). */
import type { UcxTestFacts } from '../../report/ucx-perftest-types.js';

export type UctCommand = 'am' | 'put' | 'get' | 'add' | 'fadd' | 'swap' | 'cswap';
export type UcpCommand = UctCommand | 'tag' | 'tag_sync' | 'stream';

interface TestShape {
  /** Both sides in turn, or the client to the server. */
  readonly pattern: 'ping-pong' | 'stream';
  /** Calls that may be in flight where `-O` doesn't say. */
  readonly outstanding: number;
}

export type UcxTest = UcxTestFacts &
  TestShape &
  ({ readonly api: 'uct'; readonly command: UctCommand } | { readonly api: 'ucp'; readonly command: UcpCommand });

type Pattern = readonly [TestShape['pattern'], UcxTestFacts['metric']];

/** Makes rows of one API. */
const rowsOf =
  <Command, Row>(api: 'uct' | 'ucp') =>
  (name: string, command: Command, [pattern, metric]: Pattern, description: string, outstanding = 1): Row =>
    ({ api, name, command, pattern, metric, description, outstanding }) as Row;
const uct = rowsOf<UctCommand, UcxTest>('uct');
const ucp = rowsOf<UcpCommand, UcxTest>('ucp');

const there: Pattern = ['ping-pong', 'latency'];
/** The whole way there and back belongs to one call. */
const fetching: Pattern = ['stream', 'latency'];
const streaming: Pattern = ['stream', 'overhead'];

export const ucxTests: readonly UcxTest[] = [
  uct('am_lat', 'am', there, 'active message latency'),
  uct('put_lat', 'put', there, 'put latency'),
  uct('add_lat', 'add', there, 'atomic add latency'),
  uct('get', 'get', fetching, 'get latency / bandwidth / message rate'),
  uct('get_bw', 'get', streaming, 'get bandwidth / message rate', 32),
  uct('fadd', 'fadd', fetching, 'atomic fetch-and-add latency / rate'),
  uct('swap', 'swap', fetching, 'atomic swap latency / rate'),
  uct('cswap', 'cswap', fetching, 'atomic compare-and-swap latency / rate'),
  uct('am_bw', 'am', streaming, 'active message bandwidth / message rate'),
  uct('put_bw', 'put', streaming, 'put bandwidth / message rate'),
  uct('add_mr', 'add', streaming, 'atomic add message rate'),
  ucp('tag_lat', 'tag', there, 'tag match latency'),
  ucp('tag_bw', 'tag', streaming, 'tag match bandwidth', 32),
  ucp('tag_sync_lat', 'tag_sync', there, 'tag sync match latency'),
  ucp('tag_sync_bw', 'tag_sync', streaming, 'tag sync match bandwidth', 32),
  ucp('ucp_put_lat', 'put', there, 'put latency'),
  ucp('ucp_put_bw', 'put', streaming, 'put bandwidth', 32),
  ucp('ucp_get', 'get', fetching, 'get latency / bandwidth / message rate'),
  ucp('ucp_add', 'add', streaming, 'atomic add bandwidth / message rate'),
  ucp('ucp_fadd', 'fadd', fetching, 'atomic fetch-and-add latency / bandwidth / rate'),
  ucp('ucp_swap', 'swap', fetching, 'atomic swap latency / bandwidth / rate'),
  ucp('ucp_cswap', 'cswap', fetching, 'atomic compare-and-swap latency / bandwidth / rate'),
  ucp('stream_bw', 'stream', streaming, 'stream bandwidth'),
  ucp('stream_lat', 'stream', there, 'stream latency'),
  ucp('ucp_am_lat', 'am', there, 'am latency'),
  ucp('ucp_am_bw', 'am', streaming, 'am bandwidth / message rate', 32),
];

const byName: ReadonlyMap<string, UcxTest> = new Map(ucxTests.map((test) => [test.name, test]));

/** The test of a name; undefined where there is none. */
export function ucxTest(name: string): UcxTest | undefined {
  return byName.get(name);
}
