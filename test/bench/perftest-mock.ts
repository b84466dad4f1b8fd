/** Queue pairs that move nothing and take as long as a test says, for measuring ib_* on a clock of its own. */
import { measureWith } from '../../src/bench/perftest/measure.js';
import type { Tools } from '../../src/bench/perftest/job.js';
import type { Lane, Role, Side, SizeResult } from '../../src/bench/perftest/types.js';
import { parsePerftest } from '../../src/cli/perftest.js';
import type { PerftestName, PerftestOptions } from '../../src/cli/perftest-options.js';
import { EngineBuffer } from '../../src/engine/buffer.js';
import { makeJsExecutor } from '../../src/engine/js-executor.js';
import { engine } from '../../src/engine/native.js';
import type { Operation, Program } from '../../src/engine/types.js';
import type { Rendezvous } from '../../src/rendezvous/types.js';
import type { BandwidthFigures } from '../../src/report/perftest-types.js';
import { VirtualClock } from '../../src/transport/mock.js';
import type {
  BothWaysRequest,
  Receives,
  ReceivesRequest,
  SendWr,
  Stream,
  StreamRequest,
  VerbsBind,
} from '../../src/verbs/bind-types.js';
import type { Cq, MemoryRegion, QpType, QueuePair, Srq, VerbsContext } from '../../src/verbs/types.js';

/** Seconds that an execution takes, by its operation; a test may let them depend on the clock. */
export type Cost = (operation: string, clock: VirtualClock) => number;

export interface MockOptions {
  readonly cost?: Cost;
  /** Messages that a test for arrivals finds in all (default: none). */
  readonly arrivals?: number;
  /** What happens at each execution. */
  readonly at?: (operation: string, mock: MockVerbs) => void;
  /** Moves the data of a message, which walking has carried so many bytes further. */
  readonly move?: (wr: SendWr, lane: number, walked: number) => void;
}

class Pending extends Error {}

export class MockVerbs implements VerbsBind {
  readonly clock = new VirtualClock();
  /** Names of what was executed, in order. */
  readonly journal: string[] = [];
  readonly posts: { readonly wr: SendWr; readonly stamp: boolean }[] = [];
  readonly streams: StreamRequest[] = [];
  readonly receivesRequests: ReceivesRequest[] = [];
  readonly bothWaysRequests: BothWaysRequest[] = [];
  readonly waits: number[] = [];
  readonly completes: { readonly cq: Cq; readonly events: boolean }[] = [];
  readonly fills: number[] = [];
  readonly restarts: number[] = [];
  readonly alive = new Set<Operation>();
  #arrivals: number;

  constructor(readonly options: MockOptions = {}) {
    this.#arrivals = options.arrivals ?? 0;
  }

  operation(name: string, run: (began: number) => void = () => undefined): Operation {
    const { cost = () => 1e-6, at } = this.options;
    const call = (): void => {
      const began = this.clock.seconds;
      this.journal.push(name);
      this.clock.seconds += cost(name, this.clock);
      at?.(name, this);
      run(began);
    };
    const operation = Object.assign(call, { operationName: name });
    this.alive.add(operation);
    return operation;
  }

  post(wr: SendWr, { stamp = false } = {}): Operation {
    this.posts.push({ wr, stamp });
    return this.operation('post', () => this.options.move?.(wr, 0, 0));
  }

  complete(cq: Cq, { events = false } = {}): Operation {
    this.completes.push({ cq, events });
    return this.operation('complete');
  }

  waitByte(_buffer: unknown, offset: number): Operation {
    this.waits.push(offset);
    return this.operation('waitByte');
  }

  stream(request: StreamRequest): Stream {
    this.streams.push(request);
    let [posted, noted, begin] = [0, 0, NaN];
    const { completions, postList } = request;
    const post = this.operation('streamPost', (began) => {
      if (Number.isNaN(begin)) begin = began;
      this.#move(request, posted / postList);
      posted += postList;
      if (!completions || 2 * noted + 1 >= completions.length) return;
      completions[2 * noted] = this.clock.seconds - begin + 1e-6;
      completions[2 * noted++ + 1] = posted;
    });
    return {
      post,
      end: this.operation('streamEnd'),
      completed: () => posted,
      noted: () => noted,
      restart: (total) => {
        this.restarts.push(total);
        posted = 0;
      },
    };
  }

