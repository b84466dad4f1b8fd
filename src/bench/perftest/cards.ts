/** What the two sides of a test say of themselves before they connect, as JSON. */
import { decodeBytes, encodeBytes } from '../../rendezvous/bytes.js';
import type { PerftestAddress } from '../../report/perftest-types.js';
import type { GidEntry, LinkLayer, Mtu } from '../../verbs/types.js';

/** Of a device, before queue pairs are made: what both must know to choose a path. */
export interface Offer {
  readonly host: string;
  readonly device: string;
  readonly port: number;
  readonly linkLayer: LinkLayer;
  readonly mtu: Mtu;
  readonly gids: readonly GidCard[];
}

export interface GidCard extends Omit<GidEntry, 'gid'> {
  readonly gid: string;
}

export const gidCard = (entry: GidEntry): GidCard => ({ ...entry, gid: encodeBytes(entry.gid) });
export const gidOf = (card: GidCard): GidEntry => ({ ...card, gid: decodeBytes(card.gid) });

/** Of one queue pair and its memory. */
export interface LaneCard {
  readonly lid: number;
  readonly qpn: number;
  /** Of the end that receives, where that is another (XRC). */
  readonly receivingQpn: number;
  readonly psn: number;
  readonly rkey: number;
  /** Of the half that is received into, in decimal. */
  readonly address: string;
  readonly srqn: number;
  readonly outReads: number;
  /** Null where no GID is used. */
  readonly gid: string | null;
}

/** What the text shows of a queue pair: memory where it is reached remotely, reads where they are counted. */
export function addressOf(
  card: LaneCard,
  shows: { readonly memory: boolean; readonly outReads: boolean; readonly srqn: boolean },
): PerftestAddress {
  return {
    ...{ lid: card.lid, qpn: card.qpn, psn: card.psn },
    ...(shows.outReads ? { outReads: card.outReads } : {}),
    ...(shows.memory ? { rkey: card.rkey, vaddr: BigInt(card.address) } : {}),
    ...(shows.srqn ? { srqn: card.srqn } : {}),
    ...(card.gid === null ? {} : { gid: decodeBytes(card.gid) }),
  };
}

/** Of the memory behind a queue pair. */
export const remoteOf = ({ address, rkey }: LaneCard): { readonly address: bigint; readonly rkey: number } => ({
  address: BigInt(address),
  rkey,
});
