/** `--layer`: which layer below or beside MPI carries the messages. */
import { bad, good, type Checked } from './values.js';

export type LayerRequest =
  | { readonly kind: 'mpi' }
  /** Memory that two ranks of one host share, without any stack: the floor. */
  | { readonly kind: 'shm' }
  | { readonly kind: 'ucp'; readonly by: 'tag' | 'stream' | 'am' }
  | { readonly kind: 'uct'; readonly transport: string; readonly device: string };

const NAMED: Readonly<Record<string, LayerRequest>> = {
  mpi: { kind: 'mpi' },
  shm: { kind: 'shm' },
  ucp: { kind: 'ucp', by: 'tag' },
  'ucp:tag': { kind: 'ucp', by: 'tag' },
  'ucp:stream': { kind: 'ucp', by: 'stream' },
  'ucp:am': { kind: 'ucp', by: 'am' },
};

export function parseLayer(text: string): Checked<LayerRequest> {
  const named = Object.hasOwn(NAMED, text) ? NAMED[text] : undefined;
  if (named) return good(named);
  const [, transport, device] = /^uct:([^/]+)\/(.+)$/.exec(text) ?? [];
  if (transport !== undefined && device !== undefined) return good({ kind: 'uct', transport, device });
  return bad(
    `Invalid Layer: give ${Object.keys(NAMED).join(', ')} or uct:TRANSPORT/DEVICE, as in --layer uct:posix/memory`,
  );
}

/** As it is given, and as records name it. */
export function layerName(request: LayerRequest): string {
  if (request.kind === 'uct') return `uct:${request.transport}/${request.device}`;
  return request.kind === 'ucp' && request.by !== 'tag' ? `ucp:${request.by}` : request.kind;
}
