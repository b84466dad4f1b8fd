/** Channels of messages over verbs. */
import { wholeNumber } from '../engine/arguments.js';
import { EngineBuffer } from '../engine/buffer.js';
import type { Bytes, MessageChannel, Operation } from '../ucx/types.js';
import { channelsNative, type LinkBox, type MessagesBy, type NativeCall } from './channel-native.js';
import { within } from './arguments.js';
import type { IbvMr, IbvPd } from './pd.js';

const MOST_IN_WINDOW = 2 ** 32 - 1;
/** What RoCE and InfiniBand carry in one message. */
const MOST_BYTES = 2 ** 31;

export interface ChannelOptions {
  readonly link: LinkBox;
  readonly index: number;
  readonly by: MessagesBy;
  readonly pd: IbvPd;
}

/** One line of a link, while it is open. Buffers of large messages stay registered until it is closed. */
export class VerbsChannel implements MessageChannel {
  readonly #options: ChannelOptions;
  readonly #regions = new Map<EngineBuffer, IbvMr>();
  #closed = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  send(buffer: Bytes, size: number): Operation {
    return channelsNative().channelSend(this.#transfer([buffer], size));
  }

  receive(buffer: Bytes, size: number): Operation {
    return channelsNative().channelReceive(this.#transfer([buffer], size));
  }

  startSends(buffers: readonly Bytes[], size: number, window: number): Operation {
    return channelsNative().channelStartSends(this.#transfer(buffers, size, window));
  }

  startReceives(buffers: readonly Bytes[], size: number, window: number): Operation {
    return channelsNative().channelStartReceives(this.#transfer(buffers, size, window));
  }

  completeSends(): Operation {
    return channelsNative().channelCompleteSends(this.#call());
  }

  completeReceives(): Operation {
    return channelsNative().channelCompleteReceives(this.#call());
  }

  /** What is under way still is given up, and the link with it. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const { link, index } = this.#options;
    channelsNative().verbsLinkLeave(link, index);
    for (const region of this.#regions.values()) region.dereg();
    this.#regions.clear();
  }

  #call(): NativeCall {
    if (this.#closed) throw new Error('the channel was closed');
    const { link, index } = this.#options;
    return { link, index, holds: [] };
  }

  #transfer(buffers: readonly Bytes[], size: number, window = 1): NativeCall {
    const call = this.#call();
    within(size, 'size', 0, MOST_BYTES);
    within(window, 'window', 1, MOST_IN_WINDOW);
    if (buffers.length === 0) throw new RangeError('there must be at least one buffer');
    const memory = buffers.map((buffer) => memoryOf(buffer, size));
    const regions = this.#isLarge(size) ? memory.map((buffer) => this.#regionOf(buffer).box) : [];
    return { ...call, size, window, buffers: memory, regions, holds: memory };
  }

  #isLarge(size: number): boolean {
    return size > (this.#options.by === 'read' ? 0 : channelsNative().verbsLinkLayout().eager);
  }

  #regionOf(buffer: EngineBuffer): IbvMr {
    const known = this.#regions.get(buffer);
    if (known) return known;
    const region = this.#options.pd.regMr(buffer, ['LOCAL_WRITE', 'REMOTE_WRITE', 'REMOTE_READ']);
    this.#regions.set(buffer, region);
    return region;
  }
}

/** Engine buffers alone can be registered: others may move. */
function memoryOf(buffer: Bytes, size: number): EngineBuffer {
  if (!(buffer instanceof EngineBuffer)) throw new TypeError('the buffer must be an EngineBuffer');
  wholeNumber(size, 'size');
  if (buffer.byteLength >= size) return buffer;
  throw new RangeError(`the buffer has ${buffer.byteLength} bytes, and ${size} are to be moved`);
}
