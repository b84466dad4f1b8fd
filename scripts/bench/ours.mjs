/**
 * The bench's own side as one rank: `ours.mjs KERNEL --serve SOCKET`, started twice by mpirun. It serves the lines that
 * the C programs serve (test/reference/reference.h), with a word more: `SIZE ITERATIONS WARMUP VARIANT` in, seconds out.
 * Kernels, transport, executors and the code that measures a row are those of the benchmark programs.
 */
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import { startJob } from '../../build/ts/src/bench/job.js';
import { defineKernel } from '../../build/ts/src/bench/kernels/kernel.js';
import { pingPong } from '../../build/ts/src/bench/kernels/ping-pong.js';
import { windowStream } from '../../build/ts/src/bench/kernels/window-stream.js';
import { measureRow } from '../../build/ts/src/bench/row.js';
import { jsExecutor } from '../../build/ts/src/engine/js-executor.js';
import { nativeExecutor } from '../../build/ts/src/engine/native-executor.js';
import { readLauncher } from '../../build/ts/src/rendezvous/launcher.js';

const WINDOW = 64;
const EXECUTORS = { native: nativeExecutor, js: jsExecutor };

/** An operation for each message of a window. */
const each = (window, start) => Array.from({ length: window }, start);

/** windowStream with an operation for each send; with `both` for each receive too. */
function singleCalls(name, both) {
  const first = ({ channel, control, buffers, size, window }) => [
    ...each(window, () => channel.startSends(buffers.send, size, 1)),
    channel.completeSends(),
    control.receive(buffers.control, 1),
  ];
  const second = ({ channel, control, buffers, size, window }) => [
    ...(both
      ? each(window, () => channel.startReceives(buffers.receive, size, 1))
      : [channel.startReceives(buffers.receive, size, window)]),
    channel.completeReceives(),
    control.send(buffers.control, 1),
  ];
  return defineKernel({
    ...windowStream,
    name,
    program: (context) => {
      const sends = context.role === 'first';
      return { timed: sends ? first(context) : second(context), sends, receives: !sends };
    },
  });
}

/** What a variant's name means: an engine, and a kernel where it is not the one that the job is for. */
const VARIANT_KERNELS = {
  '': undefined,
  '-calls': singleCalls('single-sends', false),
  '-both-calls': singleCalls('single-sends-and-receives', true),
};
const KERNELS = { 'ping-pong': pingPong, window: windowStream };

function variantOf(variant, kernel) {
  const [, engine, rest] = /^(native|js)(.*)$/.exec(variant);
  return { executor: EXECUTORS[engine], kernel: VARIANT_KERNELS[rest] ?? kernel };
}

function main([kernelName, , path]) {
  const kernel = KERNELS[kernelName];
  const { rendezvous, transport } = startJob(readLauncher(process.env));
  const fixed = { pairs: 1, window: WINDOW, datatype: 'MPI_CHAR', manyBuffers: false };
  const measure = (line) => {
    const [size, iterations, warmup, variant] = line.split(' ').map((word, n) => (n < 3 ? Number(word) : word));
    const { executor, kernel: chosen } = variantOf(variant, kernel);
    let left = iterations;
    const chunks = { next: () => left, ran: (done) => (left -= done) };
    const task = { ...fixed, kernel: chosen, size, warmup, layout: undefined, validationWarmup: undefined };
    return measureRow(task, { rendezvous, transport, executor }, chunks, () => undefined).seconds ?? 0;
  };
  const socket = createConnection(path, () => socket.write(`${rendezvous.rank} ${process.pid}\n`));
  createInterface({ input: socket })
    .on('line', (line) => socket.write(`${measure(line)}\n`))
    .on('close', () => {
      rendezvous.close();
      process.exit(0);
    });
}

main(process.argv.slice(2));
