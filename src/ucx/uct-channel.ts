/** Channels of messages over UCT's active messages. */
import { wholeNumber } from '../engine/arguments.js';
import { Closable } from '../engine/closable.js';
import { ucx } from './native.js';
import type { Bytes, MessageChannel, Operation } from './types.js';
import { requireUctRoom } from './uct-bind.js';
import type { ChannelBox } from './uct-native.js';
import { checkId, Ep } from './uct-objects.js';
import type { UctChannelOptions } from './uct-types.js';

/** Bytes before the data in each active message. */
const HEADER = 8;
const MOST_IN_WINDOW = 2 ** 32 - 1;

class Channel extends Closable<ChannelBox> implements MessageChannel {
  readonly #ep: Ep;

  constructor(ep: Ep, id: number) {
    super(ucx().uctChannel(ep.box, id), 'the channel', 'closed');
    this.#ep = ep;
  }

  send(buffer: Bytes, size: number): Operation {
    this.#checkSend([buffer], size);
    return ucx().uctChannelSend(this.box, [buffer], size);
  }

  receive(buffer: Bytes, size: number): Operation {
    checkBuffers([buffer], size);
    return ucx().uctChannelReceive(this.box, [buffer], size);
  }

  startSends(buffers: readonly Bytes[], size: number, window: number): Operation {
    this.#checkSend(buffers, size);
    return ucx().uctChannelStartSends(this.box, buffers, size, checkWindow(window));
  }

  startReceives(buffers: readonly Bytes[], size: number, window: number): Operation {
    checkBuffers(buffers, size);
    return ucx().uctChannelStartReceives(this.box, buffers, size, checkWindow(window));
  }

  completeSends(): Operation {
    return ucx().uctChannelCompleteSends(this.box);
  }

  completeReceives(): Operation {
    return ucx().uctChannelCompleteReceives(this.box);
  }

  close(): void {
    this.closeBy((box) => {
      ucx().uctChannelClose(box);
    });
  }

  #checkSend(buffers: readonly Bytes[], size: number): void {
    checkBuffers(buffers, size);
    const { what, attributes } = this.#ep.iface;
    const { short, bcopy } = attributes.am;
    if (bcopy !== null || (short !== null && size + HEADER <= short.max)) return;
    throw new RangeError(`${what} has no am bcopy, by which a message of ${size} bytes would go`);
  }
}

function checkWindow(window: number): number {
  wholeNumber(window, 'window', 1);
  if (window <= MOST_IN_WINDOW) return window;
  throw new RangeError(`window must be at most ${MOST_IN_WINDOW}, not ${window}`);
}

function checkBuffers(buffers: readonly Bytes[], size: number): void {
  wholeNumber(size, 'size');
  if (buffers.length === 0) throw new RangeError('there must be at least one buffer');
  for (const buffer of buffers) requireUctRoom(buffer, size, 'the buffer');
}

/** A channel to the endpoint's peer, which opens one with the same id. Throws RangeError where there are no active messages. */
export function uctChannel({ iface, endpoint, id }: UctChannelOptions): MessageChannel {
  if (!(endpoint instanceof Ep) || endpoint.iface !== iface) {
    throw new TypeError('the endpoint of a channel must be one of its interface');
  }
  const { short, bcopy } = endpoint.iface.attributes.am;
  if (short === null && bcopy === null) throw new RangeError(`${endpoint.iface.what} has no am short or bcopy`);
  return new Channel(endpoint, checkId(id));
}
