/** Tests over UCP, on one worker or on one for each thread. Transports are chosen by UCX_TLS and its kin. */
import { decodeBytes, encodeBytes } from '../../rendezvous/bytes.js';
import { messageSize } from '../../cli/ucx-perftest-checks.js';
import type { UcxTestOptions } from '../../cli/ucx-perftest-options.js';
import { noop, repeat } from '../../engine/operations.js';
import { ucp } from '../../ucx/index.js';
import type { Memory } from '../../ucx/types.js';
import type { UcpContext, UcpEp, UcpFeature, UcpRkey, UcpWorker } from '../../ucx/ucp-types.js';
import type { UcxTest } from '../suites/ucx-perftest.js';
import {
  bufferSize,
  checkIdleResponder,
  isAtomic,
  isTwoSided,
  TestRefusal,
  type Card,
  type OpenedTest,
  type SidePrograms,
  type TestRequest,
} from './side.js';
import { Made } from '../meeting/made.js';
import { cardOf, type MemoryCard } from './cards.js';
import { UcpLane, type UcpRequest } from './ucp-lane.js';

interface LaneCard {
  readonly worker: string;
  readonly send: MemoryCard;
  readonly receive: MemoryCard;
}

/** Exit code where this UCX or this machine lacks something. */
const NOT_POSSIBLE_HERE = 77;

/** What a context must be able to do for a test. */
function featuresOf(test: UcxTest, options: UcxTestOptions): UcpFeature[] {
  const own = ((): UcpFeature => {
    if (isAtomic(test)) return messageSize(options) === 4 ? 'AMO32' : 'AMO64';
    switch (test.command) {
      case 'am':
        return 'AM';
      case 'stream':
        return 'STREAM';
      case 'tag':
      case 'tag_sync':
        return 'TAG';
      default:
        return 'RMA';
    }
  })();
  return options.wakeup || options.sleep ? [own, 'WAKEUP'] : [own];
}

function checkMemoryTypes(context: UcpContext, { memoryTypes }: UcxTestOptions): void {
  const { memoryTypes: known } = context.query();
  const missing = memoryTypes.find((type) => !known.includes(type));
  if (missing !== undefined) {
    throw new TestRefusal(
      `this UCX can't use memory of type ${missing} here: it has ${known.join(', ')}`,
      NOT_POSSIBLE_HERE,
    );
  }
  const other = memoryTypes.find((type) => type !== 'host');
  if (other !== undefined)
    throw new TestRefusal(`memory of type ${other} is not supported yet: use -m host`, NOT_POSSIBLE_HERE);
}

/** What one thread has of its own. */
interface Opened {
  readonly worker: UcpWorker;
  readonly send: Memory;
  readonly receive: Memory;
}

export class UcpTest implements OpenedTest {
  readonly card: Card;
  readonly #request: UcpRequest;
  readonly #made = new Made();
  readonly #opened: readonly Opened[];
  #lanes: readonly UcpLane[] = [];
  #endpoints: readonly UcpEp[] = [];

  /** Throws TestRefusal where it can't be done, OperationError where UCX fails. */
  constructor(request: TestRequest) {
    const { test, options } = request;
    this.#request = request as UcpRequest;
    const threads = options.threads > 1;
    const context = this.#made.keep(
      ucp().init({ features: featuresOf(test, options), mtWorkersShared: threads }),
      (made) => {
        made.cleanup();
      },
    );
    try {
      checkMemoryTypes(context, options);
      this.#opened = Array.from({ length: options.threads }, () => this.#open(context));
      const lanes = this.#opened.map(({ worker, send, receive }): LaneCard => {
        return { worker: encodeBytes(worker.address()), send: cardOf(send), receive: cardOf(receive) };
      });
      this.card = { lanes };
    } catch (error) {
      this.close();
      throw error;
    }
  }

  connect(card: Card): void {
    const { lanes } = card as unknown as { readonly lanes: readonly LaneCard[] };
    const { options, test } = this.#request;
    const made = this.#opened.map((own, thread) => {
      const peer = lanes[thread];
      if (!peer) throw new Error(`the peer has no thread ${thread}`);
      const endpoint = own.worker.epCreate({
        address: decodeBytes(peer.worker),
        errorHandling: options.errorHandling ? 'peer' : 'none',
      });
      this.#made.keep(endpoint, (one) => {
        one.close({ force: options.errorHandling });
      });
      const remote = (memory: MemoryCard): { address: bigint; key: UcpRkey } => {
        const key = this.#made.keep(endpoint.rkeyUnpack(decodeBytes(memory.key)), (one) => {
          one.destroy();
        });
        return { address: BigInt(memory.address), key };
      };
      // Tests that send messages need no access to memory, and not every transport has it.
      const remotes = isTwoSided(test) ? undefined : { send: remote(peer.send), receive: remote(peer.receive) };
      return {
        endpoint,
        lane: new UcpLane(this.#request, { ...own, endpoint, remotes }, (end) => this.#made.keep(null, end)),
      };
    });
    this.#endpoints = made.map(({ endpoint }) => endpoint);
    const names = this.transports().map((name) => name.split('/')[0] ?? name);
    checkIdleResponder(options, test, names);
    this.#lanes = made.map(({ lane }) => lane);
  }

  build(): SidePrograms {
    const { options, role, test } = this.#request;
    const programs = this.#lanes.flatMap((lane) => lane.program() ?? []);
    const idle = options.oneSided && role === 'server' && !isTwoSided(test);
    const progress = idle
      ? noop()
      : repeat(
          this.#lanes.map((lane) => lane.progress()),
          1,
        );
    return { programs, progress, operations: [...this.#lanes.flatMap(({ operations }) => operations), progress] };
  }

  transports(): readonly string[] {
    return [...new Set(this.#endpoints.flatMap((endpoint) => endpoint.lanes().map(({ name }) => name)))];
  }

  info(): string | null {
    return this.#lanes[0]?.info() ?? null;
  }

  wrongBytes(executed: number): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.wrongBytes(executed), 0);
  }

  close(): void {
    this.#made.close();
  }

  #open(context: UcpContext): Opened {
    const { options } = this.#request;
    const worker = this.#made.keep(context.workerCreate({ threadMode: options.threadMode }), (made) => {
      made.destroy();
    });
    const allocate = (): Memory => {
      const memory = context.memMap({
        length: Math.max(8, bufferSize(options)),
        nonBlocking: options.nonBlockingRegistration,
      });
      memory.buffer?.view().fill(0);
      return this.#made.keep(memory, () => {
        memory.free();
      });
    };
    return { worker, send: allocate(), receive: allocate() };
  }
}
