/** Binds operations of verbs: checks every argument, and hands them to the addon. */
import { wholeNumber } from '../engine/arguments.js';
import type { Bytes, Operation } from '../engine/types.js';
import type {
  NativeOperations,
  NativeReceives,
  NativeReceivesRequest,
  NativeStream,
  NativeStreamRequest,
} from './bind-native.js';
import type {
  BothWaysRequest,
  Receives,
  ReceivesRequest,
  SendWr,
  Stream,
  StreamRequest,
  VerbsBind,
} from './bind-types.js';
import { checkReceive, checkSend, fetches, heldBySend, own, type BoundCq, type ObjectClasses } from './bind-wr.js';
import type { Cq } from './types.js';

/** Queue pairs of a stream have their place in 16 bits of a work request's id. */
const MOST_QPS = 2 ** 16;

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** Throws where a queue that is slept for has no channel. */
function checkEvents(cq: Cq, events: boolean | undefined): boolean {
  if (events !== true) return false;
  if (cq.channel === null) throw new TypeError('events need a completion queue with a channel: make it with one');
  return true;
}

/** Throws where the stream's work requests of a queue pair aren't whole chains, or it would wait for ever. */
function checkTotal({ postList, txDepth, cqMod }: StreamRequest, total: number): number {
  wholeNumber(total, 'total');
  if (total % postList !== 0) throw new RangeError(`total (${total}) must be a multiple of postList (${postList})`);
  // So many may be outstanding that no completion will tell of, when the next chain is to be posted.
  const silent = cqMod - greatestCommonDivisor(cqMod, postList);
  if (silent + postList <= txDepth || (total > 0 && total <= txDepth)) return total;
  throw new RangeError(
    `txDepth ${txDepth} is too small for chains of ${postList} where every ${cqMod}th work request is signaled: ` +
      `it must be at least ${silent + postList}, or cqMod smaller`,
  );
}

/** Bytes between a walk's first and last place. */
function reachOf({ walk }: StreamRequest): number {
  if (walk === undefined) return 0;
  const step = wholeNumber(walk.step, "the walk's step", 1);
  const span = wholeNumber(walk.span, "the walk's span", 1);
  if (span % step !== 0) throw new RangeError(`the walk's span (${span}) must be a multiple of its step (${step})`);
  return span - step;
}

function checkCompletions(completions: Float64Array | undefined): Float64Array | undefined {
  if (completions === undefined || completions instanceof Float64Array) return completions;
  throw new TypeError('completions must be a Float64Array');
}

/** The queue pairs' one completion queue. */
function queueOf(wrs: readonly SendWr[], classes: ObjectClasses): Cq {
  const [first] = wrs;
  if (first === undefined) throw new RangeError('wrs must have at least one work request');
  if (wrs.length > MOST_QPS) throw new RangeError(`a stream has at most ${MOST_QPS} queue pairs, not ${wrs.length}`);
  const { sendCq, wrApi } = own(first.qp, classes.qp, 'qp');
  if (wrs.some(({ qp }) => qp.sendCq !== sendCq)) {
    throw new TypeError('the queue pairs of a stream must have one completion queue');
  }
  if (wrs.some(({ qp }) => qp.wrApi !== wrApi)) {
    throw new TypeError('the queue pairs of a stream must all post by ibv_wr_* calls, or none of them');
  }
  return sendCq;
}

function checkStream(request: StreamRequest, classes: ObjectClasses): NativeStreamRequest {
  const cq = queueOf(request.wrs, classes);
  const reach = reachOf(request);
  const { postList, txDepth, cqMod, cqePoll, walk } = request;
  wholeNumber(postList, 'postList', 1);
  wholeNumber(txDepth, 'txDepth', 1);
  wholeNumber(cqMod, 'cqMod', 1);
  const completions = checkCompletions(request.completions);
  return {
    wrs: request.wrs.map((wr) => checkSend(wr, classes, reach)),
    step: walk?.step ?? 0,
    span: walk?.span ?? 0,
    postList,
    txDepth,
    cqMod,
    cqePoll: wholeNumber(cqePoll, 'cqePoll', 1),
    total: checkTotal(request, request.total),
    events: checkEvents(cq, request.events),
    completions,
    holds: [...new Set([...request.wrs.flatMap(heldBySend), completions])].filter((held) => held !== undefined),
  };
}

