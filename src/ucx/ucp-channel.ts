/** Channels of messages over UCP. */
import { wholeNumber } from '../engine/arguments.js';
import { ucx } from './native.js';
import { messageId, oneOf, requireBytes, requireRoom } from './ucp-arguments.js';
import type { ChannelHandle } from './ucp-native.js';
import { Endpoint, Worker } from './ucp-objects.js';
import type { UcpChannelOptions } from './ucp-types.js';
import type { Bytes, MessageChannel, Operation } from './types.js';

const ways = ['tag', 'stream', 'am'] as const;
const features = { tag: 'TAG', stream: 'STREAM', am: 'AM' } as const;

class Channel implements MessageChannel {
  readonly #handle: ChannelHandle;
  readonly #by: UcpChannelOptions['by'];

  constructor({ worker, endpoint, by, id }: UcpChannelOptions) {
    if (!(worker instanceof Worker)) throw new TypeError("worker is not an object of UCP's");
    if (!(endpoint instanceof Endpoint)) throw new TypeError("endpoint is not an object of UCP's");
    const way = oneOf(by, ways, 'by');
    worker.context.requireFeature(features[by], `a channel by ${by}`);
    if (by === 'am') messageId(id);
    if (wholeNumber(id, 'id') > 0xffff_ffff) throw new RangeError(`id must be at most ${0xffff_ffff}, not ${id}`);
    this.#handle = ucx().ucpChannel(worker.handle, endpoint.handle, way, id);
    this.#by = by;
  }
  send(buffer: Bytes, size: number): Operation {
    return ucx().ucpChannelSend(this.#handle, this.#checked(buffer, size), size);
  }
  receive(buffer: Bytes, size: number): Operation {
    return ucx().ucpChannelReceive(this.#handle, this.#checked(buffer, size), size);
  }
  startSends(buffers: readonly Bytes[], size: number, window: number): Operation {
    return ucx().ucpChannelStartSends(this.#handle, ...this.#checkedWindow(buffers, size, window));
  }
  startReceives(buffers: readonly Bytes[], size: number, window: number): Operation {
    return ucx().ucpChannelStartReceives(this.#handle, ...this.#checkedWindow(buffers, size, window));
  }
  completeSends(): Operation {
    return ucx().ucpChannelCompleteSends(this.#handle);
  }
  completeReceives(): Operation {
    return ucx().ucpChannelCompleteReceives(this.#handle);
  }
  close(): void {
    ucx().ucpChannelClose(this.#handle);
  }

  #checked(buffer: Bytes, size: number): Bytes {
    requireRoom(requireBytes(buffer, 'buffer'), wholeNumber(size, 'size'), 'the buffer');
    if (size === 0 && this.#by === 'stream') throw new RangeError("a stream can't carry messages of 0 bytes");
    return buffer;
  }

  #checkedWindow(buffers: readonly Bytes[], size: number, window: number): [readonly Bytes[], number, number] {
    if (!Array.isArray(buffers) || buffers.length === 0) throw new TypeError('buffers must be a list of buffers');
    for (const buffer of buffers as readonly Bytes[]) this.#checked(buffer, size);
    return [buffers, size, wholeNumber(window, 'window', 1)];
  }
}

/**
 * A channel of messages to the peer of an endpoint. Throws for a second channel on the stream of an endpoint, and for an id
 * of active messages that the worker has a handler for already.
 */
export function ucpChannel(options: UcpChannelOptions): MessageChannel {
  return new Channel(options);
}
