/** verbs.node, as csrc/verbs/module.cc has it. Arguments are not checked there. */
import { loadAddon } from '../engine/load.js';
import type { NativeConnect, NativePath, NativePrepare, NativeQp } from './native-types.js';
import type {
  AhBox,
  ChannelBox,
  ContextBox,
  CqBox,
  MrBox,
  PdBox,
  QpBox,
  SrqBox,
  XrcdBox,
  NativeMr,
  NativeQpInfo,
} from './native-types.js';
import type { DeviceAttributes, DeviceInfo, GidEntry, PortAttributes } from './types.js';

/** What csrc/verbs/{devices,memory,queues,queue_pairs}.cc export. Operations and rdma_cm have interfaces of their own. */
export interface NativeVerbsObjects {
  verbsDevices(): DeviceInfo[];
  /** Throws an Error where there is none of that name. */
  verbsOpen(name: string): ContextBox;
  verbsClose(context: ContextBox): void;
  verbsDevice(context: ContextBox): DeviceInfo;
  verbsAttributes(context: ContextBox): DeviceAttributes;
  verbsPort(context: ContextBox, port: number): PortAttributes;
  verbsGids(context: ContextBox, port: number): GidEntry[];
  verbsAsyncEvents(context: ContextBox): string[];

  verbsAllocPd(context: ContextBox): PdBox;
  verbsDeallocPd(pd: PdBox): void;
  /** `access` is a mask of ibv_access_flags. */
  verbsRegMr(pd: PdBox, buffer: object, access: number): MrBox;
  verbsMrInfo(mr: MrBox): NativeMr;
  verbsDeregMr(mr: MrBox): void;
  verbsCreateAh(pd: PdBox, path: NativePath): AhBox;
  verbsDestroyAh(ah: AhBox): void;
  /** Makes `object` an engine buffer over huge pages. */
  verbsHugeAllocate(object: object, byteLength: number): void;
  verbsHugeFree(object: object, views: readonly ArrayBuffer[]): void;

  verbsCreateChannel(context: ContextBox): ChannelBox;
  verbsDestroyChannel(channel: ChannelBox): void;
  verbsCreateCq(context: ContextBox, entries: number, channel: ChannelBox | undefined, vector: number): CqBox;
  verbsCqEntries(cq: CqBox): number;
  verbsDestroyCq(cq: CqBox): void;
  verbsOpenXrcd(context: ContextBox): XrcdBox;
  verbsCloseXrcd(xrcd: XrcdBox): void;
  verbsCreateSrq(pd: PdBox, maxWr: number, xrcd: XrcdBox | undefined, cq: CqBox | undefined): SrqBox;
  verbsSrqNumber(srq: SrqBox): number;
  verbsDestroySrq(srq: SrqBox): void;

  verbsCreateQp(pd: PdBox, options: NativeQp): QpBox;
  verbsQpInfo(qp: QpBox): NativeQpInfo;
  verbsPrepareQp(qp: QpBox, options: NativePrepare): void;
  verbsConnectQp(qp: QpBox, options: NativeConnect): void;
  verbsQpState(qp: QpBox): string;
  verbsFailQp(qp: QpBox): void;
  verbsDestroyQp(qp: QpBox): void;
}

/** verbs.node's objects. Throws `LoadError` where it wasn't built, or libibverbs or librdmacm are missing. */
export function verbsNative(): NativeVerbsObjects {
  return loadAddon('verbs') as NativeVerbsObjects;
}
