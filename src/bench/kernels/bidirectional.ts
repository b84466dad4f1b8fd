import { definePairKernel } from '../families/pairs.js';
import { streamFigures } from './kernel.js';

/** A window of messages each way at once; no acknowledgement. */
export const bidirectional = definePairKernel({
  name: 'bidirectional',
  program: ({ channel, buffers, size, window }) => ({
    timed: [
      channel.startReceives(buffers.receive, size, window),
      channel.startSends(buffers.send, size, window),
      channel.completeSends(),
      channel.completeReceives(),
    ],
    sends: true,
    receives: true,
  }),
  figures: ({ seconds, iterations, size, window, pairs }) =>
    streamFigures((2 * pairs * window * iterations) / seconds, size),
});
