/** Messages over active messages of a UCT transport. */
import { decodeBytes, encodeBytes } from '../rendezvous/bytes.js';
import { releaseOperations, runOnce } from '../engine/operations.js';
import type { Rendezvous } from '../rendezvous/types.js';
import { uct, uctBind, uctChannel, ucxVersion } from '../ucx/index.js';
import type { UctEp, UctIface, UctResource } from '../ucx/uct-types.js';
import { LayerRefusal, openOnAll, type MessageLayer } from './messages.js';

function resourceOf(transport: string, device: string): UctResource {
  const all = uct().resources();
  const found = all.find((one) => one.transport === transport && one.device === device);
  if (found) return found;
  const names = [...new Set(all.map((one) => `${one.transport}/${one.device}`))].join(', ');
  throw new LayerRefusal(`this host has no UCT transport ${transport}/${device}: it has ${names}`);
}

interface Addresses {
  readonly device: string;
  readonly iface: string;
  /** Of the endpoint for each rank, where endpoints are connected and not interfaces. */
  readonly endpoints: readonly string[];
}

interface Opened {
  readonly iface: UctIface;
  /** As many as ranks, where endpoints are connected. */
  readonly made: readonly UctEp[];
}

function open(resource: UctResource, ranks: number): { own: Opened; said: Addresses } {
  const iface = uct().open(resource);
  const { flags, am } = iface.attributes;
  if (!am.bcopy) {
    const { transport, device } = resource;
    throw new LayerRefusal(`${transport}/${device} has no active messages, over which messages could go`);
  }
  const toIface = flags.includes('CONNECT_TO_IFACE');
  const made = toIface ? [] : Array.from({ length: ranks }, () => iface.epCreate());
  return {
    own: { iface, made },
    said: {
      device: encodeBytes(iface.deviceAddress()),
      iface: toIface ? encodeBytes(iface.ifaceAddress()) : '',
      endpoints: made.map((endpoint) => encodeBytes(endpoint.address())),
    },
  };
}

/** An endpoint to a rank whose addresses are known. */
function connect({ iface, made }: Opened, addresses: Addresses, ranks: { peer: number; own: number }): UctEp {
  const [device, address] = [decodeBytes(addresses.device), decodeBytes(addresses.iface)];
  const { transport, device: name } = iface.resource;
  if (!iface.isReachable(device, address))
    throw new LayerRefusal(`${transport}/${name} does not reach rank ${ranks.peer} from rank ${ranks.own}`);
  const [endpoint, text] = [made[ranks.peer], addresses.endpoints[ranks.own]];
  if (!endpoint || text === undefined) return iface.connect(device, address);
  endpoint.connectToEp(device, decodeBytes(text));
  return endpoint;
}

/**
 * Every rank calls it together.
 *
 * @throws LayerRefusal on all ranks where one of them doesn't have the transport, or it has no active messages
 */
export function uctLayer(rendezvous: Rendezvous, transport: string, device: string): MessageLayer {
  const { size, rank } = rendezvous;
  const { own, all } = openOnAll(rendezvous, () => open(resourceOf(transport, device), size));
  const { iface, made } = own;
  const endpoints = new Map<number, UctEp>();
  const endpointFor = (peer: number): UctEp => {
    const addresses = all[peer];
    if (!addresses) throw new RangeError(`there is no rank ${peer}`);
    const endpoint = endpoints.get(peer) ?? connect(own, addresses, { peer, own: rank });
    endpoints.set(peer, endpoint);
    return endpoint;
  };
  return {
    layer: `uct:${transport}/${device}`,
    progress: () => uctBind().progress(iface),
    channel: (peer, id) => uctChannel({ iface, endpoint: endpointFor(peer), id }),
    reach: (peer) => {
      endpointFor(peer);
    },
    transports: () => [`${transport}/${device}`],
    environment: () => ({ ucx: { version: ucxVersion(), transports: [`${transport}/${device}`] } }),
    close: () => {
      runOnce(uctBind().flush(iface));
      // The peer's flush may still wait for what this side's progress gives it.
      if (!rendezvous.progressBarrier)
        throw new Error(`the rendezvous ${rendezvous.kind} has no barrier with progress`);
      const barrier = rendezvous.progressBarrier(uctBind().progress(iface));
      barrier();
      releaseOperations([barrier]);
      for (const endpoint of new Set([...endpoints.values(), ...made])) endpoint.destroy();
      rendezvous.barrier();
      iface.close();
    },
  };
}
