/**
 * The bench's own side as one rank: `ours.mjs KERNEL --serve SOCKET`, started twice by mpirun. It serves the lines that
 * the C programs serve (test/reference/reference.h), with a word more: `SIZE ITERATIONS WARMUP VARIANT` in, seconds out.
 * Kernels, transport, executors and the code that measures a row are those of the benchmark programs.
 */
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import { meet, startJob } from '../../build/ts/src/bench/job.js';
import { definePairKernel } from '../../build/ts/src/bench/families/pairs.js';
import { pingPong } from '../../build/ts/src/bench/kernels/ping-pong.js';
import { windowStream } from '../../build/ts/src/bench/kernels/window-stream.js';
import { measureRow } from '../../build/ts/src/bench/row.js';
import { jsExecutor } from '../../build/ts/src/engine/js-executor.js';
import { nativeExecutor } from '../../build/ts/src/engine/native-executor.js';
import { mpi } from '../../build/ts/src/mpi/mpi.js';
import { readLauncher } from '../../build/ts/src/rendezvous/launcher.js';

const WINDOW = 64;

/** Operations of one window over MPI itself: the channels of the transport start all its messages by one operation. */
function windowOperations({ transport, comm }, { role, size, window }) {
  const MPI = mpi();
  const buffer = transport.allocate(size); // its own: requests hold it until they are collected, after the row
  const requests = MPI.requests(window);
  const tail = [size, MPI.CHAR, role === 'first' ? 1 : 0, 1, comm, requests];
  const each = (start) => Array.from({ length: window }).fill(start([buffer], ...tail));
  return {
    sends: () => each(MPI.bind.IsendNext),
    receives: () => each(MPI.bind.IrecvNext),
    receiveAll: () => [MPI.bind.IrecvWindow([buffer], ...tail)],
    complete: () => [MPI.bind.Waitall(requests)],
  };
}

/** windowStream with an operation for each send; with `both` for each receive too. */
function singleCalls(name, both, over) {
  return definePairKernel({
    name,
    figures: windowStream.figures,
    program: (context) => {
      const { role, control, buffers } = context;
      const { sends, receives, receiveAll, complete } = windowOperations(over, context);
      const timed =
        role === 'first'
          ? [...sends(), ...complete(), control.receive(buffers.control, 1)]
          : [...(both ? receives() : receiveAll()), ...complete(), control.send(buffers.control, 1)];
      return { timed, sends: role === 'first', receives: role === 'second' };
    },
  });
}

const KERNELS = { 'ping-pong': pingPong, window: windowStream };

/** Engine and kernel by a variant's name. */
function variantsOf(kernel, transport) {
  const over = { transport, comm: mpi().COMM_WORLD };
  const kernels = {
    '': kernel,
    '-calls': singleCalls('single-sends', false, over),
    '-both-calls': singleCalls('single-sends-and-receives', true, over),
  };
  const named = ([suffix, of]) => [nativeExecutor, jsExecutor].map((engine) => [engine.name + suffix, { engine, of }]);
  return new Map(Object.entries(kernels).flatMap(named));
}

function main([kernelName, , path]) {
  const launcher = readLauncher(process.env);
  const { rendezvous, transport } = startJob(meet(launcher), launcher);
  const variants = variantsOf(KERNELS[kernelName], transport);
  const now = () => performance.now() / 1000;
  const fixed = { pairs: 1, barriers: 0, window: WINDOW, datatype: 'MPI_CHAR', manyBuffers: false };
  const measure = (line) => {
    const words = line.split(' ');
    const [size, iterations, warmup] = words.map(Number);
    const { engine, of: kernel } = variants.get(words[3]);
    let left = iterations;
    const chunks = { most: iterations, next: () => left, ran: (done) => (left -= done) };
    const task = { ...fixed, kernel, size, warmup, layout: undefined, validationWarmup: undefined };
    const bench = { rendezvous, transport, executor: engine, now };
    const { phases, times } = measureRow(
      task,
      bench,
      () => chunks,
      () => undefined,
    );
    rendezvous.barrier(); // a rank that leaves MPI may still have to tell its peer that a long message was fetched
    return times ? phases[0].seconds : 0;
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
