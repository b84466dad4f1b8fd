import { oneSided, type OneSidedCall } from '../families/one-sided.js';
import { streamFigures } from './kernel.js';

/** One call in an epoch of its own; where epochs are active the target answers, and half of that is the latency. */
export const epochLatency = (call: OneSidedCall) =>
  oneSided({
    call,
    flow: 'latency',
    figures: ({ seconds, iterations, calls }) => ({ latency: { value: seconds / iterations / calls, unit: 's' } }),
  });

/** A window of calls in one epoch. */
export const epochStream = (call: 'put' | 'get') =>
  oneSided({
    call,
    flow: 'stream',
    figures: ({ seconds, iterations, size, window }) => streamFigures((window * iterations) / seconds, size),
  });

/** A window of calls each way in one epoch. */
export const epochBothWays = oneSided({
  call: 'put',
  flow: 'both-ways',
  figures: ({ seconds, iterations, size, window }) => streamFigures((2 * window * iterations) / seconds, size),
});
