/** Values that src/verbs and csrc/verbs hand to each other. */
import type { Mtu, QpType } from './types.js';

declare const boxed: unique symbol;
/** A native object (csrc/verbs/objects.hpp), alive as long as this value or an operation that uses it. */
export interface VerbsBox<Kind extends string> {
  readonly [boxed]: Kind;
}

export type ContextBox = VerbsBox<'context'>;
export type PdBox = VerbsBox<'pd'>;
export type MrBox = VerbsBox<'mr'>;
export type AhBox = VerbsBox<'ah'>;
export type ChannelBox = VerbsBox<'channel'>;
export type CqBox = VerbsBox<'cq'>;
export type XrcdBox = VerbsBox<'xrcd'>;
export type SrqBox = VerbsBox<'srq'>;
export type QpBox = VerbsBox<'qp'>;

export interface NativeMr {
  readonly address: bigint;
  readonly lkey: number;
  readonly rkey: number;
}

/** Fields that are undefined aren't there natively. */
export interface NativePath {
  readonly port: number;
  readonly lid: number;
  readonly gid: Uint8Array | undefined;
  readonly gidIndex: number;
  readonly sl: number;
  readonly trafficClass: number;
  readonly hopLimit: number;
  readonly flowLabel: number;
}

/** What csrc/verbs/queue_pairs.cc makes a queue pair of: `make_qp`. */
export interface NativeQp {
  readonly type: QpType;
  readonly sendCq: CqBox;
  readonly recvCq: CqBox;
  readonly srq: SrqBox | undefined;
  readonly xrcd: XrcdBox | undefined;
  readonly maxSendWr: number;
  readonly maxRecvWr: number;
  readonly maxInline: number;
  /** Whether less is taken where the device refuses that much. */
  readonly inlineIfPossible: boolean;
  /** Undefined: where the device has them. */
  readonly wrApi: boolean | undefined;
}

export interface NativeQpInfo {
  readonly number: number;
  readonly maxInline: number;
  readonly wrApi: boolean;
}

export interface NativePrepare {
  readonly port: number;
  readonly pkeyIndex: number;
  readonly qkey: number;
}

export interface NativeConnect {
  readonly path: NativePath;
  readonly mtu: Mtu;
  readonly destQpn: number;
  readonly rqPsn: number;
  readonly sqPsn: number;
  readonly maxDestRdAtomic: number;
  readonly maxRdAtomic: number;
  readonly timeout: number;
  readonly retryCount: number;
  readonly rnrRetry: number;
  readonly minRnrTimer: number;
}