  /** The messages of a chain, one after the other. */
  #move({ wrs, walk, postList }: StreamRequest, chain: number): void {
    const lane = chain % wrs.length;
    const wr = wrs[lane];
    const before = postList > 1 ? 0 : Math.floor(chain / wrs.length);
    for (let i = 0; wr && i < postList; i++)
      this.options.move?.(wr, lane, walk ? ((before + i) * walk.step) % walk.span : 0);
  }

  receives(request: ReceivesRequest): Receives {
    this.receivesRequests.push(request);
    let taken = 0;
    return {
      fill: (count) => this.fills.push(count),
      take: this.operation('take', () => taken++),
      test: this.operation('test', () => {
        if (this.#arrivals === 0) throw new Pending();
        this.#arrivals -= 1;
        taken += 1;
      }),
      taken: () => taken,
      arrived: () => taken,
      restart: () => {
        taken = 0;
      },
    };
  }

  bothWays(request: BothWaysRequest): { readonly stream: Stream; readonly receives: Receives } {
    this.bothWaysRequests.push(request);
    return { stream: this.stream(request.stream), receives: this.receives(request.receives) };
  }
}

/** As the engine's, over operations in JavaScript. */
function mockCollect(clock: VirtualClock): Tools['collect'] {
  return (test, { from = 0, to = Infinity } = {}) => {
    let [count, first] = [0, 0];
    const counted: number[] = [];
    const once = (): boolean => {
      try {
        test();
        return true;
      } catch (error) {
        if (error instanceof Pending) return false;
        throw error;
      }
    };
    const run = (): void => {
      while (once()) {
        if (count++ === 0) first = clock.seconds;
        const at = clock.seconds - first;
        if (at >= from && at < to) counted.push(at);
      }
    };
    return {
      operation: Object.assign(run, { operationName: 'collect' }),
      count: () => count,
      counted: () => counted.length,
      seconds: () => (counted.at(-1) ?? 0) - (counted[0] ?? 0),
    };
  };
}

/** What one side said to the other, in order: the calls, and values of those that carry any. */
export interface Meeting {
  readonly calls: string[];
  readonly values: unknown[];
}

const RANKS: Readonly<Record<Role, number>> = { client: 0, server: 1 };

/** One end of a pair. The client's values are heard by the server that runs after it; a server's are as `said`. */
function mockPair(mock: MockVerbs, role: Role, meeting: Meeting, { heard, said }: Heard): Rendezvous {
  const values = [...(heard?.values ?? [])];
  const call = <T>(name: string, own: T): T => {
    meeting.calls.push(name);
    meeting.values.push(own);
    return heard ? (values.shift() as T) : ((said ?? own) as T);
  };
  const both = <T>(own: T, other: T): T[] => (role === 'client' ? [own, other] : [other, own]);
  const rank = RANKS[role];
  return {
    ...{ kind: 'mock', rank, size: 2 },
    allgather: (value) => both(value, call('allgather', value)),
    gather: (value) => both(value, call('gather', value)),
    broadcast: (value) => {
      const other = call('broadcast', value);
      return role === 'client' ? value : other;
    },
    gatherNumbers: () => [],
    barrier: () => void call('barrier', null),
    progressBarrier: (progress) =>
      Object.assign(
        () => {
          call('progressBarrier', null);
          mock.journal.push('barrier');
          progress();
        },
        { operationName: 'barrier' },
      ),
    abort: () => {
      throw new Error('aborted');
    },
    close: () => undefined,
  };
}

interface Heard {
  /** Of the side that ran before. */
  readonly heard?: Meeting;
  /** What the other side would say. */
  readonly said?: unknown;
}

export interface RunRequest extends MockOptions, Heard {
  readonly sizes?: readonly number[];
  readonly tamper?: Side['tamper'];
  readonly files?: (path: string) => string;
  /** Changes of what is open. */
  readonly side?: (side: Side) => Side;
  readonly options?: Partial<PerftestOptions>;
  /** Takes rows of an endless run. */
  readonly onRow?: (row: BandwidthFigures) => void;
}

export interface MockRun {
  readonly mock: MockVerbs;
  readonly results: readonly SizeResult[];
  readonly result: SizeResult;
  readonly rows: readonly BandwidthFigures[];
  readonly meeting: Meeting;
  /** Programs that were started, as names of their operations. */
  readonly programs: readonly Record<'before' | 'timed' | 'after' | 'closing', readonly string[]>[];
  readonly side: Side;
}

