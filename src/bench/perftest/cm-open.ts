/** `-R`: opens one side with queue pairs that rdma_cm connects. What else crosses goes by the rendezvous of the pair. */
import { sentence } from '../../report/say.js';
import { rdmaCm } from '../../verbs/cm.js';
import type { CmId, CmListener, CmParameters } from '../../verbs/cm-types.js';
import type { GidEntry, Verbs } from '../../verbs/types.js';
import { verbs } from '../../verbs/verbs.js';
import type { Made } from '../meeting/made.js';
import type { LaneCard } from './cards.js';
import { openDevice, type OpenDevice } from './device.js';
import { cardOf, connectedByCm, outReadsOf, qpOptionsFor, type Ground, type RawLane } from './lanes.js';
import { placesFor, type Place } from './memory.js';
import { ofPeerLanes, ofPeers } from './meet.js';
import { agreeOn, groundOn, laneCount, offerOf, opened, type Agreed } from './build.js';
import type { Opened, OpenRequest } from './opened.js';
import { together } from './steps.js';
import { PerftestRefusal } from './types.js';

/** Seconds that each step of a connection may take. */
const STEP_SECONDS = 20;

interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly ipv6: boolean;
}

interface CmGround {
  readonly request: OpenRequest;
  readonly library: Verbs;
  readonly device: OpenDevice;
  readonly agreed: Agreed;
  readonly made: Made;
}

/** A queue pair's place among those of all clients, as private data. */
const encodePlace = (place: number): Uint8Array => Uint8Array.of(place >> 8, place & 0xff);
const decodePlace = ([high = 0, low = 0]: Uint8Array): number => high * 256 + low;

function addressOf({ text, ipv4, netdev }: GidEntry): Pick<ServerAddress, 'host' | 'ipv6'> {
  if (ipv4) return { host: text.replace(/^::ffff:/i, ''), ipv6: false };
  return { host: /^fe[89ab]/i.test(text) && netdev !== null ? `${text}%${netdev}` : text, ipv6: true };
}

function listenFor({ request, agreed, made }: CmGround): { listener: CmListener; address: ServerAddress } {
  const { options, party } = request;
  const { gid } = agreed;
  const reached = gid ? addressOf(gid) : { host: request.host ?? '', ipv6: options.meeting.ipv6Socket };
  // Several servers may share a host: each takes a port that is free.
  const port = party.connection ? options.meeting.port : 0;
  const listener = made.keep(
    rdmaCm().listen({ port, ipv6: reached.ipv6 }, { ud: options.connection === 'UD' }),
    (one) => {
      one.close();
    },
  );
  return { listener, address: { ...reached, port: listener.port } };
}

/** Makes queue pairs, one after the other, on what the first connection's device gives. */
class CmLanes {
  readonly raw: RawLane[] = [];
  #ground: Ground | undefined;
  #places: readonly Place[] = [];

  constructor(private readonly cm: CmGround) {}

