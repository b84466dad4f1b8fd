/** Messages over UCP, by tags, by streams or as active messages. */
import { decodeBytes, encodeBytes } from '../rendezvous/bytes.js';
import type { Rendezvous } from '../rendezvous/types.js';
import { ucp, ucpBind, ucpChannel, ucxVersion } from '../ucx/index.js';
import type { UcpEp, UcpFeature } from '../ucx/ucp-types.js';
import { openOnAll, type MessageLayer } from './messages.js';

const FEATURES = { tag: 'TAG', stream: 'STREAM', am: 'AM' } as const satisfies Record<string, UcpFeature>;

/**
 * Every rank calls it together. Transports are chosen by UCX_TLS and its kin.
 *
 * @throws LayerRefusal on all ranks where one of them can't have it
 */
export function ucpLayer(rendezvous: Rendezvous, by: keyof typeof FEATURES): MessageLayer {
  const { own, all } = openOnAll(rendezvous, () => {
    const context = ucp().init({ features: [FEATURES[by]] });
    const worker = context.workerCreate();
    return { own: { context, worker }, said: encodeBytes(worker.address()) };
  });
  const { context, worker } = own;
  const endpoints = new Map<string, UcpEp>();
  // A stream is one for each endpoint, so that each channel needs an endpoint of its own.
  const endpointFor = (peer: number, id: number): UcpEp => {
    const name = by === 'stream' ? `${peer} ${id}` : String(peer);
    const address = all[peer];
    if (address === undefined) throw new RangeError(`there is no rank ${peer}`);
    const endpoint = endpoints.get(name) ?? worker.epCreate({ address: decodeBytes(address) });
    endpoints.set(name, endpoint);
    return endpoint;
  };
  const transports = (): string[] => [
    ...new Set([...endpoints.values()].flatMap((endpoint) => endpoint.lanes().map(({ name }) => name))),
  ];
  return {
    layer: by === 'tag' ? 'ucp' : `ucp:${by}`,
    progress: () => ucpBind().progress(worker),
    channel: (peer, id) => ucpChannel({ worker, endpoint: endpointFor(peer, id), by, id }),
    reach: (peer) => {
      endpointFor(peer, 0);
    },
    transports,
    environment: () => ({ ucx: { version: ucxVersion(), transports: transports() } }),
    close: () => {
      for (const endpoint of endpoints.values()) endpoint.close();
      rendezvous.barrier();
      worker.destroy();
      context.cleanup();
    },
  };
}
