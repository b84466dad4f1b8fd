/**
 * A transport that moves nothing and takes exactly the time its model says, on a clock of its own. It stands for the
 * first rank of a run: statistics, options and every output can be tested in milliseconds, without MPI.
 */
import { EngineBuffer } from '../engine/buffer.js';
import type { Operation } from '../engine/types.js';
import { shapeOf } from './collective-shapes.js';
import type { Channel, ChannelOptions, Collective, CollectiveOptions, Started, Transport } from './types.js';

/** Time that stands still until an operation moves it on. */
export class VirtualClock {
  seconds = 0;
  /** Bound, so that it can be handed to an executor as its clock. */
  readonly now = (): number => this.seconds;
}

/** What one message costs, in seconds; `call` counts the calls of this kind from 0, so that a test can shape samples. */
export interface MockModel {
  oneWay(size: number, call: number): number;
  /** Of what comes from the peer; default: as what goes there. */
  back?(size: number, call: number): number;
}

/** Latency plus size over bandwidth, the same for every message. */
export function linearModel(latency: number, bytesPerSecond: number): MockModel {
  return { oneWay: (size) => latency + size / bytesPerSecond };
}

function operation(name: string, run: () => void): Operation {
  return Object.assign(run, { operationName: name });
}

/** Every form takes the time of one message of `size` bytes. */
function mockCollective(clock: VirtualClock, model: MockModel, options: CollectiveOptions, ranks: number): Collective {
  let calls = 0;
  const { name, size, root, inPlace, neighbours } = options;
  const shape = shapeOf(name, {
    ...{ size, elementBytes: 1, rank: 0, ranks, root, inPlace },
    ...(neighbours ? { neighbours } : {}),
  });
  const run = (): Operation =>
    operation(`mock ${name}`, () => {
      clock.seconds += model.oneWay(size, calls++);
    });
  const idle = (): Operation => operation('mock wait', () => undefined);
  const started = (): Started => ({ start: idle(), wait: run(), test: idle });
  return { shape, transmitSize: size, run, start: started, prepare: started, close: () => undefined };
}

class MockChannel implements Channel {
  #calls = 0;
  constructor(
    private readonly clock: VirtualClock,
    private readonly model: MockModel,
    private readonly options: ChannelOptions,
  ) {}

  #take(name: string, size: number, messages: number, back = false): Operation {
    const { model } = this;
    const cost = back && model.back ? model.back.bind(model) : model.oneWay.bind(model);
    return operation(name, () => {
      for (let message = 0; message < messages; message++) {
        this.clock.seconds += cost(size, this.#calls++);
      }
    });
  }
  send(_buffer: EngineBuffer, size: number): Operation {
    return this.#take('mock send', size, 1);
  }
  receive(_buffer: EngineBuffer, size: number): Operation {
    return this.#take('mock receive', size, 1, true);
  }
  startSends(_buffers: readonly EngineBuffer[], size: number, window: number): Operation {
    return this.#take('mock window', size, window);
  }
  startReceives(): Operation {
    return this.#take('mock window', 0, 0);
  }
  completeSends(): Operation {
    return this.#take('mock wait', 0, 0);
  }
  completeReceives(): Operation {
    return this.#take('mock wait', 0, 0);
  }
  prepareSends(_buffers: readonly EngineBuffer[], size: number, window: number): Started {
    const idle = (): Operation => this.#take('mock wait', 0, 0);
    return { start: this.#take('mock window', size, window), wait: idle(), test: idle };
  }
  prepareReceives(_buffers: readonly EngineBuffer[], size: number, window: number): Started {
    // A ping-pong has one message each way; of a window one rank's view is enough.
    return this.prepareSends(_buffers, size, window === 1 ? 1 : 0);
  }
  transmitSize(size: number): number {
    const { layout } = this.options;
    return layout?.kind === 'vect' ? Math.floor(size / layout.stride) * layout.block : size;
  }
  close(): void {
    this.#calls = 0;
  }
}

/** @param model what data messages cost; acknowledgements on channels of 1-byte elements follow the same model. */
export function mockTransport(clock: VirtualClock, model: MockModel, ranks = 2): Transport {
  return {
    layer: 'mock',
    channel: (options) => new MockChannel(clock, model, options),
    collective: (options) => mockCollective(clock, model, options, ranks),
    barrier: () => operation('mock barrier', () => undefined),
    allocate: (byteLength) => EngineBuffer.allocate(byteLength),
    datatypes: new Map([
      ['MPI_CHAR', 1],
      ['MPI_INT', 4],
      ['MPI_FLOAT', 4],
    ]),
  };
}
