/** The queue pairs of a side: made, told about, connected. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import { decodeBytes, encodeBytes } from '../../rendezvous/bytes.js';
import type {
  AddressPath,
  ConnectOptions,
  DeviceAttributes,
  GidEntry,
  Mtu,
  PortAttributes,
  ProtectionDomain,
  QpOptions,
  QpType,
  QueuePair,
} from '../../verbs/types.js';
import type { Made } from '../meeting/made.js';
import { remoteOf, type LaneCard } from './cards.js';
import { defaultInline, isKnownMaker } from './inline.js';
import type { Place } from './memory.js';
import { depthsOf, type Queues } from './queues.js';
import { PerftestRefusal, type Lane } from './types.js';

/** As perftest has it. */
export const QKEY = 0x11111111;
/** Of receivers that aren't ready: 0.64 ms until the next try. */
const MIN_RNR_TIMER = 12;
const PSNS = 1 << 24;

/** What queue pairs are made of and connected by. */
export interface Ground {
  readonly options: PerftestOptions;
  readonly pd: ProtectionDomain;
  readonly port: PortAttributes;
  readonly queues: Queues;
  /** Of this side; null where paths have none. */
  readonly gid: GidEntry | null;
  readonly made: Made;
}

/** A queue pair with its memory, before it is connected. */
export interface RawLane extends Place {
  readonly qp: QueuePair;
  /** The end that receives, where that is another (XRC). */
  readonly receiver: QueuePair | null;
  readonly psn: number;
}

/** RDMA reads and atomics that a queue pair may have outstanding. Throws PerftestRefusal where that is more than it can. */
export function outReadsOf(
  { verb, outs }: Pick<PerftestOptions, 'verb' | 'outs'>,
  { maxQpRdAtom }: Pick<DeviceAttributes, 'maxQpRdAtom'>,
): number {
  if (verb !== 'read' && verb !== 'atomic') return 1;
  if (outs !== undefined && outs > maxQpRdAtom)
    throw new PerftestRefusal(`the device has at most ${maxQpRdAtom} reads and atomics outstanding: give -o no more`);
  return outs ?? maxQpRdAtom;
}

/** Types that take from a shared receive queue by themselves. */
const WITH_SRQ: readonly QpType[] = ['RC', 'UC', 'UD'];

/** What queue pairs are made with, for the types that a connection has. */
export function qpOptionsFor(
  { options, pd, queues }: Pick<Ground, 'options' | 'pd' | 'queues'>,
  type: QpType,
): QpOptions {
  const { sendCq, recvCq, srq, xrcd } = queues;
  const { send, receive } = depthsOf(options);
  const maxInline = options.inlineSize ?? defaultInline(options, pd.context.attributes);
  return {
    ...{ type, sendCq, recvCq, maxSendWr: send, maxRecvWr: srq ? 0 : receive },
    ...(srq && WITH_SRQ.includes(type) ? { srq } : {}),
    ...(xrcd && type === 'XRC_RECV' ? { xrcd } : {}),
    ...(type === 'XRC_RECV' ? {} : { maxInline, inlineIfPossible: options.inlineSize === undefined }),
    // As perftest has it: of makers that it doesn't know it takes the plain calls.
    ...(options.oldPostSend || !isKnownMaker(pd.context.attributes) ? { wrApi: false } : {}),
  };
}

function createQp(ground: Ground, type: QpType): QueuePair {
  return ground.made.keep(ground.pd.createQp(qpOptionsFor(ground, type)), (qp) => {
    qp.destroy();
  });
}

const TYPES = { RC: 'RC', UC: 'UC', UD: 'UD', XRC: 'XRC_SEND', DC: 'DCI' } as const satisfies Record<
  PerftestOptions['connection'],
  QpType
>;

function makeLane(ground: Ground, place: Place): RawLane {
  const { options, port } = ground;
  const { connection, path } = options;
  const qp = createQp(ground, TYPES[connection]);
  const receiver = connection === 'XRC' ? createQp(ground, 'XRC_RECV') : null;
  for (const one of receiver ? [qp, receiver] : [qp])
    one.prepare({ port: port.port, pkeyIndex: path.pkeyIndex, ...(connection === 'UD' ? { qkey: QKEY } : {}) });
  return { ...place, qp, receiver, psn: Math.floor(Math.random() * PSNS) };
}

