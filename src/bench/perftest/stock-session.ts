/** `--peer perftest`: the other side is a stock perftest, which tells its queue pairs, and its figures where it has some. */
import { connectRaw, listenRaw, type RawConnection } from '../../engine/raw.js';
import { noop } from '../../engine/operations.js';
import { decodeBytes, encodeBytes } from '../../rendezvous/bytes.js';
import { loopbackRendezvous } from '../../rendezvous/loopback.js';
import type { Rendezvous } from '../../rendezvous/types.js';
import type { BandwidthFigures } from '../../report/perftest-types.js';
import { verbs } from '../../verbs/verbs.js';
import type { PerftestOptions } from '../../cli/perftest-options.js';
import { Made } from '../meeting/made.js';
import type { PairRole, Party } from '../meeting/party.js';
import type { Book } from './book.js';
import type { LaneCard } from './cards.js';
import { openDevice } from './device.js';
import { sumOfDirections } from './figures.js';
import { cardOf, connectLanes } from './lanes.js';
import { agreeOn, build, opened } from './build.js';
import type { Opened } from './opened.js';
import type { Row } from './rows.js';
import type { Parts } from './session.js';
import { stockExchange, type StockDialogue } from './stock-peer.js';
import type { StockRecord, StockReport } from './stock-wire.js';
import type { SizeResult } from './types.js';

const PAGE = 4096;
const CACHE_LINE = 64;
const CONNECT_SECONDS = 10;
const MIB = 2 ** 20;
const GBIT = 1e9 / 8;
const MILLION = 1e6;

/** Meets a perftest at the begin and at the end of each size, which is all that it knows. */
function stockRendezvous(dialogue: StockDialogue, role: PairRole): Rendezvous {
  let begins = true;
  return {
    ...loopbackRendezvous(2, role === 'client' ? 0 : 1),
    kind: 'perftest',
    barrier: () => {
      if (begins) dialogue.beforeSize();
      begins = !begins;
    },
    progressBarrier: () => noop(),
  };
}

const recordOf = (card: LaneCard): StockRecord => ({
  ...{ lid: card.lid, outReads: card.outReads, qpn: card.qpn, psn: card.psn, rkey: card.rkey, srqn: card.srqn },
  address: BigInt(card.address),
  gid: card.gid === null ? null : decodeBytes(card.gid),
});

const laneCardOf = (record: StockRecord): LaneCard => ({
  ...{ lid: record.lid, outReads: record.outReads, qpn: record.qpn, receivingQpn: record.qpn, psn: record.psn },
  ...{ rkey: record.rkey, srqn: record.srqn, address: String(record.address) },
  gid: record.gid === null ? null : encodeBytes(record.gid),
});

const unitOf = ({ gbits }: PerftestOptions): number => (gbits ? GBIT : MIB);

function reportOf(options: PerftestOptions, { bandwidth }: SizeResult): StockReport | null {
  if (!bandwidth) return null;
  const { size, iterations, peak, average, messageRate } = bandwidth;
  return {
    ...{ size: BigInt(size), iterations: BigInt(iterations) },
    ...{ peak: (peak ?? 0) / unitOf(options), average: (average ?? 0) / unitOf(options) },
    messageRate: (messageRate ?? 0) / MILLION,
  };
}

function figuresOf(options: PerftestOptions, report: StockReport | null): BandwidthFigures | null {
  if (!report || report.size === 0n) return null;
  const unit = unitOf(options);
  return {
    ...{ size: Number(report.size), iterations: Number(report.iterations) },
    ...{ peak: report.peak * unit, average: report.average * unit, messageRate: report.messageRate * MILLION },
  };
}

function rowOf(
  { latency, samples, store }: SizeResult,
  own: BandwidthFigures | null,
  peer: BandwidthFigures | null,
): Row {
  const both = own && peer ? { local: own, remote: peer } : null;
  return {
    latency: latency ?? null,
    bandwidth: both ? sumOfDirections(both.local, both.remote) : (own ?? peer),
    ...{ both, clients: [], samples: samples ? [samples] : [], store: store ?? null, wrongBytes: null },
  };
}

export interface StockRequest {
  readonly options: PerftestOptions;
  readonly connection: RawConnection;
  readonly role: PairRole;
  readonly parts: Parts;
  readonly bookFor: (party: Party) => Book;
}

function openStock({ options }: StockRequest, dialogue: StockDialogue, party: Party, made: Made): Opened {
  const library = verbs();
  const device = openDevice(library, options.path);
  made.keep(device.context, (context) => {
    context.close();
  });
  const { mtu } = dialogue.greet({ pageSize: PAGE, cacheLine: CACHE_LINE, mtu: device.mtu });
  const agreed = { ...agreeOn(device, [], options), mtu };
  const { ground, raw } = build(device, agreed, { lanes: options.qps, made, library });
  const local = raw.map((lane) => cardOf(ground, lane));
  const remote = dialogue.exchangeKeys(local.map(recordOf)).map(laneCardOf);
  const lanes = connectLanes(ground, raw, remote, mtu);
  dialogue.connected();
  return opened({ options, party }, { ground, lanes, mtu, local, remote });
}

function measureStock(request: StockRequest, dialogue: StockDialogue, open: Opened, book: Book): void {
  const { parts } = request;
  const { options } = open.side;
  let last: SizeResult = {};
  const shown: SizeResult[] = [];
  for (const size of open.sizes) {
    last = parts.measure(open.side, size, (figures) => {
      book.progress(figures);
    });
    const peer = figuresOf(options, dialogue.afterSize(reportOf(options, last)));
    const row = rowOf(last, last.bandwidth ?? null, peer);
    if (row.latency || row.bandwidth) shown.push(last);
    if (row.latency || row.bandwidth) book.row(row, last);
  }
  const told = figuresOf(options, dialogue.afterAll(reportOf(options, last)));
  if (told && shown.length === 0) book.row(rowOf({}, null, told), {});
}

/** Runs a side against a perftest. Returns the exit code. */
export function runStock(request: StockRequest): number {
  const { options, connection, role, bookFor } = request;
  const dialogue = stockExchange(connection, role, { ...options, duration: options.duration !== undefined });
  const pair = stockRendezvous(dialogue, role);
  const close = (): void => {
    connection.close();
  };
  const book = bookFor({ role, pair, world: loopbackRendezvous(1), clients: 1, close });
  const made = new Made();
  try {
    const open = openStock(request, dialogue, { role, pair, world: loopbackRendezvous(1), clients: 1, close }, made);
    book.begin(open);
    measureStock(request, dialogue, open, book);
    book.finish();
    book.recheck();
    dialogue.end();
    open.close();
    book.end();
    return book.exitCode;
  } catch (error) {
    book.end({ state: 'failed', message: error instanceof Error ? error.message : String(error) });
    made.closeQuietly();
    close();
    throw error;
  }
}

/** Reaches a perftest that waits there. Throws ControlError. */
export function connectStock({ meeting }: PerftestOptions, host: string): RawConnection {
  const { port, ipv6Socket: ipv6, source } = meeting;
  return connectRaw({ host, port, ipv6, timeout: CONNECT_SECONDS, ...(source === undefined ? {} : { source }) });
}

/** Waits for a perftest to come; nobody else can after it. */
export function acceptStock({ meeting }: PerftestOptions): RawConnection {
  const listener = listenRaw({ port: meeting.port, ipv6: meeting.ipv6Socket });
  try {
    const connection = listener.accept();
    if (connection) return connection;
    throw new Error('no perftest has come');
  } finally {
    listener.close();
  }
}
