/** Queue pairs. */
import { Closable } from '../engine/closable.js';
import { instanceOf, placeOf, sameContext, VerbsUnsupported, within } from './arguments.js';
import { verbsNative } from './native.js';
import type { NativeConnect, NativePrepare, NativeQp, QpBox } from './native-types.js';
import { nativePath } from './paths.js';
import type { IbvPd } from './pd.js';
import { IbvCq, IbvSrq, IbvXrcd } from './queues.js';
import type { ConnectOptions, Cq, Mtu, QpOptions, QpType, QueuePair, Srq } from './types.js';

const qpTypes: readonly QpType[] = ['RC', 'UC', 'UD', 'XRC_SEND', 'XRC_RECV', 'DCI', 'DCT'];
const mtus: readonly Mtu[] = [256, 512, 1024, 2048, 4096];
const MOST_16_BIT = 0xffff;
const MOST_24_BIT = 0xff_ffff;
const MOST_32_BIT = 0xffff_ffff;
/** Reads and atomics outstanding are told in 8 bits. */
const MOST_OUTSTANDING = 255;
export const DEFAULT_QKEY = 0x1111_1111;

/** What `make` gives; what the device itself can't do becomes a VerbsUnsupported. */
export function refusedByDevice<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) throw new VerbsUnsupported(error.message, { cause: error });
    throw error;
  }
}

type Refused = readonly [wrong: boolean, sentence: string];

/** Throws for what a type of queue pair doesn't go with. */
function checkKind({ type, srq, xrcd }: QpOptions): void {
  const wrong: Refused[] = [
    [type === 'XRC_RECV' && xrcd === undefined, 'XRC_RECV needs an XRC domain (xrcd)'],
    [type !== 'XRC_RECV' && xrcd !== undefined, `${type} takes no XRC domain: only XRC_RECV does`],
    [type === 'DCT' && srq === undefined, 'DCT needs a shared receive queue (srq)'],
    [srq !== undefined && !['RC', 'UC', 'UD', 'DCT'].includes(type), `${type} takes no shared receive queue (srq)`],
  ];
  const found = wrong.find(([is]) => is);
  if (found) throw new TypeError(found[1]);
}

/** Checks what a queue pair is to be made of, for `verbsCreateQp` and librdmacm's. Throws RangeError or TypeError. */
export function nativeQp(pd: IbvPd, options: QpOptions): NativeQp {
  const { context } = pd;
  const { maxQpWr } = context.attributes;
  placeOf(options.type, qpTypes, 'type');
  if (options.type.startsWith('XRC') && !context.attributes.xrc)
    throw new VerbsUnsupported(`${context.what} has no XRC`);
  checkKind(options);
  const sendCq = instanceOf(options.sendCq, IbvCq, 'sendCq');
  const recvCq = instanceOf(options.recvCq, IbvCq, 'recvCq');
  const srq = options.srq && instanceOf(options.srq, IbvSrq, 'srq');
  const xrcd = options.xrcd && instanceOf(options.xrcd, IbvXrcd, 'xrcd');
  for (const [name, value] of Object.entries({ sendCq, recvCq, srq, xrcd })) {
    if (value) sameContext(value, context, name);
  }
  return {
    type: options.type,
    sendCq: sendCq.box,
    recvCq: recvCq.box,
    srq: srq?.box,
    xrcd: xrcd?.box,
    maxSendWr: within(options.maxSendWr, 'maxSendWr', 0, maxQpWr),
    maxRecvWr: within(options.maxRecvWr, 'maxRecvWr', 0, maxQpWr),
    maxInline: within(options.maxInline ?? 0, 'maxInline', 0, MOST_16_BIT),
    inlineIfPossible: options.inlineIfPossible ?? false,
    wrApi: options.wrApi,
  };
}

type PrepareOptions = Parameters<QueuePair['prepare']>[0];

export class IbvQp extends Closable<QpBox> implements QueuePair {
  readonly type: QpType;
  readonly maxInline: number;
  readonly wrApi: boolean;
  readonly sendCq: Cq;
  readonly recvCq: Cq;
  readonly srq: Srq | null;
  #prepared = false;

  /** `box` was made of `options`, by verbs or by librdmacm. */
  constructor(
    readonly pd: IbvPd,
    box: QpBox,
    options: QpOptions,
  ) {
    super(box, 'the queue pair', 'destroyed');
    ({ maxInline: this.maxInline, wrApi: this.wrApi } = verbsNative().verbsQpInfo(box));
    this.type = options.type;
    this.sendCq = options.sendCq;
    this.recvCq = options.recvCq;
    this.srq = options.srq ?? null;
  }

  /** A DCT has its number once it is connected. */
  get number(): number {
    return verbsNative().verbsQpInfo(this.box).number;
  }

  prepare({ port, pkeyIndex = 0, qkey = DEFAULT_QKEY }: PrepareOptions): void {
    this.pd.context.port(port);
    const options: NativePrepare = {
      port,
      pkeyIndex: within(pkeyIndex, 'pkeyIndex', 0, MOST_16_BIT),
      qkey: within(qkey, 'qkey', 0, MOST_32_BIT),
    };
    verbsNative().verbsPrepareQp(this.box, options);
    this.#prepared = true;
  }

  connect(options: ConnectOptions): void {
    const { box } = this;
    const checked = this.#checked(options);
    const { pkeyIndex, qkey } = options;
    if (!this.#prepared) {
      this.prepare({
        port: options.path.port,
        ...(pkeyIndex !== undefined && { pkeyIndex }),
        ...(qkey !== undefined && { qkey }),
      });
    }
    verbsNative().verbsConnectQp(box, checked);
  }

  state(): string {
    return verbsNative().verbsQpState(this.box);
  }

  fail(): void {
    verbsNative().verbsFailQp(this.box);
  }

  destroy(): void {
    this.closeBy((box) => {
      verbsNative().verbsDestroyQp(box);
    });
  }

  #checked(options: ConnectOptions): NativeConnect {
    const { context } = this.pd;
    const { maxQpRdAtom } = context.attributes;
    const path = nativePath(context, options.path);
    placeOf(options.mtu, mtus, 'mtu');
    const { activeMtu } = context.port(path.port);
    if (options.mtu > activeMtu) {
      throw new RangeError(`mtu ${options.mtu} is more than the ${activeMtu} bytes of ${context.what}'s port now`);
    }
    const most = Math.min(maxQpRdAtom, MOST_OUTSTANDING);
    return {
      path,
      mtu: options.mtu,
      destQpn: within(options.destQpn, 'destQpn', 0, MOST_24_BIT),
      rqPsn: within(options.rqPsn, 'rqPsn', 0, MOST_24_BIT),
      sqPsn: within(options.sqPsn, 'sqPsn', 0, MOST_24_BIT),
      maxDestRdAtomic: within(options.maxDestRdAtomic ?? most, 'maxDestRdAtomic', 0, most),
      maxRdAtomic: within(
        options.maxRdAtomic ?? 1,
        'maxRdAtomic',
        0,
        Math.min(context.attributes.maxQpInitRdAtom, MOST_OUTSTANDING),
      ),
      timeout: within(options.timeout ?? 14, 'timeout', 0, 31),
      retryCount: within(options.retryCount ?? 7, 'retryCount', 0, 7),
      rnrRetry: within(options.rnrRetry ?? 7, 'rnrRetry', 0, 7),
      minRnrTimer: within(options.minRnrTimer ?? 12, 'minRnrTimer', 0, 31),
    };
  }
}
