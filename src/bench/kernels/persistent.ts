import { definePairKernel } from '../families/pairs.js';
import { bidirectional } from './bidirectional.js';
import { pingPong } from './ping-pong.js';
import { windowStream } from './window-stream.js';

const ACKNOWLEDGEMENT_BYTES = 1;

/** The ping-pong by one persistent send and one persistent receive. */
export const persistentPingPong = definePairKernel({
  name: 'persistent ping-pong',
  program: ({ role, channel, buffers, size }) => {
    const send = channel.prepareSends(buffers.send, size, 1);
    const receive = channel.prepareReceives(buffers.receive, size, 1);
    const [first, second] = role === 'first' ? [send, receive] : [receive, send];
    return { timed: [first.start, first.wait, second.start, second.wait], sends: true, receives: true };
  },
  figures: (measured) => pingPong.figures(measured),
});

/** The window stream by persistent sends and receives. */
export const persistentStream = definePairKernel({
  name: 'persistent window stream',
  program: ({ role, channel, control, buffers, size, window }) => {
    if (role === 'first') {
      const { start, wait } = channel.prepareSends(buffers.send, size, window);
      const timed = [start, wait, control.receive(buffers.control, ACKNOWLEDGEMENT_BYTES)];
      return { timed, sends: true, receives: false };
    }
    const { start, wait } = channel.prepareReceives(buffers.receive, size, window);
    const timed = [start, wait, control.send(buffers.control, ACKNOWLEDGEMENT_BYTES)];
    return { timed, sends: false, receives: true };
  },
  figures: (measured) => windowStream.figures(measured),
});

/** A window each way at once by persistent sends and receives. */
export const persistentBidirectional = definePairKernel({
  name: 'persistent bidirectional',
  program: ({ channel, buffers, size, window }) => {
    const receives = channel.prepareReceives(buffers.receive, size, window);
    const sends = channel.prepareSends(buffers.send, size, window);
    return { timed: [receives.start, sends.start, sends.wait, receives.wait], sends: true, receives: true };
  },
  figures: (measured) => bidirectional.figures(measured),
});
