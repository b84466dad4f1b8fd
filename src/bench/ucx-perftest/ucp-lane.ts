/** What one thread does in a test over UCP: its worker, its endpoint, and the program built on them. */
import { messageSize } from '../../cli/ucx-perftest-checks.js';
import type { EngineBuffer } from '../../engine/buffer.js';
import type { Operation, Program } from '../../engine/types.js';
import { ucpBind } from '../../ucx/index.js';
import type { InFlight, Memory, Messages, Remote } from '../../ucx/types.js';
import type { UcpEp, UcpRkey, UcpWorker } from '../../ucx/ucp-types.js';
import type { UcxTest } from '../suites/ucx-perftest.js';
import { ATOMIC_COMPARE, ATOMIC_VALUE, inTurn, isAtomic, isTwoSided, type TestRequest } from './side.js';
import { Validation, wrongAtomicBytes } from './validation.js';

export type UcpRequest = TestRequest & { readonly test: UcxTest & { readonly api: 'ucp' } };

export interface LaneParts {
  readonly worker: UcpWorker;
  readonly endpoint: UcpEp;
  readonly send: Memory;
  readonly receive: Memory;
  /** The peer's, for tests that write or read there. */
  readonly remotes: { readonly send: Remote<UcpRkey>; readonly receive: Remote<UcpRkey> } | undefined;
}

const TAG = 0x1337a880n;
/** Acknowledges the end of a stream. It goes the other way, so that no wildcard receive can take it. */
const END_TAG = 0x1337a881n;
const FULL_MASK = (1n << 64n) - 1n;
const DATA_ID = 0;
const END_ID = 1;

export class UcpLane {
  readonly operations: Operation[] = [];
  readonly #request: UcpRequest;
  readonly #parts: LaneParts;
  readonly #later: (end: () => void) => void;
  readonly #sends: InFlight;
  readonly #receives: InFlight;
  #sending: Operation | undefined;
  #validation: Validation | undefined;

  /** @param later is given what must be closed before the endpoint */
  constructor(request: UcpRequest, parts: LaneParts, later: (end: () => void) => void) {
    this.#request = request;
    this.#parts = parts;
    this.#later = later;
    const limit = request.options.outstanding ?? request.test.outstanding;
    this.#sends = parts.worker.inFlight(limit);
    this.#receives = parts.worker.inFlight(limit);
  }

  progress(): Operation {
    return this.#op(ucpBind().progress(this.#parts.worker));
  }

  /** What is to run; undefined where this side only lets the other one work. */
  program(): Program | undefined {
    const { test, role, options } = this.#request;
    const program = test.pattern === 'ping-pong' ? this.#pingPong() : this.#stream(role === 'server');
    if (options.validate) return this.#validated(program);
    return program.timed.length > 0 ? program : undefined;
  }

  info(): string | null {
    return this.#sending ? ucpBind().protocolOf(this.#sending) : null;
  }

  wrongBytes(executed: number): number {
    const { test } = this.#request;
    if (!isAtomic(test)) return this.#validation?.wrongBytes() ?? 0;
    const buffers = { send: this.#buffer('send'), receive: this.#buffer('receive') };
    return wrongAtomicBytes({ ...this.#request, test }, buffers, executed);
  }

  #op(operation: Operation): Operation {
    this.operations.push(operation);
    return operation;
  }

  #buffer(which: 'send' | 'receive'): EngineBuffer {
    const { buffer } = this.#parts[which];
    if (!buffer) throw new Error('UCP has allocated memory without a buffer');
    return buffer;
  }

  #complete(inFlight: InFlight): Operation {
    return this.#op(ucpBind().complete(this.#parts.worker, inFlight, { sleep: this.#request.options.sleep }));
  }

