/** Links: queue pairs and memory between two processes, over which channels of messages lie. See csrc/verbs/channel.hpp. */
import { EngineBuffer } from '../engine/buffer.js';
import type { Operation } from '../engine/types.js';
import { VerbsChannel } from './channel.js';
import { channelsNative, type LinkBox, type MessagesBy } from './channel-native.js';
import type { IbvPd, IbvMr } from './pd.js';
import type { IbvQp } from './queue-pair.js';
import type { AddressPath, Mtu } from './types.js';

/** Bytes that small frames carry by themselves, where the device can. */
const INLINE = 256;
/** Work requests besides frames and large messages. */
const SPARE = 8;
const PSNS = 1 << 24;

export interface LinkOptions {
  readonly pd: IbvPd;
  readonly port: number;
  readonly by: MessagesBy;
  /** Channels that it has. */
  readonly lines: number;
}

/** What the other side must know of one line. */
export interface LineCard {
  /** Of the queue pair for frames, and of that for large messages, which only `send` has. */
  readonly frames: QpCard;
  readonly bulk: QpCard | null;
  /** Of the slots, in decimal. */
  readonly address: string;
  readonly key: number;
}

export interface QpCard {
  readonly number: number;
  readonly psn: number;
}

/** The other side, and what both agreed on. */
export interface LinkPeer {
  readonly cards: readonly LineCard[];
  readonly path: AddressPath;
  readonly mtu: Mtu;
  /** RDMA reads under way that both sides can do. */
  readonly reads: number;
}

interface MadeQp {
  readonly qp: IbvQp;
  readonly psn: number;
}

interface MadeLine {
  readonly frames: MadeQp;
  readonly bulk: MadeQp | null;
  readonly in: IbvMr;
  readonly out: IbvMr;
}

const qpCard = ({ qp, psn }: MadeQp): QpCard => ({ number: qp.number, psn });

/**
 * A link to one peer. Both make it with the same `by` and `lines`, give each other their cards and connect; messages may go
 * once both have connected.
 */
export class MessageLink {
  readonly #options: LinkOptions;
  readonly #lines: MadeLine[] = [];
  readonly #ends: (() => void)[] = [];
  #box: LinkBox | null = null;
  readonly #cq;

  /** @throws Error where the device has too little, or memory can't be registered */
  constructor(options: LinkOptions) {
    this.#options = options;
    const { pd, lines } = options;
    try {
      const { slots, bulk } = channelsNative().verbsLinkLayout();
      this.#cq = this.#keep(pd.context.createCq({ entries: lines * 2 * (slots + bulk + SPARE) }), (cq) => {
        cq.destroy();
      });
      for (let line = 0; line < lines; line += 1) this.#lines.push(this.#makeLine());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Of each line, for the other side. */
  cards(): readonly LineCard[] {
    return this.#lines.map(({ frames, bulk, in: slots }) => ({
      ...{ frames: qpCard(frames), bulk: bulk && qpCard(bulk) },
      ...{ address: String(slots.address), key: slots.rkey },
    }));
  }

  connect(peer: LinkPeer): void {
    const lines = this.#lines.map((line, index) => {
      const card = peer.cards[index];
      if (card === undefined) throw new RangeError('the other side has fewer lines');
      connectQp(line.frames, card.frames, peer);
      if (line.bulk && card.bulk) connectQp(line.bulk, card.bulk, peer);
      const { frames, bulk } = line;
      return {
        ...{ frames: frames.qp.box, bulk: (bulk ?? frames).qp.box, in: line.in.box, out: line.out.box },
        ...{ remoteAddress: BigInt(card.address), remoteKey: card.key },
      };
    });
    const box = channelsNative().verbsLink({ by: this.#options.by, cq: this.#cq.box, lines });
    this.#box = this.#keep(box, (made) => {
      channelsNative().verbsLinkClose(made);
    });
  }

  /** One channel for each line may be open at once; the peer opens the same one. */
  channel(index: number): VerbsChannel {
    if (index < 0 || index >= this.#lines.length)
      throw new RangeError(`there is no line ${index}: the link has ${this.#lines.length}`);
    return new VerbsChannel({ link: this.#connected, index, by: this.#options.by, pd: this.#options.pd });
  }

  /** Progress of all channels. */
  progress(): Operation {
    return channelsNative().linkProgress({ link: this.#connected, holds: [] });
  }

  /** Waits until all small messages have arrived. */
  flush(): Operation {
    return channelsNative().linkFlush({ link: this.#connected, holds: [] });
  }

  /** Channels must have been closed, and operations released. Both sides flush before. */
  close(): void {
    for (const end of this.#ends.splice(0).reverse()) end();
  }

  get #connected(): LinkBox {
    if (this.#box === null) throw new Error('the link is not connected');
    return this.#box;
  }

  #keep<T>(made: T, end: (made: T) => void): T {
    this.#ends.push(() => {
      end(made);
    });
    return made;
  }

  #makeLine(): MadeLine {
    const { slots, slotBytes, bulk } = channelsNative().verbsLinkLayout();
    const sends = this.#options.by === 'send';
    return {
      frames: this.#makeQp(slots + bulk + SPARE, sends ? slots : 1),
      bulk: sends ? this.#makeQp(bulk, bulk) : null,
      in: this.#makeSlots(slots * slotBytes),
      out: this.#makeSlots(slots * slotBytes),
    };
  }

  #makeSlots(byteLength: number): IbvMr {
    const buffer = this.#keep(EngineBuffer.allocate(byteLength), (made) => {
      made.free();
    });
    return this.#keep(this.#options.pd.regMr(buffer, ['LOCAL_WRITE', 'REMOTE_WRITE']), (mr) => {
      mr.dereg();
    });
  }

  #makeQp(maxSendWr: number, maxRecvWr: number): MadeQp {
    const { pd, port } = this.#options;
    const wanted = {
      ...{ type: 'RC' as const, sendCq: this.#cq, recvCq: this.#cq, maxSendWr, maxRecvWr },
      ...{ maxInline: INLINE, inlineIfPossible: true, wrApi: false },
    };
    const qp = this.#keep(pd.createQp(wanted), (made) => {
      made.destroy();
    });
    qp.prepare({ port });
    return { qp, psn: Math.floor(Math.random() * PSNS) };
  }
}

function connectQp({ qp, psn }: MadeQp, card: QpCard, { path, mtu, reads }: LinkPeer): void {
  qp.connect({
    ...{ path, mtu, destQpn: card.number, rqPsn: card.psn, sqPsn: psn },
    ...{ maxDestRdAtomic: reads, maxRdAtomic: reads },
  });
}
