/** Messages over verbs: an RDMA device called directly. */
import { layerName } from '../cli/layer.js';
import { noop, runOnce } from '../engine/operations.js';
import type { Operation } from '../engine/types.js';
import { decodeBytes, encodeBytes } from '../rendezvous/bytes.js';
import type { Rendezvous } from '../rendezvous/types.js';
import type { MessageChannel } from '../ucx/types.js';
import type { MessagesBy } from '../verbs/channel-native.js';
import type { IbvContext } from '../verbs/context.js';
import { chooseGid, type GidChoice } from '../verbs/gid.js';
import { MessageLink, type LineCard } from '../verbs/link.js';
import type { IbvPd } from '../verbs/pd.js';
import type { GidEntry, Mtu, PortAttributes } from '../verbs/types.js';
import { openActive } from '../verbs/active.js';
import { verbsVersion } from '../verbs/version.js';
import { LayerRefusal, openOnAll, type LayerEnvironment, type MessageLayer } from './messages.js';

export interface VerbsRequest {
  readonly by: MessagesBy;
  /** The first with an active port where none is named. */
  readonly device?: string | undefined;
}

/** Channels that kernels have open at once: of data and of control. */
const LINES = 2;
/** Reads under way, at most: as many as responders have resources for. */
const READS = 16;

/** What a rank says of its device. */
interface Offer {
  readonly device: string;
  readonly linkLayer: PortAttributes['linkLayer'];
  readonly lid: number;
  readonly mtu: Mtu;
  readonly maxMsgSz: number;
  readonly reads: number;
  readonly gids: readonly (Omit<GidEntry, 'gid'> & { readonly gid: string })[];
}

interface Opened {
  readonly context: IbvContext;
  readonly port: PortAttributes;
  readonly pd: IbvPd;
}

function open(device: string | undefined): { own: Opened; said: Offer } {
  const { context, port } = openActive(device);
  const { maxQpRdAtom, maxQpInitRdAtom } = context.attributes;
  const gids = context.gids(port.port).map((entry) => ({ ...entry, gid: encodeBytes(entry.gid) }));
  return {
    own: { context, port, pd: context.allocPd() },
    said: {
      ...{ device: context.device.name, linkLayer: port.linkLayer, lid: port.lid, mtu: port.activeMtu, gids },
      maxMsgSz: port.maxMsgSz,
      reads: Math.min(maxQpRdAtom, maxQpInitRdAtom, READS),
    },
  };
}

interface Path {
  readonly gid: GidChoice;
  readonly mtu: Mtu;
  readonly reads: number;
}

/** What two ranks can agree on. */
function pathBetween({ context, port }: Opened, own: Offer, peer: Offer): Path {
  if (own.linkLayer !== peer.linkLayer)
    throw new LayerRefusal(
      `${own.device} here is ${own.linkLayer} and ${peer.device} there ${peer.linkLayer}: name devices of one kind`,
    );
  const gids = peer.gids.map((entry) => ({ ...entry, gid: decodeBytes(entry.gid) }));
  return {
    gid: chooseGid(context.gids(port.port), { linkLayer: port.linkLayer, peer: gids }),
    mtu: Math.min(own.mtu, peer.mtu) as Mtu,
    reads: Math.min(own.reads, peer.reads),
  };
}

/** A rank's part of meeting its peer. */
interface Met {
  readonly peer: number;
  readonly link: MessageLink;
  readonly path: Path;
}

class VerbsLayer implements MessageLayer {
  readonly layer: string;
  readonly largest: number;
  readonly #met = new Map<number, Met>();
  /** Of the ranks, once this one has met its peer. */
  #cards: readonly (readonly LineCard[] | null)[] = [];

  constructor(
    private readonly rendezvous: Rendezvous,
    private readonly request: VerbsRequest,
    private readonly own: Opened,
    private readonly offers: readonly Offer[],
  ) {
    this.layer = layerName({ kind: 'verbs', by: request.by, device: own.context.device.name });
    this.largest = Math.min(...offers.map(({ maxMsgSz }) => maxMsgSz));
  }

  meet(peer: number | undefined): void {
    const { all } = openOnAll(this.rendezvous, () => {
      const made = peer === undefined ? null : this.#make(peer);
      return { own: null, said: made?.cards() ?? null };
    });
    this.#cards = all;
  }

  reach(peer: number): void {
    const { link, path } = this.#known(peer);
    const { port } = this.own;
    const cards = this.#cards[peer];
    if (!cards) throw new LayerRefusal(`rank ${peer} does not talk to rank ${this.rendezvous.rank}`);
    const here = path.gid.entry;
    const there = path.gid.peer ?? here;
    link.connect({
      ...{ cards, mtu: path.mtu, reads: path.reads },
      path: {
        ...{ port: port.port, lid: this.offers[peer]?.lid ?? 0 },
        ...(here && there ? { gid: { gid: there.gid, index: here.index } } : {}),
      },
    });
  }

  channel(peer: number, id: number): MessageChannel {
    return this.#known(peer).link.channel(id);
  }

  progress(): Operation {
    const [first] = this.#met.values();
    // A rank without a peer has nothing to make progress of.
    return first ? first.link.progress() : noop();
  }

  transports(): readonly string[] {
    return [`verbs/${this.own.context.device.name}`];
  }

  environment(): LayerEnvironment {
    const { context, port } = this.own;
    const [first] = this.#met.values();
    const gid = first?.path.gid.entry;
    return {
      verbs: {
        ...{ version: verbsVersion(), device: context.device.name, firmware: context.attributes.firmware },
        ...{ port: port.port, linkLayer: port.linkLayer, mtu: first?.path.mtu ?? port.activeMtu },
        gid: gid ? { index: gid.index, address: gid.text, type: gid.type } : null,
      },
    };
  }

  close(): void {
    for (const { link } of this.#met.values()) runOnce(link.flush());
    // Nobody takes its queue pairs away while others still wait for what they acknowledge.
    this.rendezvous.barrier();
    for (const { link } of this.#met.values()) link.close();
    this.own.pd.dealloc();
    this.own.context.close();
  }

  #make(peer: number): MessageLink {
    const { pd, port } = this.own;
    const [own, other] = [this.offers[this.rendezvous.rank], this.offers[peer]];
    if (!own || !other) throw new RangeError(`there is no rank ${peer}`);
    const path = pathBetween(this.own, own, other);
    const link = new MessageLink({ pd, port: port.port, by: this.request.by, lines: LINES });
    this.#met.set(peer, { peer, link, path });
    return link;
  }

  #known(peer: number): Met {
    const known = this.#met.get(peer);
    if (known) return known;
    throw new RangeError(`rank ${this.rendezvous.rank} has not met rank ${peer}`);
  }
}

/**
 * Every rank calls it together.
 *
 * @throws LayerRefusal on all ranks where one of them has no such device, or none that is up
 */
export function verbsLayer(rendezvous: Rendezvous, request: VerbsRequest): MessageLayer {
  const { own, all } = openOnAll(rendezvous, () => open(request.device));
  return new VerbsLayer(rendezvous, request, own, all);
}
