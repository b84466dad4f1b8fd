import { definePairKernel } from '../families/pairs.js';

/** One message there and one back; half of a round trip is the latency. */
export const pingPong = definePairKernel({
  name: 'ping-pong',
  program: ({ role, channel, buffers, size }) => {
    const send = channel.send(buffers.send[0], size);
    const receive = channel.receive(buffers.receive[0], size);
    return { timed: role === 'first' ? [send, receive] : [receive, send], sends: true, receives: true };
  },
  figures: ({ seconds, iterations }) => ({ latency: { value: seconds / iterations / 2, unit: 's' } }),
});