  #flush(): Operation {
    return this.#op(ucpBind().flush(this.#parts.endpoint));
  }

  #validated(program: Program): Program {
    const { test, role, rendezvous, options } = this.#request;
    const [sent, received] = options.datatypes;
    const stamped = test.command === 'put' && test.pattern === 'ping-pong';
    this.#validation = new Validation(this.#request, {
      send: this.#buffer('send'),
      receive: this.#buffer('receive'),
      stamped,
      // Active messages arrive in one stretch.
      scattered: { send: sent === 'iov', receive: received === 'iov' && test.command !== 'am' },
    });
    const barrier = (): Operation => {
      if (!rendezvous.progressBarrier)
        throw new Error(`the rendezvous ${rendezvous.kind} has no barrier with progress`);
      return this.#op(rendezvous.progressBarrier(this.progress()));
    };
    const complete = [this.#complete(this.#sends), this.#complete(this.#receives)];
    // A process that talks to itself takes messages a window behind, unless it has come to an end.
    const rest = role === 'both' ? (program.closing ?? []) : [];
    const ends = isTwoSided(test) ? [...complete, ...rest] : [...complete, this.#flush()];
    const validated = this.#validation.around(program, barrier, ends);
    for (const list of [validated.untimed?.before, validated.untimed?.after])
      for (const operation of list ?? []) this.#op(operation);
    return validated;
  }

  #pingPong(): Program {
    const send = this.#send();
    const receive = this.#receive(true);
    const drain = [this.#complete(this.#sends)];
    return { timed: inTurn(this.#request, send, receive), drain };
  }

  #stream(serves: boolean): Program {
    const { test, role } = this.#request;
    if (!isTwoSided(test)) {
      if (serves) return { timed: [] };
      const closing = [this.#complete(this.#sends), this.#flush()];
      return { timed: [this.#send()], closing, drain: closing };
    }
    if (role === 'both') return this.#toItself();
    return serves ? this.#taking() : this.#sendingToServer();
  }

  /** The server ends a stream by a message of its own, without which the client would time its own sends alone. */
  #sendingToServer(): Program {
    const closing = [this.#complete(this.#sends), this.#receiveEnd()];
    return { timed: [this.#send()], closing, drain: [this.#complete(this.#sends)] };
  }

  #taking(): Program {
    const receive = this.#receive(false);
    const rest = [this.#complete(this.#receives)];
    return { timed: [receive], closing: [...rest, this.#sendEnd()], drain: rest };
  }

  #toItself(): Program {
    const { command } = this.#request.test;
    const send = this.#send();
    if (command !== 'am') {
      const closing = [this.#complete(this.#sends), this.#complete(this.#receives)];
      return { timed: [send, this.#receive(false)], closing, drain: closing };
    }
    const messages = this.#messages(DATA_ID);
    const behind = this.#sends.limit;
    const take = this.#op(ucpBind().amReceive(this.#parts.worker, messages, { behind }));
    const closing = [this.#complete(this.#sends), this.#op(ucpBind().amArrived(this.#parts.worker, messages))];
    return { timed: [send, take], closing, drain: closing };
  }

  #messages(id: number): Messages {
    const { validate, amCopy } = this.#request.options;
    const into = id === DATA_ID && (validate || amCopy) ? { into: this.#buffer('receive') } : {};
    const messages = this.#parts.worker.amMessages({ id, ...into });
    this.#later(() => {
      messages.close();
    });
    return messages;
  }

  #sendEnd(): Operation {
    const { endpoint } = this.#parts;
    const bind = ucpBind();
    const end = { endpoint, buffer: this.#buffer('send'), length: 1, inFlight: this.#sends, blocking: true } as const;
    switch (this.#request.test.command) {
      case 'am':
        return this.#op(bind.amSend({ ...end, id: END_ID }));
      case 'stream':
        return this.#op(bind.streamSend(end));
      default:
        return this.#op(bind.tagSend({ ...end, tag: END_TAG }));
    }
  }

  #receiveEnd(): Operation {
    const { endpoint, worker } = this.#parts;
    const bind = ucpBind();
    // The last bytes of a buffer that holds data: they are not looked at on this side.
    const end = { buffer: this.#buffer('receive'), length: 1, inFlight: this.#receives, blocking: true } as const;
    switch (this.#request.test.command) {
      case 'am':
        return this.#op(bind.amReceive(worker, this.#messages(END_ID)));
      case 'stream':
        return this.#op(bind.streamReceive({ ...end, endpoint }));
      default:
        return this.#op(bind.tagReceive({ ...end, worker, tag: END_TAG, mask: FULL_MASK }));
    }
  }

  /** Buffer, pieces and registered memory of a message, on the side that sends it or on the one that takes it. */
  #transfer(which: 'send' | 'receive') {
    const { options } = this.#request;
    const { sizes, stride, preregistered, datatypes } = options;
    const [sent, received] = datatypes;
    const inPieces = (which === 'send' ? sent : received) === 'iov';
    return {
      buffer: this.#buffer(which),
      length: messageSize(options),
      ...(inPieces ? { pieces: { lengths: sizes, stride } } : {}),
      ...(preregistered ? { memory: this.#parts[which] } : {}),
      inFlight: which === 'send' ? this.#sends : this.#receives,
    };
  }

  #receive(blocking: boolean): Operation {
    const { test, options } = this.#request;
    const { worker, endpoint } = this.#parts;
    const { sleep } = options;
    const bind = ucpBind();
    const transfer = { ...this.#transfer('receive'), blocking, sleep };
    switch (test.command) {
      case 'tag':
      case 'tag_sync': {
        const mask = options.wildcardTag ? 0n : FULL_MASK;
        return this.#op(bind.tagReceive({ ...transfer, worker, tag: TAG, mask, probe: options.unexpected }));
      }
      case 'stream':
        return this.#op(bind.streamReceive({ ...transfer, endpoint, data: options.streamData }));
      case 'am':
        return this.#op(bind.amReceive(worker, this.#messages(DATA_ID), { sleep }));
      default:
        return this.#op(
          bind.waitByte(worker, { buffer: this.#buffer('receive'), offset: messageSize(options) - 1, sleep }),
        );
    }
  }

  #send(): Operation {
    this.#sending = this.#op(this.#sendCall());
    if (this.#request.extraInfo) ucpBind().protocolOf(this.#sending);
    return this.#sending;
  }

  #sendCall(): Operation {
    const { test, options } = this.#request;
    const { endpoint, remotes } = this.#parts;
    const bind = ucpBind();
    if (isAtomic(test)) return this.#atomic();
    const transfer = { ...this.#transfer('send'), endpoint };
    const sync = test.command === 'tag_sync';
    switch (test.command) {
      case 'tag':
      case 'tag_sync':
        return bind.tagSend({ ...transfer, tag: TAG, sync });
      case 'stream':
        return bind.streamSend(transfer);
      case 'am': {
        const headerLength = options.amHeader ?? 0;
        const header = headerLength > 0 ? { header: new Uint8Array(headerLength), headerLength } : {};
        return bind.amSend({ ...transfer, id: DATA_ID, ...header });
      }
      default:
        break;
    }
    if (!remotes) throw new Error(`${test.name} needs the peer's memory`);
    if (test.command === 'put') {
      return bind.put({ ...transfer, remote: remotes.receive, stamp: test.pattern === 'ping-pong' });
    }
    return bind.get({ ...this.#transfer('receive'), inFlight: this.#sends, endpoint, remote: remotes.send });
  }

  #atomic(): Operation {
    const { test, options } = this.#request;
    const { endpoint, remotes } = this.#parts;
    if (!remotes) throw new Error(`${test.name} needs the peer's memory`);
    const size = messageSize(options) === 4 ? 4 : 8;
    const inFlight = this.#sends;
    const request = { endpoint, remote: remotes.receive, size, value: ATOMIC_VALUE, inFlight } as const;
    const result = this.#buffer('send');
    switch (test.command) {
      case 'add':
        return ucpBind().atomic({ ...request, name: 'add' });
      case 'fadd':
        return ucpBind().atomic({ ...request, name: 'add', result });
      case 'swap':
        return ucpBind().atomic({ ...request, name: 'swap', result });
      default:
        return ucpBind().atomic({ ...request, name: 'cswap', compare: ATOMIC_COMPARE, result });
    }
  }
}
