/** What becomes of a size: every process says what it measured, and those that show a row show what is theirs to show. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { BandwidthFigures, LatencyFigures } from '../../report/perftest-types.js';
import type { PairRole, Party } from '../meeting/party.js';
import type { SizeResult } from './types.js';

/** What one process says of a size. */
export interface Said {
  readonly role: PairRole;
  readonly latency: LatencyFigures | null;
  readonly bandwidth: BandwidthFigures | null;
  readonly wrongBytes: number;
}

export interface Row {
  /** Null where this side has none to show. */
  readonly latency: LatencyFigures | null;
  /** Both directions together with `-b`; all clients together where there are several. */
  readonly bandwidth: BandwidthFigures | null;
  /** The two directions of one pair, with `-b`. */
  readonly both: { readonly local: BandwidthFigures; readonly remote: BandwidthFigures } | null;
  /** Of each client, where there are several. */
  readonly clients: readonly Said[];
  /** Seconds of each client's iterations, where they are kept and this process has them. */
  readonly samples: readonly Float64Array[];
  /** Of all processes; null where nothing is compared. */
  readonly wrongBytes: number | null;
}

export function say(role: PairRole, { latency, bandwidth, wrongBytes }: SizeResult): Said {
  return { role, latency: latency ?? null, bandwidth: bandwidth ?? null, wrongBytes: wrongBytes ?? 0 };
}

type Rate = 'peak' | 'average' | 'messageRate';

/** Unknown where one of them is. */
function sum(all: readonly BandwidthFigures[], what: Rate): number | null {
  return all.reduce<number | null>((total, figures) => {
    const value = figures[what];
    return total === null || value === null ? null : total + value;
  }, 0);
}

function added(first: BandwidthFigures, all: readonly BandwidthFigures[]): BandwidthFigures {
  return {
    ...first,
    peak: sum(all, 'peak'),
    average: sum(all, 'average'),
    messageRate: sum(all, 'messageRate'),
  };
}

const figuresIn = (said: readonly Said[]): BandwidthFigures[] =>
  said.flatMap(({ bandwidth }) => (bandwidth === null ? [] : [bandwidth]));

/** Of one pair, as this side sees it. */
function ofPair(options: PerftestOptions, own: Said, peer: Said): Pick<Row, 'bandwidth' | 'both'> {
  const { bandwidth: local } = own;
  if (!options.bidirectional) return { bandwidth: local ?? peer.bandwidth, both: null };
  const { bandwidth: remote } = peer;
  if (local === null || remote === null) return { bandwidth: local ?? remote, both: null };
  return { bandwidth: added(local, [local, remote]), both: { local, remote } };
}

/** Of several clients; each sends as many as the others. */
function ofClients(options: PerftestOptions, said: readonly Said[]): BandwidthFigures | null {
  const clients = figuresIn(said.filter(({ role }) => role === 'client'));
  const all = options.bidirectional ? figuresIn(said) : clients;
  const [first] = clients;
  if (!first) return null;
  return { ...added(first, all), iterations: clients.reduce((total, { iterations }) => total + iterations, 0) };
}

/** Puts together what all processes said, in the order of the world. */
export function rowOf(options: PerftestOptions, party: Party, said: readonly Said[]): Row {
  const { world, clients } = party;
  const own = said[world.rank];
  if (!own) throw new Error(`rank ${world.rank} has not said what it measured`);
  const wrongBytes = options.validate ? said.reduce((total, one) => total + one.wrongBytes, 0) : null;
  const common = { latency: own.latency, wrongBytes };
  if (clients > 1)
    return {
      ...{ ...common, bandwidth: ofClients(options, said), both: null },
      clients: said.filter(({ role }) => role === 'client'),
    };
  const peer = said[1 - world.rank] ?? own;
  return { ...common, ...ofPair(options, own, peer), clients: [] };
}
