/** Messages over a flag and a buffer in shared memory, between ranks of one host. */
import { hostname } from 'node:os';
import { ShmSegments } from '../engine/shm.js';
import type { Rendezvous } from '../rendezvous/types.js';
import type { MessageChannel } from '../ucx/types.js';
import { LayerRefusal, messageTransport, type LayerTransport, type MessageLayer } from './messages.js';
import type { Transport } from './types.js';

function channelOf(segments: ShmSegments, peer: number): MessageChannel {
  const { line, close } = segments.line(peer);
  return {
    send: (buffer, size) => line.send(buffer, size),
    receive: (buffer, size) => line.receive(buffer, size),
    startSends: (buffers, size, window) => line.startSends(buffers, size, window),
    startReceives: (buffers, size, window) => line.startReceives(buffers, size, window),
    completeSends: () => line.completeSends(),
    completeReceives: () => line.completeReceives(),
    close,
  };
}

/** What each rank tells the others: where its segment is, or why there is none. */
interface Offer {
  readonly host: string;
  readonly path: string;
  readonly problem: string | null;
}

/** Runs an action that may fail on some ranks; returns its sentence on this one. */
function problemOf(action: () => void): string | null {
  try {
    action();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** All ranks throw the same, or none does. */
function refuseTogether(problems: readonly (string | null)[]): void {
  const rank = problems.findIndex((problem) => problem !== null);
  if (rank >= 0) throw new LayerRefusal(`rank ${rank} says that ${problems[rank] ?? ''}`);
}

function refuseOtherHosts(hosts: readonly string[]): void {
  const other = hosts.findIndex((host) => host !== hosts[0]);
  if (other < 0) return;
  throw new LayerRefusal(
    `it works between ranks of one host: rank 0 is on ${hosts[0] ?? ''} and rank ${other} on ${hosts[other] ?? ''}`,
  );
}

/** Makes this rank's segment and opens all others'. Collective. */
function meetInMemory(rendezvous: Rendezvous): ShmSegments {
  const { rank, size } = rendezvous;
  let segments: ShmSegments | undefined;
  const problem = problemOf(() => (segments = new ShmSegments(rank, size)));
  try {
    const offer: Offer = { host: hostname(), path: segments?.path ?? '', problem };
    const offers = rendezvous.allgather(offer);
    refuseOtherHosts(offers.map(({ host }) => host));
    refuseTogether(offers.map((each) => each.problem));
    const opened = problemOf(() => segments?.open(offers.map(({ path }) => path)));
    refuseTogether(rendezvous.allgather(opened));
  } finally {
    segments?.unlink();
  }
  if (segments === undefined) throw new LayerRefusal('this rank has no memory to share');
  return segments;
}

/**
 * Messages over shared memory. Every rank calls it together. A send is complete once it is in shared memory.
 *
 * @throws LayerRefusal on all ranks where they are on several hosts or a segment can't be made
 */
export function shmLayer(rendezvous: Rendezvous): MessageLayer {
  const segments = meetInMemory(rendezvous);
  return {
    layer: 'shm',
    channel: (peer) => channelOf(segments, peer),
    transports: () => ['shared memory'],
    close: () => undefined,
  };
}

/** A transport over shared memory alone; see `messageTransport`. */
export function shmTransport({ rendezvous, base }: { rendezvous: Rendezvous; base: Transport }): LayerTransport {
  return messageTransport(shmLayer(rendezvous), rendezvous, base);
}
