/** Tests over UCT: what ucx_perftest's `-x` and `-d` choose. */
import { decodeBytes, encodeBytes } from '../../rendezvous/bytes.js';
import { messageSize } from '../../cli/ucx-perftest-checks.js';
import { noop, runOnce } from '../../engine/operations.js';
import type { Operation, Program } from '../../engine/types.js';
import { uct, uctBind } from '../../ucx/index.js';
import type { InFlight, Memory, Messages, Remote } from '../../ucx/types.js';
import type { UctEp, UctIface, UctPacing, UctRkey } from '../../ucx/uct-types.js';
import type { UctCommand, UcxTest } from '../suites/ucx-perftest.js';
import { piecesOf } from './pieces.js';
import {
  ATOMIC_COMPARE,
  ATOMIC_VALUE,
  atomicResult,
  bufferSize,
  inTurn,
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
import { checkUct, findResource, SHORT_HEADER } from './uct-checks.js';
import { Validation, wrongWordBytes } from './validation.js';

/** Active messages: data, and acknowledgements of flow control. */
const DATA_ID = 0;
const ACKNOWLEDGEMENT_ID = 1;

interface UctCard {
  readonly device: string;
  readonly iface: string;
  /** Where endpoints are connected, and not interfaces. */
  readonly endpoint?: string;
  readonly send: MemoryCard;
  readonly receive: MemoryCard;
}

type UctRequest = TestRequest & { readonly test: UcxTest & { readonly api: 'uct'; readonly command: UctCommand } };

export class UctTest implements OpenedTest {
  readonly card: Card;
  readonly #request: UctRequest;
  readonly #iface: UctIface;
  readonly #send: Memory;
  readonly #receive: Memory;
  readonly #made = new Made();
  readonly #operations: Operation[] = [];
  #endpoint: UctEp;
  #toSend!: Remote<UctRkey>;
  #toReceive!: Remote<UctRkey>;
  #validation: Validation | undefined;

  /** Throws TestRefusal where the transport can't do it, OperationError where UCX fails. */
  constructor(request: UctRequest) {
    const { test } = request;
    const options = { ...request.options, ...piecesOf(request.options) };
    this.#request = { ...request, options };
    const resource = findResource(uct().resources(), options);
    this.#iface = this.#made.keep(uct().open(resource, { asyncMode: options.asyncMode }), (iface) => {
      iface.close();
    });
    try {
      checkUct(this.#iface, test, options);
      this.#send = this.#allocate();
      this.#receive = this.#allocate();
      const { iface, endpoint } = this.#address();
      this.#endpoint = endpoint as UctEp;
      this.card = { ...iface, send: cardOf(this.#send), receive: cardOf(this.#receive) };
    } catch (error) {
      this.close();
      throw error;
    }
  }

  connect(card: Card): void {
    const peer = card as unknown as UctCard;
    const iface = this.#iface;
    const [device, address] = [decodeBytes(peer.device), decodeBytes(peer.iface)];
    if (!iface.isReachable(device, address)) {
      const { transport, device: name } = iface.resource;
      throw new TestRefusal(`Failed to setup endpoints over ${transport}/${name}: Destination is unreachable`);
    }
    if (peer.endpoint !== undefined) this.#endpoint.connectToEp(device, decodeBytes(peer.endpoint));
    else
      this.#endpoint = this.#made.keep(iface.connect(device, address), (endpoint) => {
        endpoint.destroy();
      });
    this.#toSend = this.#remote(peer.send);
    this.#toReceive = this.#remote(peer.receive);
    runOnce(uctBind().flush(iface));
  }

  build(): SidePrograms {
    const programs = this.#programs();
    return { programs, progress: this.#progress(), operations: this.#operations };
  }

  transports(): readonly string[] {
    const { transport, device } = this.#iface.resource;
    return [`${transport}/${device}`];
  }

  info(): string | null {
    return null;
  }

  wrongBytes(executed: number): number {
    const { test, role, options } = this.#request;
    if (!isAtomic(test)) return this.#validation?.wrongBytes() ?? 0;
    // A word is written by the client, in a ping-pong by both.
    if (role === 'client' && test.pattern === 'stream') return 0;
    const size = messageSize(options);
    return wrongWordBytes(this.#buffer('receive'), atomicResult(test.command, executed, size), size);
  }

  close(): void {
    this.#made.close();
  }

  #op(operation: Operation): Operation {
    this.#operations.push(operation);
    return operation;
  }

  #allocate(): Memory {
    const { options } = this.#request;
    const memory = this.#iface.memAlloc(Math.max(8, bufferSize(options)), {
      nonBlocking: options.nonBlockingRegistration,
    });
    memory.buffer?.view().fill(0);
    return this.#made.keep(memory, () => {
      memory.free();
    });
  }

  #address(): { iface: Pick<UctCard, 'device' | 'iface' | 'endpoint'>; endpoint?: UctEp } {
    const iface = this.#iface;
    const own = { device: encodeBytes(iface.deviceAddress()), iface: encodeBytes(iface.ifaceAddress()) };
    if (!iface.attributes.flags.includes('CONNECT_TO_EP')) return { iface: own };
    const endpoint = this.#made.keep(iface.epCreate(), (made) => {
      made.destroy();
    });
    return { iface: { ...own, endpoint: encodeBytes(endpoint.address()) }, endpoint };
  }

  #remote({ address, key }: MemoryCard): Remote<UctRkey> {
    const unpacked = this.#made.keep(this.#iface.rkeyUnpack(decodeBytes(key)), (made) => {
      made.release();
    });
    return { address: BigInt(address), key: unpacked };
  }

  #buffer(which: 'send' | 'receive'): NonNullable<Memory['buffer']> {
    const { buffer } = which === 'send' ? this.#send : this.#receive;
    if (!buffer) throw new Error('UCT has allocated memory without a buffer');
    return buffer;
  }

  #progress(): Operation {
    const { options, role, test } = this.#request;
    const idle = options.oneSided && role === 'server' && !isTwoSided(test);
    return this.#op(idle ? noop() : uctBind().progress(this.#iface));
  }

  #programs(): Program[] {
    const { test, role, options } = this.#request;
    const inFlight = this.#iface.inFlight(options.outstanding ?? test.outstanding);
    const program = test.pattern === 'ping-pong' ? this.#pingPong(inFlight) : this.#stream(inFlight, role === 'server');
    if (options.validate) return [this.#validated(program, inFlight)];
    return program.timed.length > 0 ? [program] : [];
  }

  #validated(program: Program, inFlight: InFlight): Program {
    const { test, role, rendezvous } = this.#request;
    const stamped = test.command === 'put' && test.pattern === 'ping-pong';
    const [send, receive] = [this.#buffer('send'), this.#buffer('receive')];
    // Pieces are of the side that calls; what arrives, or is fetched from, is one stretch.
    const gets = test.command === 'get';
    const scattered = { send: !gets, receive: gets };
    this.#validation = new Validation(this.#request, { send, receive, stamped, scattered });
    const barrier = (): Operation => {
      if (!rendezvous.progressBarrier)
        throw new Error(`the rendezvous ${rendezvous.kind} has no barrier with progress`);
      return this.#op(rendezvous.progressBarrier(this.#op(uctBind().progress(this.#iface))));
    };
    const complete = [this.#op(uctBind().complete(this.#iface, inFlight)), this.#op(uctBind().flush(this.#iface))];
    // A process that talks to itself takes messages a window behind, unless it has come to an end.
    const rest = role === 'both' ? (program.closing ?? []) : [];
    const validated = this.#validation.around(program, barrier, [...complete, ...rest]);
    for (const list of [validated.untimed?.before, validated.untimed?.after]) {
      for (const operation of list ?? []) this.#op(operation);
    }
    return validated;
  }

  #pingPong(inFlight: InFlight): Program {
    const send = this.#sendOperation(inFlight);
    const receive = this.#receiveOperation();
    const drain = [this.#op(uctBind().complete(this.#iface, inFlight)), this.#op(uctBind().flush(this.#iface))];
    return { timed: inTurn(this.#request, send, receive), drain };
  }

  #stream(inFlight: InFlight, serves: boolean): Program {
    const { test } = this.#request;
    if (isTwoSided(test)) return serves ? this.#takeMessages() : this.#sendMessages(inFlight);
    if (serves) return { timed: [] };
    const flush = this.#op(uctBind().flush(this.#iface));
    return { timed: [this.#sendOperation(inFlight)], closing: [flush], drain: [flush] };
  }

  #sendMessages(inFlight: InFlight): Program {
    const { options, role } = this.#request;
    const bind = uctBind();
    const window = options.flowControlWindow;
    if (role === 'both') {
      // Nobody else is there to acknowledge: messages are taken a window behind.
      const messages = this.#messages();
      const take = this.#op(bind.amReceive(this.#iface, messages, { behind: window }));
      const rest = this.#op(bind.amArrived(this.#iface, messages));
      return { timed: [this.#sendOperation(inFlight), take], closing: [rest], drain: [rest] };
    }
    const pacing = this.#made.keep(this.#iface.pacing({ id: ACKNOWLEDGEMENT_ID, window }), (made) => {
      made.close();
    });
    const send = this.#sendOperation(inFlight, pacing);
    const acknowledged = this.#op(bind.acknowledged(this.#iface, pacing));
    return { timed: [send], closing: [acknowledged], drain: [acknowledged] };
  }

  #takeMessages(): Program {
    const { options } = this.#request;
    const bind = uctBind();
    const messages = this.#messages();
    const to = { endpoint: this.#endpoint, id: ACKNOWLEDGEMENT_ID };
    const every = Math.max(1, Math.floor(options.flowControlWindow / 2));
    const receive = this.#op(bind.amReceive(this.#iface, messages, { acknowledge: { ...to, every } }));
    const acknowledge = this.#op(bind.acknowledge(messages, to));
    return { timed: [receive], closing: [acknowledge], drain: [acknowledge] };
  }

  #messages(): Messages {
    const { validate } = this.#request.options;
    const messages = this.#iface.amMessages({ id: DATA_ID, ...(validate ? { into: this.#buffer('receive') } : {}) });
    return this.#made.keep(messages, () => {
      messages.close();
    });
  }

  #receiveOperation(): Operation {
    const { test, options } = this.#request;
    const bind = uctBind();
    if (test.command === 'am') return this.#op(bind.amReceive(this.#iface, this.#messages()));
    // What is added to a word shows in its lowest byte, what is put in its last one.
    const offset = test.command === 'add' ? 0 : messageSize(options) - 1;
    return this.#op(bind.waitByte(this.#iface, { buffer: this.#buffer('receive'), offset }));
  }

  #sendOperation(inFlight: InFlight, pacing?: UctPacing): Operation {
    const { test, options } = this.#request;
    const bind = uctBind();
    const endpoint = this.#endpoint;
    if (isAtomic(test)) return this.#atomic(inFlight);
    const { layout, sizes, stride } = options;
    const pieces = sizes.length > 1 ? { pieces: { lengths: sizes, stride } } : {};
    const gets = test.command === 'get';
    const memory = gets ? this.#receive : this.#send;
    const buffer = this.#buffer(gets ? 'receive' : 'send');
    const transfer = { endpoint, layout, buffer, length: messageSize(options), memory, inFlight, ...pieces };
    if (test.command === 'am') {
      const headerLength = layout === 'zcopy' ? (options.amHeader ?? SHORT_HEADER) : undefined;
      return this.#op(
        bind.am({
          ...transfer,
          id: DATA_ID,
          ...(headerLength === undefined ? {} : { headerLength }),
          ...(pacing ? { pacing } : {}),
        }),
      );
    }
    if (gets) return this.#op(bind.get({ ...transfer, remote: this.#toSend }));
    const stamp = test.pattern === 'ping-pong';
    return this.#op(bind.put({ ...transfer, remote: this.#toReceive, stamp }));
  }

  #atomic(inFlight: InFlight): Operation {
    const { test, options } = this.#request;
    const size = messageSize(options) === 4 ? 4 : 8;
    const request = { endpoint: this.#endpoint, remote: this.#toReceive, size, value: ATOMIC_VALUE, inFlight } as const;
    const result = this.#buffer('send');
    switch (test.command) {
      case 'add':
        return this.#op(uctBind().atomic({ ...request, name: 'add' }));
      case 'fadd':
        return this.#op(uctBind().atomic({ ...request, name: 'add', result }));
      case 'swap':
        return this.#op(uctBind().atomic({ ...request, name: 'swap', result }));
      default:
        return this.#op(uctBind().atomic({ ...request, name: 'cswap', compare: ATOMIC_COMPARE, result }));
    }
  }
}
