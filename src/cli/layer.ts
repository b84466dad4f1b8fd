/** `--layer`: which layer below or beside MPI carries the messages. */
import { bad, good, type Checked } from './values.js';

export type LayerRequest =
  | { readonly kind: 'mpi' }
  /** Memory that two ranks of one host share, without any stack: the floor. */
  | { readonly kind: 'shm' }
  | { readonly kind: 'ucp'; readonly by: 'tag' | 'stream' | 'am' }
  | { readonly kind: 'uct'; readonly transport: string; readonly device: string }
  /** An RDMA device, called directly; without a name the first with an active port. */
  | { readonly kind: 'verbs'; readonly by: VerbsCall; readonly device?: string };

/** The call by which messages go. */
export type VerbsCall = 'send' | 'write' | 'read';

const NAMED: Readonly<Record<string, LayerRequest>> = {
  mpi: { kind: 'mpi' },
  shm: { kind: 'shm' },
  ucp: { kind: 'ucp', by: 'tag' },
  'ucp:tag': { kind: 'ucp', by: 'tag' },
  'ucp:stream': { kind: 'ucp', by: 'stream' },
  'ucp:am': { kind: 'ucp', by: 'am' },
};

export function parseLayer(text: string): Checked<LayerRequest> {
  const known = Object.hasOwn(NAMED, text) ? NAMED[text] : undefined;
  if (known) return good(known);
  const [, transport, device] = /^uct:([^/]+)\/(.+)$/.exec(text) ?? [];
  if (transport !== undefined && device !== undefined) return good({ kind: 'uct', transport, device });
  const verbs = /^verbs(?::(?<by>send|write|read))?(?:\/(?<device>.+))?$/.exec(text)?.groups;
  if (verbs) {
    const by = (verbs['by'] ?? 'send') as VerbsCall;
    return good({ kind: 'verbs', by, ...(verbs['device'] === undefined ? {} : { device: verbs['device'] }) });
  }
  const named = Object.keys(NAMED).join(', ');
  return bad(
    `Invalid Layer: give ${named}, verbs[:send|write|read][/DEVICE] or uct:TRANSPORT/DEVICE, as in --layer uct:posix/memory`,
  );
}

/** As it is given, and as records name it. */
export function layerName(request: LayerRequest): string {
  if (request.kind === 'verbs') {
    const device = request.device === undefined ? '' : `/${request.device}`;
    return `verbs${request.by === 'send' ? '' : `:${request.by}`}${device}`;
  }
  if (request.kind === 'uct') return `uct:${request.transport}/${request.device}`;
  return request.kind === 'ucp' && request.by !== 'tag' ? `ucp:${request.by}` : request.kind;
}
