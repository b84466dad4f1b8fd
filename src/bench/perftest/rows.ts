/** What becomes of a size: every process says what it measured, and those that show a row show what is theirs to show. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { BandwidthFigures, LatencyFigures } from '../../report/perftest-types.js';
import { SampleStore } from '../measure/samples.js';
import type { PairRole, Party } from '../meeting/party.js';
import { aggregateFigures, latencyFigures, sumOfDirections } from './figures.js';
import type { SizeResult } from './types.js';

/** What one process says of a size. */
export interface Said {
  readonly role: PairRole;
  readonly latency: LatencyFigures | null;
  readonly bandwidth: BandwidthFigures | null;
  readonly wrongBytes: number;
}

export interface Row {
  /** Of this side, or of all clients together; null where it has none to show. */
  readonly latency: LatencyFigures | null;
  /** Both directions together with `-b`; all clients together where there are several. */
  readonly bandwidth: BandwidthFigures | null;
  /** The two directions of one pair, with `-b`. */
  readonly both: { readonly local: BandwidthFigures; readonly remote: BandwidthFigures } | null;
  /** Of each client, where there are several. */
  readonly clients: readonly Said[];
  /** Seconds of each client's iterations, where they are kept and this process has them. */
  readonly samples: readonly Float64Array[];
  /** What `samples` are together. */
  readonly store: SampleStore | null;
  /** Of all processes; null where nothing is compared. */
  readonly wrongBytes: number | null;
}

export function say(role: PairRole, { latency, bandwidth, wrongBytes }: SizeResult): Said {
  return { role, latency: latency ?? null, bandwidth: bandwidth ?? null, wrongBytes: wrongBytes ?? 0 };
}

/** Samples of a latency test: this side's, or where several clients measure theirs, on the first. */
function samplesOf({ role, world, clients }: Party, { samples }: SizeResult): readonly Float64Array[] {
  const own = samples ?? new Float64Array();
  if (clients === 1) return own.length > 0 ? [own] : [];
  return world.gatherNumbers(role === 'client' ? own : new Float64Array()).filter(({ length }) => length > 0);
}

/** Of one pair, as this side sees it. */
function ofPair({ bidirectional }: PerftestOptions, own: Said, peer: Said): Pick<Row, 'bandwidth' | 'both'> {
  const local = own.bandwidth;
  const remote = peer.bandwidth;
  if (!bidirectional || !local || !remote) return { bandwidth: local ?? remote, both: null };
  return { bandwidth: sumOfDirections(local, remote), both: { local, remote } };
}

/** Of several pairs, in both directions where both send. Iterations are those of the clients. */
function ofClients({ bidirectional }: PerftestOptions, said: readonly Said[]): BandwidthFigures | null {
  const of = (wanted: PairRole): BandwidthFigures[] =>
    said.flatMap(({ role, bandwidth }) => (role === wanted && bandwidth ? [bandwidth] : []));
  const [first, ...others] = of('client');
  if (!first) return null;
  const sent = aggregateFigures([first, ...others]);
  return bidirectional ? of('server').reduce(sumOfDirections, sent) : sent;
}

function storeOf(samples: readonly Float64Array[]): SampleStore {
  const store = new SampleStore({ limit: samples.reduce((total, { length }) => total + length, 0) });
  for (const [client, seconds] of samples.entries()) store.add(seconds, seconds.length, client);
  return store;
}

/** Of several pairs: all samples together, or with `-D` the mean of the averages and the sum of the rates. */
function latencyOfClients(said: readonly Said[], store: SampleStore | null): LatencyFigures | null {
  const clients = said.flatMap(({ role, latency }) => (role === 'client' && latency ? [latency] : []));
  const [first] = clients;
  if (!first) return null;
  const total = (of: (figures: LatencyFigures) => number | null | undefined): number =>
    clients.reduce((sum, figures) => sum + (of(figures) ?? 0), 0);
  const iterations = total((figures) => figures.iterations);
  const average = total((figures) => figures.average) / clients.length;
  const rate = first.tps === undefined ? {} : { tps: total(({ tps }) => tps) };
  if (!store) return { ...first, iterations, average, ...rate };
  const pooled = latencyFigures(first.size, iterations, store);
  return first.tps === undefined ? pooled : { ...pooled, average, ...rate };
}

/** Puts together what all processes measured of a size; all of them call it together. */
export function gatherRow(options: PerftestOptions, party: Party, result: SizeResult): Row {
  const { role, world, clients } = party;
  const said = world.allgather(say(role, result));
  const own = said[world.rank];
  if (!own) throw new Error(`rank ${world.rank} has not said what it measured`);
  const samples = options.kind === 'lat' ? samplesOf(party, result) : [];
  const wrongBytes = options.validate ? said.reduce((total, one) => total + one.wrongBytes, 0) : null;
  if (clients === 1) {
    const peer = said[1 - world.rank] ?? own;
    const alone = { latency: own.latency, clients: [], samples, store: result.store ?? null, wrongBytes };
    return { ...alone, ...ofPair(options, own, peer) };
  }
  const store = samples.length > 0 ? storeOf(samples) : null;
  return {
    ...{ latency: latencyOfClients(said, store), bandwidth: ofClients(options, said), both: null },
    clients: said.filter((one) => one.role === 'client'),
    ...{ samples, store, wrongBytes },
  };
}