const QP_TYPES: Readonly<Record<PerftestOptions['connection'], QpType>> = {
  ...{ RC: 'RC', UC: 'UC', UD: 'UD', XRC: 'XRC_SEND', DC: 'DCI' },
};
const PAGE = 4096;

function makeLane(options: PerftestOptions, queues: Pick<Side, 'sendCq' | 'recvCq' | 'srq'>, number: number): Lane {
  const half = Math.ceil((Math.max(...options.sizes) + 40) / PAGE) * PAGE;
  const buffer = EngineBuffer.allocate(2 * half);
  const mr: MemoryRegion = { buffer, address: buffer.address, lkey: 1, rkey: 2, dereg: () => undefined };
  const qp = { type: QP_TYPES[options.connection], number, maxInline: 512, wrApi: false, ...queues };
  const ud = { ah: { destroy: () => undefined }, qpn: 100 + number, qkey: 0x11111111 };
  return {
    ...{ qp: qp as unknown as QueuePair, mr, sendOffset: 0, receiveOffset: half, half },
    remote: { address: 0x1000n * BigInt(number + 1), rkey: 7 },
    ...(options.connection === 'UD' ? { ud } : {}),
    ...(options.connection === 'XRC' ? { srqn: 55 } : {}),
  };
}

/** One side of a pair with `argv`'s options. */
export function makeSide(options: PerftestOptions, role: Role, pair: Rendezvous): Side {
  const cq = (): Cq => ({ entries: 1000, channel: null, destroy: () => undefined });
  const srq: Srq = { number: 9, destroy: () => undefined };
  const queues = { sendCq: cq(), recvCq: cq(), srq: options.useSrq ? srq : null };
  const context = { device: { name: 'mock0' }, attributes: { maxSrqWr: 300 } } as unknown as VerbsContext;
  const lanes = Array.from({ length: options.qps }, (_, number) => makeLane(options, queues, number));
  return { ...queues, options, role, context, lanes, inlineSize: 64, pair, world: pair };
}

export function parsed(name: PerftestName, argv: readonly string[]): PerftestOptions {
  const result = parsePerftest(name, argv, { underLauncher: false });
  if (result.kind === 'run') return result.options;
  throw new Error(JSON.stringify(result));
}

const names = (list: readonly Operation[] | undefined): string[] => (list ?? []).map((one) => one.operationName);
const namesOf = ({ timed, untimed, closing }: Program): MockRun['programs'][number] => ({
  ...{ before: names(untimed?.before), timed: names(timed), after: names(untimed?.after), closing: names(closing) },
});

/** Runs one side, whatever the other one would do. */
export function runSide(name: PerftestName, role: Role, argv: string, request: RunRequest = {}): MockRun {
  const mock = new MockVerbs(request);
  const meeting: Meeting = { calls: [], values: [] };
  const words = argv.split(' ').filter((word) => word !== '');
  const options = { ...parsed(name, words), ...request.options };
  const pair = mockPair(mock, role, meeting, request);
  const plain = makeSide(options, role, pair);
  const side = { ...(request.side?.(plain) ?? plain), ...(request.tamper ? { tamper: request.tamper } : {}) };
  const js = makeJsExecutor({
    ...{ name: 'mock', now: mock.clock.now, iteration: new Uint32Array(engine().callIteration) },
  });
  const programs: MockRun['programs'][number][] = [];
  const rows: BandwidthFigures[] = [];
  const measure = measureWith({
    bind: mock,
    executor: {
      name: 'mock',
      start: (program) => {
        programs.push(namesOf(program));
        return js.start(program);
      },
    },
    // The clock is read: it must move where nothing else does.
    now: () => (mock.clock.seconds += 1e-9),
    collect: mockCollect(mock.clock),
    release: (operations) => {
      for (const operation of operations) mock.alive.delete(operation);
    },
    readText: request.files ?? (() => ''),
  });
  const results = options.sizes.map((size) =>
    measure(side, size, (row) => {
      rows.push(row);
      request.onRow?.(row);
    }),
  );
  const [result = {}] = results;
  return { mock, results, result, rows, meeting, programs, side };
}
