/** Connections by librdmacm. */
import { Closable } from '../engine/closable.js';
import { adopt, attempt, duration, portNumber, type Connection, type Listener } from '../engine/control.js';
import { instanceOf, sameContext, within } from './arguments.js';
import {
  cmNative,
  type CmBox,
  type CmListenerBox,
  type NativeCmAddress,
  type NativeCmParameters,
} from './cm-native.js';
import type { Cm, CmAddress, CmId, CmListener, CmParameters, CmResolveOptions } from './cm-types.js';
import { IbvContext } from './context.js';
import type { ContextBox } from './native-types.js';
import { IbvAh, IbvPd } from './pd.js';
import { IbvQp, nativeQp, refusedByDevice } from './queue-pair.js';
import type { QpOptions } from './types.js';

const DEFAULT_TIMEOUT = 30;
/** Seconds that an accepted connection of texts may take to stand. */
const HANDSHAKE_TIMEOUT = 10;
const MOST_BYTE = 255;
const MOST_PRIVATE = { rc: 56, ud: 52 };

type HostAddress = CmAddress & { readonly host: string };

function nativeAddress(address: CmAddress, least: number, ud: boolean): NativeCmAddress {
  const { host, port, ipv6 = false, source, tos, qpTimeout } = address;
  portNumber(port, least);
  if (tos !== undefined) within(tos, 'tos', 0, MOST_BYTE);
  if (qpTimeout !== undefined) within(qpTimeout, 'qpTimeout', 0, 31);
  return { host, port, ipv6, source, tos, qpTimeout, ud };
}

function nativeParameters(options: CmParameters, ud: boolean): NativeCmParameters {
  const { responderResources, initiatorDepth, retryCount = 7, rnrRetry = 7, privateData } = options;
  if (privateData !== undefined) {
    if (!(privateData instanceof Uint8Array)) throw new TypeError('privateData must be a Uint8Array');
    within(privateData.length, "privateData's length", 0, ud ? MOST_PRIVATE.ud : MOST_PRIVATE.rc);
  }
  return {
    responderResources: within(responderResources, 'responderResources', 0, MOST_BYTE),
    initiatorDepth: within(initiatorDepth, 'initiatorDepth', 0, MOST_BYTE),
    retryCount: within(retryCount, 'retryCount', 0, 7),
    rnrRetry: within(rnrRetry, 'rnrRetry', 0, 7),
    privateData,
  };
}

/** Connections of one device share librdmacm's context, and so one object stands for it. */
const contexts = new Map<string, IbvContext>();

function contextOf(box: ContextBox): IbvContext {
  const made = new IbvContext(box);
  const known = contexts.get(made.device.name);
  if (known !== undefined && !known.isClosed) return known;
  contexts.set(made.device.name, made);
  return made;
}

class RdmaCmId extends Closable<CmBox> implements CmId {
  readonly port: number;
  readonly peer: string;
  readonly #ud: boolean;
  #context: IbvContext | undefined;

  constructor(box: CmBox, ud: boolean) {
    super(box, 'the connection by rdma_cm', 'destroyed');
    ({ port: this.port, peer: this.peer } = cmNative().cmFacts(box));
    this.#ud = ud;
  }

  get context(): IbvContext {
    this.#context ??= contextOf(cmNative().cmContext(this.box));
    return this.#context;
  }

  createQp(pd: IbvPd, options: QpOptions): IbvQp {
    const { box } = this;
    const type = this.#ud ? 'UD' : 'RC';
    if (options.type !== type) {
      throw new RangeError(
        `a connection by rdma_cm ${this.#ud ? 'of datagrams ' : ''}makes ${type}, not ${options.type}`,
      );
    }
    sameContext(instanceOf(pd, IbvPd, 'pd'), this.context, 'the protection domain');
    const made = nativeQp(pd, options);
    return new IbvQp(
      pd,
      refusedByDevice(() => cmNative().cmCreateQp(box, pd.box, made)),
      options,
    );
  }

