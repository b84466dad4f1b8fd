/** `--out_json`: the report in the form of later versions of perftest, with every row and the units that it leaves out. */
import type { PerftestOptions } from '../cli/perftest-options.js';
import { titleOf, TRANSPORTS } from './perftest-box.js';
import { inReportUnit } from './perftest-text.js';
import type { BandwidthFigures, LatencyFigures, PerftestHeader } from './perftest-types.js';

const MILLION = 1e6;

export interface PerftestReport {
  readonly options: PerftestOptions;
  readonly header: PerftestHeader;
  /** In the order of measuring; all of the kind of the test. */
  readonly rows: readonly (LatencyFigures | BandwidthFigures)[];
}

type Word = string | number;
type Fields = Readonly<Record<string, Word | null>>;

/** The whole file: valid JSON, also of no rows at all. */
export function perftestJson(report: PerftestReport): string {
  const { options, header, rows } = report;
  const document = {
    test_info: testInfo(options, header),
    units: unitsOf(options),
    results: rows.map((row) => (isLatency(row) ? latencyFields(row, options) : bandwidthFields(row, options))),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function isLatency(row: LatencyFigures | BandwidthFigures): row is LatencyFigures {
  return 'typical' in row;
}

function testInfo(options: PerftestOptions, header: PerftestHeader): Fields {
  const { verb, kind, meeting, path, postList, recvPostList } = options;
  const reads = verb === 'read' || verb === 'atomic';
  const sends = options.bidirectional || (header.sender ?? true);
  return {
    test: titleOf(options).replaceAll(' ', '_'),
    Dual_port: 'OFF',
    Device: header.device,
    Number_of_qps: options.qps,
    Transport_type: TRANSPORTS[header.transport],
    Connection_type: options.connection,
    Using_SRQ: onOff(header.usingSrq),
    PCIe_relax_order: onOff(options.relaxedOrdering),
    ibv_wr_API: onOff(header.wrApi),
    ...(sends && { TX_depth: header.txDepth }),
    ...(postList > 1 && { Post_List: postList }),
    ...(recvPostList > 1 && { Recv_Post_List: recvPostList }),
    ...(verb === 'send' && (options.bidirectional || !sends) && { RX_depth: header.rxDepth }),
    ...(kind === 'bw' && { CQ_Moderation: header.cqMod }),
    Mtu: header.mtu,
    Link_type: header.linkLayer,
    ...(header.gidIndex !== undefined && { GID_index: header.gidIndex }),
    ...(reads ? { Outstand_reads: header.outstandingReads ?? 0 } : { Max_inline_data: header.maxInline }),
    rdma_cm_QPs: onOff(meeting.rdmaCm),
    Data_ex_method: meeting.rdmaCm || meeting.rdmaCmExchange ? 'rdma_cm' : 'Ethernet',
    ...(path.tos !== undefined && { TOS: path.tos }),
  };
}

function onOff(on: boolean): string {
  return on ? 'ON' : 'OFF';
}

/** What perftest's own report doesn't say. */
function unitsOf({ kind, gbits, duration, cpuUtil }: PerftestOptions): Fields {
  if (kind === 'bw') {
    const bandwidth = gbits ? 'Gb/s' : 'MiB/s';
    return {
      MsgSize: 'B',
      BW_peak: bandwidth,
      BW_average: bandwidth,
      MsgRate: 'million messages/s',
      ...(cpuUtil && { CPU_util: '%' }),
    };
  }
  if (duration) return { MsgSize: 'B', t_avg: 'us', tps_average: '1/s', ...(cpuUtil && { CPU_util: '%' }) };
  const times = ['t_min', 't_max', 't_typical', 't_avg', 't_stdev', 'percentile_99', 'percentile_99.9'];
  return { MsgSize: 'B', ...Object.fromEntries(times.map((name) => [name, 'us'])) };
}

function latencyFields(row: LatencyFigures, { duration }: PerftestOptions): Fields {
  const start = { MsgSize: row.size, n_iterations: row.iterations };
  if (duration) return { ...start, t_avg: micro(row.average), tps_average: row.tps ?? null, ...load(row) };
  return {
    ...start,
    t_min: micro(row.min),
    t_max: micro(row.max),
    t_typical: micro(row.typical),
    t_avg: micro(row.average),
    t_stdev: micro(row.stdev),
    percentile_99: micro(row.p99),
    'percentile_99.9': micro(row.p999),
  };
}

function bandwidthFields(row: BandwidthFigures, { gbits }: PerftestOptions): Fields {
  const unit = (value: number | null) => (value === null ? null : rounded(inReportUnit(value, gbits), 6));
  return {
    MsgSize: row.size,
    n_iterations: row.iterations,
    BW_peak: unit(row.peak),
    BW_average: unit(row.average),
    MsgRate: row.messageRate === null ? null : rounded(row.messageRate / MILLION, 6),
    ...load(row),
  };
}

function load({ cpuUtil }: LatencyFigures | BandwidthFigures): Fields {
  return cpuUtil === undefined ? {} : { CPU_util: rounded(cpuUtil, 2) };
}

/** Microseconds with the picoseconds that a mean may have. */
function micro(seconds: number | null): number | null {
  return seconds === null ? null : rounded(seconds * MILLION, 6);
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