function checkReceives(request: ReceivesRequest, classes: ObjectClasses): NativeReceivesRequest {
  const cq: BoundCq = own(request.cq, classes.cq, 'cq');
  const wrs = request.wrs.map((wr) => checkReceive(wr, classes));
  const shared = wrs.filter(({ srq }) => srq !== undefined).length;
  if (shared > 0 && wrs.length > 1) throw new TypeError('receives go to one SRQ, or to queue pairs');
  return {
    cq: cq.box,
    wrs,
    postList: wholeNumber(request.postList ?? 1, 'postList', 1),
    cqePoll: wholeNumber(request.cqePoll, 'cqePoll', 1),
    events: checkEvents(cq, request.events),
    holds: [cq, ...request.wrs.flatMap(({ to, local }) => [to, local.mr])],
  };
}

/** The operations over an addon's exports and the classes of its objects. */
class Binder implements VerbsBind {
  readonly #native: () => NativeOperations;
  readonly #classes: ObjectClasses;

  constructor(native: () => NativeOperations, classes: ObjectClasses) {
    this.#native = native;
    this.#classes = classes;
  }

  post(wr: SendWr, { stamp = false }: { readonly stamp?: boolean } = {}): Operation {
    const send = checkSend(wr, this.#classes);
    if (stamp && (send.length === 0 || fetches(wr.opcode))) {
      throw new RangeError(`${wr.opcode} of ${send.length} bytes has no byte of its own to stamp`);
    }
    const holds = heldBySend(wr).filter((held) => held !== undefined);
    return this.#native().bindPost({ ...send, stamp, holds });
  }

  complete(cq: Cq, { events }: { readonly events?: boolean } = {}): Operation {
    const { box } = own(cq, this.#classes.cq, 'cq');
    return this.#native().bindComplete({ cq: box, events: checkEvents(cq, events), holds: [cq] });
  }

  waitByte(buffer: Bytes, offset: number): Operation {
    const { byteLength } = buffer as Partial<Bytes>;
    if (typeof byteLength !== 'number') {
      throw new TypeError('the buffer must be an EngineBuffer, an ArrayBuffer, a typed array, a DataView or a Buffer');
    }
    if (wholeNumber(offset, 'offset') >= byteLength) {
      throw new RangeError(`the buffer has ${byteLength} bytes, and the byte is number ${offset}`);
    }
    return this.#native().bindWaitByte({ buffer, offset, holds: [buffer] });
  }

  stream(request: StreamRequest): Stream {
    return this.#stream(this.#native().bindStream(checkStream(request, this.#classes)), request);
  }

  receives(request: ReceivesRequest): Receives {
    return this.#receives(this.#native().bindReceives(checkReceives(request, this.#classes)), request);
  }

  bothWays({ stream, receives, after }: BothWaysRequest): ReturnType<VerbsBind['bothWays']> {
    if ((stream.events ?? false) !== (receives.events ?? false)) {
      throw new TypeError('both ways sleep for events, or neither');
    }
    const bound = this.#native().bindBothWays({
      stream: checkStream(stream, this.#classes),
      receives: checkReceives(receives, this.#classes),
      after,
    });
    return { stream: this.#stream(bound.stream, stream), receives: this.#receives(bound.receives, receives) };
  }

  #stream({ post, end, state }: NativeStream, request: StreamRequest): Stream {
    const native = this.#native();
    return {
      post,
      end,
      completed: () => native.streamCompleted(state),
      noted: () => native.streamNoted(state),
      restart: (total) => {
        native.streamRestart(state, checkTotal(request, total));
      },
    };
  }

  #receives({ take, test, state }: NativeReceives, { wrs }: ReceivesRequest): Receives {
    const native = this.#native();
    return {
      fill: (count) => {
        if (wrs.length === 0) throw new RangeError('there is nothing to fill: wrs is empty');
        native.receivesFill(state, wholeNumber(count, 'count'));
      },
      take,
      test,
      taken: () => native.receivesTaken(state),
      arrived: () => native.receivesArrived(state),
      restart: () => {
        native.receivesRestart(state);
      },
    };
  }
}

/** Binding over an addon, which is loaded when the first operation is bound. */
export function makeBind(native: () => NativeOperations, classes: ObjectClasses): VerbsBind {
  return new Binder(native, classes);
}