  connect(options: CmParameters): void {
    const { box } = this;
    const parameters = nativeParameters(options, this.#ud);
    const seconds = duration(options.timeout ?? DEFAULT_TIMEOUT, 'timeout');
    attempt(() => {
      cmNative().cmConnect(box, parameters, seconds);
    });
  }

  accept(options: CmParameters): void {
    const { box } = this;
    const parameters = nativeParameters(options, this.#ud);
    const seconds = duration(options.timeout ?? DEFAULT_TIMEOUT, 'timeout');
    attempt(() => {
      cmNative().cmAccept(box, parameters, seconds);
    });
  }

  reject(why: string): void {
    cmNative().cmReject(this.box, why);
  }

  get privateData(): Uint8Array {
    return cmNative().cmPrivateData(this.box);
  }

  udPeer(pd: IbvPd): { readonly qpn: number; readonly qkey: number; readonly ah: IbvAh } {
    if (!this.#ud) throw new TypeError('udPeer is for connections of datagrams (ud)');
    sameContext(instanceOf(pd, IbvPd, 'pd'), this.context, 'the protection domain');
    const { qpn, qkey, ah } = cmNative().cmUdPeer(this.box, pd.box);
    return { qpn, qkey, ah: new IbvAh(pd, ah) };
  }

  gone(): string | null {
    return cmNative().cmGone(this.box);
  }

  disconnect(): void {
    cmNative().cmDisconnect(this.box);
  }

  destroy(): void {
    this.closeBy((box) => {
      cmNative().cmDestroy(box);
    });
  }
}

class RdmaCmListener implements CmListener {
  readonly port: number;
  readonly #box: CmListenerBox;

  constructor(
    address: CmAddress,
    private readonly ud: boolean,
  ) {
    const native = nativeAddress(address, 0, ud);
    this.#box = attempt(() => cmNative().cmListen(native));
    this.port = cmNative().cmListenerPort(this.#box);
  }

  /** The native connection of the next that asks. */
  request({ timeout }: { readonly timeout?: number } = {}): CmBox | null {
    const seconds = duration(timeout, 'timeout');
    return attempt(() => cmNative().cmAcceptRequest(this.#box, seconds));
  }

  accept(options: { readonly timeout?: number } = {}): RdmaCmId | null {
    const box = this.request(options);
    return box === null ? null : new RdmaCmId(box, this.ud);
  }

  close(): void {
    cmNative().cmCloseListener(this.#box);
  }
}

class TextListener implements Listener {
  readonly port: number;
  readonly #listener: RdmaCmListener;

  constructor(address: CmAddress) {
    this.#listener = new RdmaCmListener(address, false);
    this.port = this.#listener.port;
  }

  accept(options: { readonly timeout?: number } = {}): Connection | null {
    const box = this.#listener.request(options);
    if (box === null) return null;
    const { fd, peer } = attempt(() => cmNative().cmAcceptStream(box, HANDSHAKE_TIMEOUT));
    return adopt(fd, peer);
  }

  close(): void {
    this.#listener.close();
  }
}

function resolve(address: HostAddress, { ud, timeout }: CmResolveOptions): RdmaCmId {
  const native = nativeAddress(address, 1, ud);
  const seconds = duration(timeout, 'timeout');
  return new RdmaCmId(
    attempt(() => cmNative().cmResolve(native, seconds)),
    ud,
  );
}

function connectTexts(
  address: HostAddress,
  { timeout = DEFAULT_TIMEOUT }: { readonly timeout?: number } = {},
): Connection {
  const native = nativeAddress(address, 1, false);
  const seconds = duration(timeout, 'timeout');
  const { fd, peer } = attempt(() => cmNative().cmConnectStream(cmNative().cmResolve(native, seconds), seconds));
  return adopt(fd, peer);
}

const library: Cm = {
  resolve,
  listen: (address, { ud }) => new RdmaCmListener(address, ud),
  connectTexts,
  listenTexts: (address) => new TextListener(address),
};

/** rdma_cm. Throws `LoadError` where libibverbs or librdmacm are missing. */
export function rdmaCm(): Cm {
  cmNative();
  return library;
}