  get ground(): Ground {
    if (!this.#ground) throw new Error('rdma_cm has made no queue pair');
    return this.#ground;
  }

  /** Makes what all queue pairs share, on the device of a connection that isn't made yet. */
  begin(id: CmId): void {
    this.#ground ??= this.#begin(id);
  }

  /** Of a connection, for a place; it isn't connected yet. */
  make(id: CmId, index: number): CmParameters {
    const { options } = this.cm.agreed;
    const { made } = this.cm;
    made.keep(id, (one) => {
      one.destroy();
    });
    const ground = (this.#ground ??= this.#begin(id));
    const place = this.#places[index];
    if (!place)
      throw new PerftestRefusal(`the other side asks for a queue pair ${index}: run the same version on both`);
    const type = options.connection === 'UD' ? 'UD' : 'RC';
    const qp = made.keep(id.createQp(ground.pd, qpOptionsFor(ground, type)), (one) => {
      id.disconnect();
      one.destroy();
    });
    this.raw[index] = { ...place, qp, receiver: null, psn: 0 };
    const reads = outReadsOf(options, ground.pd.context.attributes);
    return {
      responderResources: reads,
      initiatorDepth: reads,
      retryCount: options.path.retryCount,
      timeout: STEP_SECONDS,
    };
  }

  #begin({ context }: CmId): Ground {
    const { device, agreed, made, library, request } = this.cm;
    const own = device.context.device.name;
    if (context.device.name !== own)
      throw new PerftestRefusal(
        `the way to the other side begins at ${context.device.name}, not ${own}: name it with -d`,
      );
    const count = laneCount(request);
    const ground = groundOn({ ...device, context }, agreed, { lanes: count, made, library });
    this.#places = placesFor({ verbs: library, pd: ground.pd, options: agreed.options, made }, count);
    return ground;
  }
}

function resolve({ request }: CmGround, server: ServerAddress): CmId {
  const { connection, meeting, path } = request.options;
  const { tos, qpTimeout } = path;
  const { source } = meeting;
  const way = {
    ...{ ...server, qpTimeout },
    ...(tos === undefined ? {} : { tos }),
    ...(source === undefined ? {} : { source }),
  };
  return rdmaCm().resolve(way, { ud: connection === 'UD', timeout: STEP_SECONDS });
}

/** A client's first connection, with all that can fail on its side alone: no server waits for it meanwhile. */
function resolveFirst(cm: CmGround, lanes: CmLanes, server: ServerAddress): CmId {
  const id = cm.made.keep(resolve(cm, server), (one) => {
    one.destroy();
  });
  lanes.begin(id);
  return id;
}

function connectAll(cm: CmGround, lanes: CmLanes, server: ServerAddress, first: CmId): void {
  const { options, party } = cm.request;
  for (let index = 0; index < options.qps; index++) {
    const id = index === 0 ? first : resolve(cm, server);
    const parameters = lanes.make(id, index);
    id.connect({ ...parameters, privateData: encodePlace(party.pair.rank * options.qps + index) });
  }
}

/** Clients wait for an answer, and hear of a failure by `together` only after that: none is left without one. */
function acceptAll({ request }: CmGround, lanes: CmLanes, listener: CmListener): void {
  for (let left = laneCount(request); left > 0; left--) {
    const id = listener.accept({ timeout: STEP_SECONDS });
    if (!id) throw new PerftestRefusal(`no client has asked rdma_cm for a connection within ${STEP_SECONDS} s`);
    try {
      id.accept(lanes.make(id, decodePlace(id.privateData)));
    } catch (error) {
      id.reject(sentence(error));
      listener.close();
      throw error;
    }
  }
}

/** The whole of a side; see `OpenSide`. */
export function openByCm(request: OpenRequest, made: Made): Opened {
  const { options, party } = request;
  const library = together(party, verbs);
  const device = together(party, () => openDevice(library, options.path));
  made.keep(device.context, (context) => {
    context.close();
  });
  const offers = ofPeers(party, party.pair.allgather(offerOf(device)));
  const agreed = together(party, () => agreeOn(device, offers, options));
  const cm: CmGround = { request, library, device, agreed, made };
  const service = together(party, () => (party.role === 'server' ? listenFor(cm) : null));
  const [server] = party.pair.allgather(service?.address ?? null).flatMap((address) => address ?? []);
  if (!server) throw new Error('no server has said where it listens');
  const lanes = new CmLanes(cm);
  const first = together(party, () => (service ? null : resolveFirst(cm, lanes, server)));
  together(party, () => {
    if (service) acceptAll(cm, lanes, service.listener);
    else if (first) connectAll(cm, lanes, server, first);
  });
  const local: readonly LaneCard[] = lanes.raw.map((lane) => cardOf(lanes.ground, lane));
  const remote = ofPeerLanes(party, party.pair.allgather(local), options.qps);
  const ready = together(party, () => connectedByCm(lanes.ground, lanes.raw, remote));
  return opened(request, { ground: lanes.ground, lanes: ready, mtu: agreed.mtu, local, remote });
}
