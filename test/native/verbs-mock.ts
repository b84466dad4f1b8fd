/** The fake device of test/native/verbs-mock, and the operations of verbs over it. */
import { EngineBuffer } from '../../src/engine/buffer.js';
import { Closable } from '../../src/engine/closable.js';
import { loadAddonFile } from '../../src/engine/load.js';
import { makeBind } from '../../src/verbs/bind-make.js';
import type { NativeOperations } from '../../src/verbs/bind-native.js';
import type { AhBox, ChannelBox, CqBox, MrBox, QpBox, SrqBox, VerbsBox } from '../../src/verbs/native-types.js';
import type { AddressHandle, CompChannel, Cq, MemoryRegion, QpType, QueuePair, Srq } from '../../src/verbs/types.js';
import { testAddon } from './test-addon.js';

type DeviceBox = VerbsBox<'mock device'>;

/** A work request as the device saw it. */
export interface Sent {
  readonly qp: number;
  /** Number of the call that posted it. */
  readonly call: number;
  readonly id: bigint;
  readonly opcode: number;
  readonly flags: number;
  readonly inline: boolean;
  readonly local: bigint;
  readonly length: number;
  readonly lkey: number;
  readonly pieces: number;
  /** The last byte of its data at that time. */
  readonly lastByte: number;
  readonly remote: bigint;
  readonly rkey: number;
  readonly imm: number;
  readonly qpn: number;
  readonly qkey: number;
  readonly srqn: number;
  readonly ah: bigint;
  readonly compareAdd: bigint;
  readonly swap: bigint;
}

export interface Posted {
  readonly call: number;
  readonly id: number;
  readonly local: bigint;
  readonly length: number;
  readonly lkey: number;
  readonly pieces: number;
}

/** How the device behaves; see Behaviour in mock.hpp. */
export interface Behaviour {
  readonly failAt?: number;
  readonly status?: number;
  readonly refuseAt?: number;
  readonly refusal?: number;
  readonly perPoll?: number;
  readonly emptyPolls?: number;
  readonly onEvents?: boolean;
  readonly afterMs?: number;
  readonly loops?: boolean;
  readonly failPolls?: boolean;
}

export interface MockCounts {
  readonly polls: number;
  /** Messages that found no receive. */
  readonly missed: number;
  readonly events: number;
  readonly acknowledged: number;
  readonly unacknowledged: number;
  /** By queue pair, in the order of their making: the most work requests outstanding at any time. */
  readonly most: number[];
}

interface MockQp {
  readonly type: QpType;
  readonly sendCq: CqBox;
  readonly recvCq: CqBox;
  readonly srq: SrqBox | undefined;
  readonly wrApi: boolean;
  readonly capacity: number | undefined;
  readonly recvCapacity: number | undefined;
  readonly number: number;
}

export interface LoopPlan {
  readonly total: number;
  readonly postList: number;
  readonly txDepth: number;
  readonly cqMod: number;
  readonly cqePoll: number;
  readonly step: number;
  readonly span: number;
}

interface VerbsMock extends NativeOperations {
  mockDevice(): DeviceBox;
  mockChannel(device: DeviceBox): ChannelBox;
  mockCq(device: DeviceBox, channel?: ChannelBox): CqBox;
  mockMr(device: DeviceBox, buffer: EngineBuffer, lkey: number): MrBox;
  mockMrAddress(mr: MrBox): bigint;
  mockAh(device: DeviceBox): AhBox;
  mockAhAddress(ah: AhBox): bigint;
  mockSrq(device: DeviceBox): SrqBox;
  mockQp(device: DeviceBox, options: MockQp): QpBox;
  mockBehave(device: DeviceBox, behaviour: Behaviour): void;
  mockSent(device: DeviceBox): Sent[];
  mockReceived(device: DeviceBox): Posted[];
  mockCounts(device: DeviceBox): MockCounts;
  mockDeliver(qp: QpBox, count: number, status: number): void;
  mockDestroy(kind: string, object: unknown): void;
  mockFast(wrApi: boolean): { readonly qp: QpBox; readonly cq: CqBox };
  mockFastPosted(qp: QpBox): number;
  mockFastLoop(qp: QpBox, plan: LoopPlan): number;
}

/** Loads the addon. Throws `LoadError` where it isn't built. */
export function verbsMock(): VerbsMock {
  return loadAddonFile(testAddon('verbs_mock')) as VerbsMock;
}

class Destroyable<Box> extends Closable<Box> {
  constructor(
    box: Box,
    readonly kind: string,
  ) {
    super(box, kind, 'destroyed');
  }
  destroy(): void {
    this.closeBy((box) => {
      verbsMock().mockDestroy(this.kind, box);
    });
  }
}

