import { onThreads } from '../families/threads.js';

/** Ping-pongs of several threads: half of a round trip, as a sending thread sees it. */
export const threadsPingPong = onThreads({
  name: 'ping-pong of threads',
  figures: ({ seconds, iterations, calls }) => ({ latency: { value: seconds / iterations / calls / 2, unit: 's' } }),
});
