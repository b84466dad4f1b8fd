/** Opens one side of a test: device, memory, queue pairs; tells the other side, connects, and knows how to close all. */
import { hostname } from 'node:os';
import { sizesFor } from '../../cli/perftest-depths.js';
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { GidEntry, Mtu, Verbs } from '../../verbs/types.js';
import { verbs } from '../../verbs/verbs.js';
import { type Made } from '../meeting/made.js';
import { requireAbilities } from './abilities.js';
import { gidCard, gidOf, type LaneCard, type Offer } from './cards.js';
import { openDevice, type OpenDevice } from './device.js';
import { choosePathGid } from './gid.js';
import { defaultInline } from './inline.js';
import { cardOf, connectLanes, makeLanes, type Ground, type RawLane } from './lanes.js';
import { placesFor } from './memory.js';
import { ofPeerLanes, ofPeers } from './meet.js';
import type { Opened, OpenRequest } from './opened.js';
import { createQueues } from './queues.js';
import { summary } from './summary.js';
import { together } from './steps.js';
import { PerftestRefusal, type Lane } from './types.js';

/** Queue pairs of this side: a server has those of each client. */
export function laneCount({ options: { qps }, party: { role, pair } }: OpenRequest): number {
  return role === 'server' ? qps * (pair.size - 1) : qps;
}

export function offerOf({ context, port, mtu }: OpenDevice): Offer {
  return {
    ...{ host: hostname(), device: context.device.name, port: port.port, linkLayer: port.linkLayer, mtu },
    gids: context.gids(port.port).map(gidCard),
  };
}

/** What both sides agree on. */
export interface Agreed {
  readonly mtu: Mtu;
  readonly gid: GidEntry | null;
  /** With the sizes that such a path can carry. */
  readonly options: PerftestOptions;
}

/** The smaller packets of both, and a GID that reaches the other. Throws PerftestRefusal. */
export function agreeOn(device: OpenDevice, offers: readonly Offer[], options: PerftestOptions): Agreed {
  const other = offers.find(({ linkLayer }) => linkLayer !== device.port.linkLayer);
  if (other)
    throw new PerftestRefusal(
      `${device.context.device.name} here is ${device.port.linkLayer} and ${other.device} on ${other.host} is ${other.linkLayer}: choose devices of one kind (-d)`,
    );
  const mtu = Math.min(device.mtu, ...offers.map((offer) => offer.mtu)) as Mtu;
  const sizes = sizesFor(options, mtu);
  if (!sizes.ok) throw new PerftestRefusal(sizes.reason);
  const theirs = offers[0]?.gids.map(gidOf);
  return { mtu, gid: choosePathGid(device, theirs, options), options: { ...options, sizes: sizes.value } };
}

interface GroundRequest {
  readonly lanes: number;
  readonly made: Made;
  readonly library: Verbs;
}

/** A protection domain and queues on a device. */
export function groundOn(
  { context, port }: OpenDevice,
  { gid, options }: Agreed,
  { lanes, made }: GroundRequest,
): Ground {
  requireAbilities(context, options);
  const pd = made.keep(context.allocPd(), (one) => {
    one.dealloc();
  });
  return { options, pd, port, queues: createQueues(pd, options, lanes, made), gid, made };
}

/** Memory, queues and queue pairs on a device. */
export function build(
  device: OpenDevice,
  agreed: Agreed,
  request: GroundRequest,
): { readonly ground: Ground; readonly raw: readonly RawLane[] } {
  const { lanes, made, library } = request;
  const ground = groundOn(device, agreed, request);
  const { pd } = ground;
  return { ground, raw: makeLanes(ground, placesFor({ verbs: library, pd, options: agreed.options, made }, lanes)) };
}

/** What is open, once it is connected. */
export function opened(
  { party }: OpenRequest,
  connected: {
    readonly ground: Ground;
    readonly lanes: readonly Lane[];
    readonly mtu: Mtu;
    readonly local: readonly LaneCard[];
    readonly remote: readonly LaneCard[];
  },
): Opened {
  const { ground, lanes } = connected;
  const { options, pd, queues, made } = ground;
  const { role, pair, world } = party;
  const wanted = options.inlineSize ?? defaultInline(options, pd.context.attributes);
  const inlineSize = Math.min(...lanes.map(({ qp }) => qp.maxInline), wanted);
  const { sendCq, recvCq, srq } = queues;
  const side = { options, role, context: pd.context, lanes, sendCq, recvCq, srq, inlineSize, pair, world };
  return {
    ...{ side, sizes: options.sizes },
    ...summary({ ...connected, sender: role === 'client' }, inlineSize),
    close: () => {
      made.close();
    },
    abandon: () => {
      made.closeQuietly();
    },
  };
}

/** The whole of a side, cards crossing by the rendezvous of the pair; see `OpenSide`. */
export function openByCards(request: OpenRequest, made: Made): Opened {
  const { options, party } = request;
  const library = together(party, verbs);
  const device = together(party, () => openDevice(library, options.path));
  made.keep(device.context, (context) => {
    context.close();
  });
  const offers = ofPeers(party, party.pair.allgather(offerOf(device)));
  const agreed = together(party, () => agreeOn(device, offers, options));
  const { ground, raw } = together(party, () => build(device, agreed, { lanes: laneCount(request), made, library }));
  const local = raw.map((lane) => cardOf(ground, lane));
  const remote = ofPeerLanes(party, party.pair.allgather(local), options.qps);
  const lanes = together(party, () => connectLanes(ground, raw, remote, agreed.mtu));
  return opened(request, { ground, lanes, mtu: agreed.mtu, local, remote });
}