/** Makes a queue pair for each place. */
export function makeLanes(ground: Ground, places: readonly Place[]): readonly RawLane[] {
  return places.map((place) => makeLane(ground, place));
}

/** What the peer must know of a queue pair. */
export function cardOf({ options, pd, port, queues, gid }: Ground, lane: RawLane): LaneCard {
  const { mr, receiveOffset, qp, receiver, psn } = lane;
  return {
    ...{ lid: port.lid, qpn: qp.number, receivingQpn: receiver?.number ?? qp.number, psn },
    ...{ rkey: mr.rkey, address: String(mr.address + BigInt(receiveOffset)) },
    srqn: queues.srq?.number ?? 0,
    outReads: outReadsOf(options, pd.context.attributes),
    gid: gid === null ? null : encodeBytes(gid.gid),
  };
}

/** The way to a peer's queue pair. */
function pathTo({ options: { path }, port, gid }: Ground, card: LaneCard, index: number): AddressPath {
  const { sl, trafficClass, hopLimit, flowLabels, dlid } = path;
  const flowLabel = flowLabels[index % Math.max(1, flowLabels.length)];
  return {
    ...{ port: port.port, lid: dlid ?? card.lid, sl, trafficClass, hopLimit },
    ...(gid === null || card.gid === null ? {} : { gid: { gid: decodeBytes(card.gid), index: gid.index } }),
    ...(flowLabel === undefined ? {} : { flowLabel }),
  };
}

interface Meeting {
  readonly lane: RawLane;
  readonly card: LaneCard;
  readonly index: number;
  readonly mtu: Mtu;
}

function connectLane(ground: Ground, { lane, card, index, mtu }: Meeting): Lane {
  const { options, pd, made } = ground;
  const { connection, path: wanted } = options;
  const path = pathTo(ground, card, index);
  const reads = connection === 'RC' || connection === 'XRC';
  const common: Omit<ConnectOptions, 'destQpn'> = {
    ...{ path, mtu, rqPsn: card.psn, sqPsn: lane.psn, pkeyIndex: wanted.pkeyIndex },
    ...{ timeout: wanted.qpTimeout, retryCount: wanted.retryCount, minRnrTimer: MIN_RNR_TIMER },
    ...(reads ? { maxDestRdAtomic: outReadsOf(options, pd.context.attributes), maxRdAtomic: card.outReads } : {}),
    ...(connection === 'UD' ? { qkey: QKEY } : {}),
  };
  lane.qp.connect({ ...common, destQpn: card.receivingQpn });
  lane.receiver?.connect({ ...common, destQpn: card.qpn });
  const { qp, mr, sendOffset, receiveOffset, half } = lane;
  const connected = { qp, mr, sendOffset, receiveOffset, half, remote: remoteOf(card) };
  if (connection === 'XRC') return { ...connected, srqn: card.srqn };
  if (connection !== 'UD') return connected;
  const ah = made.keep(pd.createAh(path), (one) => {
    one.destroy();
  });
  return { ...connected, ud: { ah, qpn: card.qpn, qkey: QKEY } };
}

/** Of queue pairs that rdma_cm has made: the key that it gives all of UD. */
const CM_QKEY = 0x01234567;

/** Queue pairs that rdma_cm has connected already. */
export function connectedByCm(ground: Ground, lanes: readonly RawLane[], cards: readonly LaneCard[]): readonly Lane[] {
  const { options, pd, made } = ground;
  return lanes.map(({ qp, mr, sendOffset, receiveOffset, half }, index) => {
    const card = cards[index];
    if (!card) throw new Error(`the other side has ${cards.length} queue pairs, and this one ${lanes.length}`);
    const lane: Lane = { qp, mr, sendOffset, receiveOffset, half, remote: remoteOf(card) };
    if (options.connection !== 'UD') return lane;
    const ah = made.keep(pd.createAh(pathTo(ground, card, index)), (one) => {
      one.destroy();
    });
    return { ...lane, ud: { ah, qpn: card.qpn, qkey: CM_QKEY } };
  });
}

/** Connects each queue pair to the one whose card has the same place. */
export function connectLanes(
  ground: Ground,
  lanes: readonly RawLane[],
  cards: readonly LaneCard[],
  mtu: Mtu,
): readonly Lane[] {
  return lanes.map((lane, index) => {
    const card = cards[index];
    if (!card) throw new Error(`the other side has ${cards.length} queue pairs, and this one ${lanes.length}`);
    return connectLane(ground, { lane, card, index, mtu });
  });
}
