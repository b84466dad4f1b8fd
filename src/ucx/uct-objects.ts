/** UCT's objects. Each knows whether it is still open; what depends on it is counted natively. */
import { wholeNumber } from '../engine/arguments.js';
import { EngineBuffer } from '../engine/buffer.js';
import { Closable } from '../engine/closable.js';
import type { Bytes } from '../engine/types.js';
import { ucx } from './native.js';
import type { InFlight, Memory, Messages } from './types.js';
import { nameOf } from './uct-limits.js';
import type { EpBox, IfaceBox, InFlightBox, MemoryBox, MessagesBox, PacingBox, RkeyBox } from './uct-native.js';
import type { UctEp, UctIface, UctIfaceAttributes, UctPacing, UctResource, UctRkey } from './uct-types.js';

/** Active message ids that UCT has. */
const IDS = 32;
const MOST_IN_FLIGHT = 2 ** 31 - 2;

function requireBytes(value: unknown, what: string): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`${what} must be a Uint8Array`);
}

export function checkId(id: number): number {
  if (Number.isInteger(id) && id >= 0 && id < IDS) return id;
  throw new RangeError(`an active message id must be a whole number from 0 to ${IDS - 1}, not ${String(id)}`);
}

export class Rkey extends Closable<RkeyBox> implements UctRkey {
  constructor(box: RkeyBox) {
    super(box, 'the remote key', 'released');
  }
  release(): void {
    this.closeBy((box) => {
      ucx().uctRkeyRelease(box);
    });
  }
}

export class Ep extends Closable<EpBox> implements UctEp {
  constructor(
    readonly iface: Iface,
    box: EpBox,
  ) {
    super(box, 'the endpoint', 'destroyed');
  }

  address(): Uint8Array {
    this.iface.requireFlag('CONNECT_TO_EP', 'connects to interfaces only, and its endpoints have no address');
    return ucx().uctEpAddress(this.box);
  }

  connectToEp(deviceAddress: Uint8Array, epAddress: Uint8Array): void {
    this.iface.requireFlag('CONNECT_TO_EP', 'connects to interfaces only: use connect');
    const { box } = this;
    ucx().uctConnectToEp(
      box,
      requireBytes(deviceAddress, 'the device address'),
      requireBytes(epAddress, "the endpoint's address"),
    );
  }

  destroy(): void {
    this.closeBy((box) => {
      ucx().uctEpDestroy(box);
    });
  }
}

export class UctMemory implements Memory {
  readonly buffer: EngineBuffer;
  readonly address: bigint;
  readonly #box: MemoryBox;

  constructor(
    readonly iface: Iface,
    box: MemoryBox,
    readonly length: number,
  ) {
    this.#box = box;
    this.address = ucx().uctMemAddress(box);
    this.buffer = EngineBuffer.adopt({
      byteLength: length,
      bind: (object) => {
        ucx().uctMemBind(box, object, length);
      },
      release: (_, views) => {
        ucx().uctMemFree(box, views);
      },
    });
  }

  get box(): MemoryBox {
    if (this.buffer.freed) throw new Error('the memory was freed');
    return this.#box;
  }

  packKey(): Uint8Array {
    return ucx().uctMemKey(this.box);
  }

  free(): void {
    this.buffer.free();
  }
}

export class UctCounter implements InFlight {
  constructor(
    readonly iface: Iface,
    readonly box: InFlightBox,
    readonly limit: number,
  ) {}
  get count(): number {
    return ucx().uctInFlightCount(this.box);
  }
}

export class Handler extends Closable<MessagesBox> implements Messages {
  constructor(
    readonly iface: Iface,
    box: MessagesBox,
  ) {
    super(box, 'the handler of messages', 'closed');
  }
  get arrived(): number {
    return ucx().uctMessagesArrived(this.box);
  }
  close(): void {
    this.closeBy((box) => {
      ucx().uctMessagesClose(box);
    });
  }
}

