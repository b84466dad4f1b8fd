/** Rows of the record: base units, and all that a size was measured with. */
import { cqModFor } from '../../cli/perftest-depths.js';
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { BandwidthFigures, LatencyFigures } from '../../report/perftest-types.js';
import type { Figure, RowParameters, RowRecord } from '../../results/types.js';
import type { Party } from '../meeting/party.js';
import type { Opened } from './opened.js';
import type { Row } from './rows.js';
import type { SizeResult } from './types.js';

interface RecordRequest {
  readonly options: PerftestOptions;
  readonly party: Party;
}

/** Beside the usual percentiles, the one that perftest shows. */
const PERCENTILES = [99.9];

function parametersOf({ options, party }: RecordRequest, { side }: Opened, size: number): RowParameters {
  const { verb, connection, qps, postList, txDepth, rxDepth, events, bidirectional, duration } = options;
  return {
    ...{ size, verb, connection, qps, pairs: party.clients, incast: options.meeting.incast },
    ...{ bidirectional, postList, txDepth, rxDepth, cqMod: cqModFor(side.options, size), events },
    ...{ inline: side.inlineSize, srq: side.srq !== null, rdmaCm: options.meeting.rdmaCm },
    ...(verb === 'atomic' ? { atomic: options.atomicType } : {}),
    ...(duration ? { duration: duration.seconds, margin: duration.margin } : {}),
  };
}

const figures = (values: Readonly<Record<string, number | null | undefined>>, unit: string): Record<string, Figure> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, { value, unit }]])),
  );

function latencyFigures({ typical, average, min, max, stdev, p99, p999, tps }: LatencyFigures): Record<string, Figure> {
  return {
    ...figures({ latency: typical ?? average, average, min, max, stdev, p99, 'p99.9': p999 }, 's'),
    ...figures({ rate: tps }, '1/s'),
  };
}

function bandwidthFigures({ average, peak, messageRate, cpuUtil }: BandwidthFigures): Record<string, Figure> {
  return {
    ...figures({ bandwidth: average, peak }, 'B/s'),
    ...figures({ rate: messageRate }, '1/s'),
    ...figures({ 'CPU utilisation': cpuUtil }, '%'),
  };
}

function partFigures({ both, clients }: Row): Record<string, Figure> {
  return {
    ...(both ? figures({ 'local bandwidth': both.local.average, 'remote bandwidth': both.remote.average }, 'B/s') : {}),
    ...figures(
      Object.fromEntries(clients.map(({ bandwidth }, client) => [`bandwidth of client ${client}`, bandwidth?.average])),
      'B/s',
    ),
  };
}

function statisticsOf({ store }: Row): RowRecord['statistics'] {
  return store ? { ...store.statistics({ percentiles: PERCENTILES }), figure: 'latency', unit: 's' } : null;
}

/** A size, as the first client has it. */
export function rowRecord(request: RecordRequest, opened: Opened, row: Row, result: SizeResult): RowRecord {
  const { latency, bandwidth, wrongBytes } = row;
  const shown = latency ?? bandwidth;
  const counters = result.counters?.map(([name, difference]) => [name, Number(difference)] as const);
  return {
    parameters: {
      ...parametersOf(request, opened, shown?.size ?? 0),
      ...(result.sampleSeconds === undefined ? {} : { sampleSeconds: result.sampleSeconds }),
    },
    n: shown?.iterations ?? 0,
    figures: {
      ...(latency ? latencyFigures(latency) : {}),
      ...(bandwidth ? bandwidthFigures(bandwidth) : {}),
      ...partFigures(row),
    },
    statistics: statisticsOf(row),
    ...(wrongBytes === null ? {} : { validation: { passed: wrongBytes === 0, wrongBytes } }),
    ...(counters?.length ? { counters: [{ rank: 0, values: Object.fromEntries(counters) }] } : {}),
  };
}

/** A row of a run that goes on. */
export function progressRecord(request: RecordRequest, opened: Opened, now: BandwidthFigures): RowRecord {
  return {
    parameters: parametersOf(request, opened, now.size),
    n: now.iterations,
    figures: bandwidthFigures(now),
    statistics: null,
  };
}
