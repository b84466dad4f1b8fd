/** Two links of src/verbs over queue pairs that are wired to each other in memory: see test/native/verbs-mock/wire.cc. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngineBuffer } from '../../src/engine/index.js';
import { loadAddonFile } from '../../src/engine/load.js';
import type { Operation } from '../../src/engine/types.js';
import type { LinkBox, MessagesBy, NativeChannels } from '../../src/verbs/channel-native.js';
import type { CqBox, MrBox, QpBox } from '../../src/verbs/native-types.js';

declare const wired: unique symbol;
type Wire = { readonly [wired]: true };

interface WireAddon extends NativeChannels {
  mockWire(): Wire;
  mockWireCq(wire: Wire): CqBox;
  mockWireMr(wire: Wire, buffer: EngineBuffer, key: number): MrBox;
  mockWireQps(
    wire: Wire,
    a: CqBox,
    b: CqBox,
    sendDepth: number,
    receiveDepth: number,
    maxInline: number,
  ): [QpBox, QpBox];
  mockWireBreak(qp: QpBox): void;
}

function find(): string {
  const name = join('build', 'test', 'verbs_mock.node');
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, name)) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, name);
}

export const wireIsBuilt = (): boolean => existsSync(find());

const SPARE = 8;

interface Memory {
  readonly buffer: EngineBuffer;
  readonly mr: MrBox;
  readonly key: number;
}

/** One end of a wired pair: calls of a channel, as src/verbs/channel.ts makes them. */
export class WiredEnd {
  readonly #regions = new Map<EngineBuffer, MrBox>();
  constructor(
    private readonly native: WireAddon,
    private readonly wire: WiredPair,
    readonly link: LinkBox,
    private readonly by: MessagesBy,
  ) {}

  send(buffers: readonly EngineBuffer[], size: number, index = 0): Operation {
    return this.native.channelSend(this.#call(buffers, size, 1, index));
  }
  receive(buffers: readonly EngineBuffer[], size: number, index = 0): Operation {
    return this.native.channelReceive(this.#call(buffers, size, 1, index));
  }
  startSends(buffers: readonly EngineBuffer[], size: number, window: number): Operation {
    return this.native.channelStartSends(this.#call(buffers, size, window, 0));
  }
  startReceives(buffers: readonly EngineBuffer[], size: number, window: number): Operation {
    return this.native.channelStartReceives(this.#call(buffers, size, window, 0));
  }
  completeSends(): Operation {
    return this.native.channelCompleteSends({ link: this.link, index: 0, holds: [] });
  }
  completeReceives(): Operation {
    return this.native.channelCompleteReceives({ link: this.link, index: 0, holds: [] });
  }
  flush(): Operation {
    return this.native.linkFlush({ link: this.link, holds: [] });
  }
  close(): void {
    this.native.verbsLinkClose(this.link);
  }

  #call(buffers: readonly EngineBuffer[], size: number, window: number, index: number) {
    const large = size > (this.by === 'read' ? 0 : this.native.verbsLinkLayout().eager);
    const regions = large ? buffers.map((buffer) => this.#regionOf(buffer)) : [];
    return { link: this.link, index, size, window, buffers, regions, holds: [...buffers] };
  }

  #regionOf(buffer: EngineBuffer): MrBox {
    const region = this.#regions.get(buffer) ?? this.wire.register(buffer).mr;
    this.#regions.set(buffer, region);
    return region;
  }
}

export class WiredPair {
  readonly native = loadAddonFile(find()) as WireAddon;
  readonly ends: readonly [WiredEnd, WiredEnd];
  readonly #wire = this.native.mockWire();
  readonly #frames: QpBox[] = [];
  #keys = 1000;

  constructor(by: MessagesBy, { lines = 2, maxInline = 128 } = {}) {
    const cqs = [this.native.mockWireCq(this.#wire), this.native.mockWireCq(this.#wire)] as const;
    const { slots, slotBytes, bulk } = this.native.verbsLinkLayout();
    const made = Array.from({ length: lines }, () => {
      const frames = this.native.mockWireQps(this.#wire, ...cqs, slots + bulk + SPARE, slots, maxInline);
      const large = by === 'send' ? this.native.mockWireQps(this.#wire, ...cqs, bulk, bulk, 0) : frames;
      const slotsOf = () => this.register(EngineBuffer.allocate(slots * slotBytes));
      this.#frames.push(...frames);
      return { frames, large, in: [slotsOf(), slotsOf()] as const, out: [slotsOf(), slotsOf()] as const };
    });
    const endOf = (side: 0 | 1) => {
      const lineOf = (line: (typeof made)[number]) => {
        const there = line.in[side === 0 ? 1 : 0];
        return {
          ...{ frames: line.frames[side], bulk: line.large[side], in: line.in[side].mr, out: line.out[side].mr },
          ...{ remoteAddress: there.buffer.address, remoteKey: there.key },
        };
      };
      const link = this.native.verbsLink({ by, cq: cqs[side], lines: made.map(lineOf) });
      return new WiredEnd(this.native, this, link, by);
    };
    this.ends = [endOf(0), endOf(1)];
  }

  register(buffer: EngineBuffer): Memory {
    const key = (this.#keys += 1);
    return { buffer, mr: this.native.mockWireMr(this.#wire, buffer, key), key };
  }

  /** What is posted from now on fails, on both ends. */
  break(): void {
    for (const qp of this.#frames) this.native.mockWireBreak(qp);
  }
}