class MockChannel extends Destroyable<ChannelBox> implements CompChannel {}

export class MockCq extends Destroyable<CqBox> implements Cq {
  readonly entries = 1000;
  constructor(
    box: CqBox,
    readonly channel: CompChannel | null,
  ) {
    super(box, 'cq');
  }
}

class MockSrq extends Destroyable<SrqBox> implements Srq {
  readonly number = 0;
}

class MockAh extends Destroyable<AhBox> implements AddressHandle {
  get address(): bigint {
    return verbsMock().mockAhAddress(this.box);
  }
}

class MockMr extends Destroyable<MrBox> implements MemoryRegion {
  readonly address: bigint;
  readonly rkey = 0;
  constructor(
    box: MrBox,
    readonly buffer: EngineBuffer,
    readonly lkey: number,
  ) {
    super(box, 'mr');
    this.address = verbsMock().mockMrAddress(box);
  }
  dereg(): void {
    this.destroy();
  }
}

const refused = (): never => {
  throw new Error('the fake device connects nothing');
};

export class MockQueuePair extends Destroyable<QpBox> implements QueuePair {
  readonly prepare = refused;
  readonly connect = refused;
  readonly state = refused;
  readonly fail = refused;
  constructor(
    box: QpBox,
    readonly type: QpType,
    readonly number: number,
    readonly maxInline: number,
    readonly wrApi: boolean,
    readonly sendCq: Cq,
    readonly recvCq: Cq,
    readonly srq: Srq | null,
  ) {
    super(box, 'qp');
  }
}

export interface QpSettings {
  readonly type?: QpType;
  readonly maxInline?: number;
  readonly wrApi?: boolean;
  readonly sendCq?: MockCq;
  readonly recvCq?: MockCq;
  readonly srq?: MockSrq;
  /** Work requests that the queues hold. */
  readonly capacity?: number;
  readonly recvCapacity?: number;
}

/** A fake device with a completion queue for sends and one for receives. */
export class MockDevice {
  readonly box = verbsMock().mockDevice();
  readonly channel: MockChannel | null;
  readonly sendCq: MockCq;
  readonly recvCq: MockCq;
  #qps = 0;
  #mrs = 0;

  constructor({ events = false }: { readonly events?: boolean } = {}) {
    this.channel = events ? new MockChannel(verbsMock().mockChannel(this.box), 'channel') : null;
    this.sendCq = this.cq();
    this.recvCq = this.cq();
  }
  cq(): MockCq {
    return new MockCq(verbsMock().mockCq(this.box, this.channel?.box), this.channel);
  }
  qp(settings: QpSettings = {}): MockQueuePair {
    const { type = 'RC', maxInline = 0, wrApi = false, srq, capacity, recvCapacity } = settings;
    const { sendCq = this.sendCq, recvCq = this.recvCq } = settings;
    const number = 100 + this.#qps++;
    const queues = { sendCq: sendCq.box, recvCq: recvCq.box, srq: srq?.box };
    const box = verbsMock().mockQp(this.box, { type, ...queues, wrApi, capacity, recvCapacity, number });
    return new MockQueuePair(box, type, number, maxInline, wrApi, sendCq, recvCq, srq ?? null);
  }
  srq(): MockSrq {
    return new MockSrq(verbsMock().mockSrq(this.box), 'srq');
  }
  ah(): MockAh {
    return new MockAh(verbsMock().mockAh(this.box), 'ah');
  }
  mr(byteLength = 8192): MockMr {
    const buffer = EngineBuffer.allocate(byteLength);
    const lkey = 7000 + this.#mrs++;
    return new MockMr(verbsMock().mockMr(this.box, buffer, lkey), buffer, lkey);
  }
  behave(behaviour: Behaviour): void {
    verbsMock().mockBehave(this.box, behaviour);
  }
  deliver(qp: MockQueuePair, count: number, status = 0): void {
    verbsMock().mockDeliver(qp.box, count, status);
  }
  get sent(): Sent[] {
    return verbsMock().mockSent(this.box);
  }
  get received(): Posted[] {
    return verbsMock().mockReceived(this.box);
  }
  get counts(): MockCounts {
    return verbsMock().mockCounts(this.box);
  }
}

export const bind = makeBind(verbsMock, { qp: MockQueuePair, cq: MockCq, mr: MockMr, ah: MockAh, srq: MockSrq });

/** A queue pair that does next to nothing, for timing. */
export function fastQp(wrApi: boolean): MockQueuePair {
  const { qp, cq } = verbsMock().mockFast(wrApi);
  const sendCq = new MockCq(cq, null);
  return new MockQueuePair(qp, 'RC', 0, 0, wrApi, sendCq, sendCq, null);
}
