/** The transport that `--layer` names. */
import type { LayerRequest } from '../cli/layer.js';
import type { Rendezvous } from '../rendezvous/types.js';
import { messageTransport, type LayerTransport } from './messages.js';
import { shmLayer } from './shm.js';
import type { Transport } from './types.js';
import { ucpLayer } from './ucp.js';
import { uctLayer } from './uct.js';
import { verbsLayer } from './verbs.js';

/**
 * A transport of its own below or beside MPI's, which is `base`. Every rank calls it together.
 *
 * @throws LoadError where UCX or verbs are missing, LayerRefusal where the host doesn't have it
 */
export function layerTransport(
  request: Exclude<LayerRequest, { kind: 'mpi' }>,
  rendezvous: Rendezvous,
  base: Transport,
): LayerTransport {
  switch (request.kind) {
    case 'shm':
      return messageTransport(shmLayer(rendezvous), rendezvous, base);
    case 'ucp':
      return messageTransport(ucpLayer(rendezvous, request.by), rendezvous, base);
    case 'uct':
      return messageTransport(uctLayer(rendezvous, request.transport, request.device), rendezvous, base);
    case 'verbs':
      return messageTransport(verbsLayer(rendezvous, request), rendezvous, base);
  }
}
