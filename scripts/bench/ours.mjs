/**
 * The bench's own side as one rank: `ours.mjs PROGRAM --serve SOCKET`, started twice by mpirun. It serves the lines that
 * the C programs serve (test/reference/reference.h), with a word more: `SIZE ITERATIONS WARMUP VARIANT` in, seconds out.
 * Kernel and options are those of the benchmark program of that name without arguments; transport, executors and the code
 * that measures a row are those of all of them.
 */
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import { startJob } from '../../build/ts/src/bench/job.js';
import { definePairKernel } from '../../build/ts/src/bench/families/pairs.js';
import { windowStream } from '../../build/ts/src/bench/kernels/window-stream.js';
import { measureRow } from '../../build/ts/src/bench/row.js';
import { programs } from '../../build/ts/src/bench/suites/index.js';
import { parseOsu } from '../../build/ts/src/cli/osu.js';
import { jsExecutor } from '../../build/ts/src/engine/js-executor.js';
import { nativeExecutor } from '../../build/ts/src/engine/native-executor.js';
import { mpi } from '../../build/ts/src/mpi/mpi.js';
import { readLauncher } from '../../build/ts/src/rendezvous/launcher.js';
import { mpiRendezvous } from '../../build/ts/src/rendezvous/mpi.js';

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

/** Engine and kernel by a variant's name. */
function variantsOf(kernel, transport) {
  const over = { transport, comm: mpi().COMM_WORLD };
  const single = {
    '-calls': singleCalls('single-sends', false, over),
    '-both-calls': singleCalls('single-sends-and-receives', true, over),
  };
  const kernels = { '': kernel, ...(kernel === windowStream ? single : {}) };
  const named = ([suffix, of]) => [nativeExecutor, jsExecutor].map((engine) => [engine.name + suffix, { engine, of }]);
  return new Map(Object.entries(kernels).flatMap(named));
}

/** What a program measures on two ranks when it is given no arguments, but for size and warm-up. */
function usualTask(row) {
  const { options } = parseOsu([], row);
  return {
    ...{ options, window: options.window, datatype: options.datatypes[0], barriers: row.barriers, pairs: 1 },
    ...{ manyBuffers: false, layout: undefined, validationWarmup: undefined, stamps: undefined },
  };
}

/** One chunk of so many iterations. */
function oneChunk(iterations) {
  let left = iterations;
  return { most: iterations, next: () => left, ran: (done) => (left -= done) };
}

function main([programName, , path]) {
  const launcher = readLauncher(process.env);
  const { rendezvous, transport } = startJob(mpiRendezvous({ launcher }), launcher);
  const row = programs.get(programName);
  const usual = usualTask(row);
  const variants = variantsOf(row.kernel, transport);
  const now = () => performance.now() / 1000;
  const measure = (line) => {
    const words = line.split(' ');
    const [size, iterations, warmup] = words.map(Number);
    const { engine, of: kernel } = variants.get(words[3]);
    const { phases, times } = measureRow(
      { ...usual, kernel, size, warmup },
      { rendezvous, transport, executor: engine, now },
      () => oneChunk(iterations),
      () => undefined,
    );
    rendezvous.barrier(); // a rank that leaves MPI may still have to tell its peer that a long message was fetched
    return times ? phases.at(-1).seconds : 0;
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
