import { defineKernel } from './kernel.js';

/** A window of messages each way at once; no acknowledgement. */
export const bidirectional = defineKernel({
  name: 'bidirectional',
  needs: 'two-sided',
  ranks: 2,
  barriers: 0,
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
  figures: ({ seconds, iterations, size, window }) => ({
    bandwidth: { value: (2 * size * window * iterations) / seconds, unit: 'B/s' },
  }),
});
