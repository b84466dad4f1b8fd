/** Completion channels and queues, shared receive queues, XRC domains. */
import { Closable } from '../engine/closable.js';
import type { IbvContext } from './context.js';
import { verbsNative } from './native.js';
import type { ChannelBox, CqBox, SrqBox, XrcdBox } from './native-types.js';
import type { CompChannel, Cq, Srq, Xrcd } from './types.js';

export class IbvChannel extends Closable<ChannelBox> implements CompChannel {
  constructor(
    readonly context: IbvContext,
    box: ChannelBox,
  ) {
    super(box, 'the completion channel', 'destroyed');
  }
  destroy(): void {
    this.closeBy((box) => {
      verbsNative().verbsDestroyChannel(box);
    });
  }
}

export class IbvCq extends Closable<CqBox> implements Cq {
  readonly entries: number;
  constructor(
    readonly context: IbvContext,
    box: CqBox,
    readonly channel: IbvChannel | null,
  ) {
    super(box, 'the completion queue', 'destroyed');
    this.entries = verbsNative().verbsCqEntries(box);
  }
  destroy(): void {
    this.closeBy((box) => {
      verbsNative().verbsDestroyCq(box);
    });
  }
}

export class IbvXrcd extends Closable<XrcdBox> implements Xrcd {
  constructor(
    readonly context: IbvContext,
    box: XrcdBox,
  ) {
    super(box, 'the XRC domain', 'closed');
  }
  close(): void {
    this.closeBy((box) => {
      verbsNative().verbsCloseXrcd(box);
    });
  }
}

export class IbvSrq extends Closable<SrqBox> implements Srq {
  readonly number: number;
  constructor(
    readonly context: IbvContext,
    box: SrqBox,
    readonly maxWr: number,
  ) {
    super(box, 'the shared receive queue', 'destroyed');
    this.number = verbsNative().verbsSrqNumber(box);
  }
  destroy(): void {
    this.closeBy((box) => {
      verbsNative().verbsDestroySrq(box);
    });
  }
}