export class Pacing extends Closable<PacingBox> implements UctPacing {
  constructor(
    readonly iface: Iface,
    box: PacingBox,
  ) {
    super(box, 'the pacing', 'closed');
  }
  get acknowledged(): number {
    return ucx().uctPacingAcknowledged(this.box);
  }
  close(): void {
    this.closeBy((box) => {
      ucx().uctPacingClose(box);
    });
  }
}

export class Iface extends Closable<IfaceBox> implements UctIface {
  readonly attributes: UctIfaceAttributes;
  readonly #flags: ReadonlySet<string>;

  constructor(
    box: IfaceBox,
    readonly resource: UctResource,
  ) {
    super(box, nameOf({ resource }), 'closed');
    this.attributes = ucx().uctAttributes(box);
    this.#flags = new Set(this.attributes.flags);
  }

  /** Throws RangeError `posix/memory WHY` where the interface lacks the flag. */
  requireFlag(flag: string, why: string): void {
    if (!this.#flags.has(flag)) throw new RangeError(`${this.what} ${why}`);
  }

  deviceAddress(): Uint8Array {
    return ucx().uctDeviceAddress(this.box);
  }

  ifaceAddress(): Uint8Array {
    this.requireFlag('CONNECT_TO_IFACE', 'connects endpoints only, and has no interface address');
    return ucx().uctIfaceAddress(this.box);
  }

  isReachable(deviceAddress: Uint8Array, ifaceAddress: Uint8Array): boolean {
    const device = requireBytes(deviceAddress, 'the device address');
    return ucx().uctIsReachable(this.box, device, requireBytes(ifaceAddress, "the interface's address"));
  }

  memAlloc(length: number, { nonBlocking = false }: { readonly nonBlocking?: boolean } = {}): UctMemory {
    wholeNumber(length, 'length', 1);
    return new UctMemory(this, ucx().uctMemAlloc(this.box, length, nonBlocking), length);
  }

  rkeyUnpack(packed: Uint8Array): Rkey {
    const { byteLength } = requireBytes(packed, 'the packed key');
    const { keySize, flags } = this.attributes.md;
    const expected = flags.includes('ALLOC') || flags.includes('REG') ? keySize : 0;
    if (byteLength !== expected) {
      throw new RangeError(`the packed key has ${byteLength} bytes, and keys of ${this.what} have ${expected}`);
    }
    return new Rkey(ucx().uctRkeyUnpack(this.box, packed));
  }

  connect(deviceAddress: Uint8Array, ifaceAddress: Uint8Array): Ep {
    this.requireFlag('CONNECT_TO_IFACE', 'connects endpoints only: use epCreate and connectToEp');
    const device = requireBytes(deviceAddress, 'the device address');
    return new Ep(this, ucx().uctConnect(this.box, device, requireBytes(ifaceAddress, "the interface's address")));
  }

  epCreate(): Ep {
    this.requireFlag('CONNECT_TO_EP', 'connects to interfaces only: use connect');
    return new Ep(this, ucx().uctEpCreate(this.box));
  }

  inFlight(limit = MOST_IN_FLIGHT): UctCounter {
    wholeNumber(limit, 'limit', 1);
    const most = Math.min(limit, MOST_IN_FLIGHT);
    return new UctCounter(this, ucx().uctInFlight(this.box, most), most);
  }

  amMessages({ id, into }: { readonly id: number; readonly into?: Bytes }): Handler {
    this.#requireActiveMessages();
    return new Handler(this, ucx().uctMessages(this.box, checkId(id), into));
  }

  pacing({ id, window }: { readonly id: number; readonly window: number }): Pacing {
    this.#requireActiveMessages();
    return new Pacing(this, ucx().uctPacing(this.box, checkId(id), wholeNumber(window, 'window', 1)));
  }

  progress(): number {
    return ucx().uctProgress(this.box);
  }

  close(): void {
    this.closeBy((box) => {
      ucx().uctClose(box);
    });
  }

  #requireActiveMessages(): void {
    const { short, bcopy, zcopy } = this.attributes.am;
    if (short === null && bcopy === null && zcopy === null) throw new RangeError(`${this.what} has no am`);
  }
}
