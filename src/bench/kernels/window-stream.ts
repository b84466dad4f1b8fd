import { definePairKernel, type PairContext, type PairProgram } from '../families/pairs.js';
import { streamFigures } from './kernel.js';

const ACKNOWLEDGEMENT_BYTES = 1;

function program({ role, channel, control, buffers, size, window }: PairContext): PairProgram {
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

/** A window of messages one way, then an acknowledgement: bandwidth and message rate, its acknowledgement included. */
export const windowStream = definePairKernel({
  name: 'window-stream',
  program,
  figures: ({ seconds, iterations, size, window, pairs }) =>
    streamFigures((pairs * window * iterations) / seconds, size),
});
