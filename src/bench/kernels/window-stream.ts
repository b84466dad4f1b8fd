import { defineKernel, type KernelContext, type KernelProgram } from './kernel.js';

const ACKNOWLEDGEMENT_BYTES = 1;

function program({ role, channel, control, buffers, size, window }: KernelContext): KernelProgram {
  if (role === 'first') {
    const timed = [
      channel.startSends(buffers.send, size, window),
      channel.completeSends(),
      control.receive(buffers.control, ACKNOWLEDGEMENT_BYTES),
    ];
    return { timed, sends: true, receives: false };
  }
  const timed = [
    channel.startReceives(buffers.receive, size, window),
    channel.completeReceives(),
    control.send(buffers.control, ACKNOWLEDGEMENT_BYTES),
  ];
  return { timed, sends: false, receives: true };
}

/** A window of messages one way, then an acknowledgement: bandwidth, its last acknowledgement included. */
export const windowStream = defineKernel({
  name: 'window-stream',
  needs: 'two-sided',
  ranks: 2,
  barriers: 0,
  program,
  figures: ({ seconds, iterations, size, window }) => ({
    bandwidth: { value: (size * window * iterations) / seconds, unit: 'B/s' },
  }),
});

/** The same window between every pair at once, behind two barriers; the time is the mean over the senders. */
export const pairedStream = defineKernel({
  name: 'paired-stream',
  needs: 'two-sided',
  ranks: 'pairs',
  barriers: 2,
  program,
  figures: ({ seconds, iterations, size, window, pairs }) => {
    const rate = (pairs * window * iterations) / seconds;
    return { bandwidth: { value: rate * size, unit: 'B/s' }, rate: { value: rate, unit: '1/s' } };
  },
});
