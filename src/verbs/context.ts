/** An opened device. */
import { Closable } from '../engine/closable.js';
import { instanceOf, sameContext, VerbsUnsupported, within } from './arguments.js';
import { verbsNative } from './native.js';
import type { ContextBox } from './native-types.js';
import { IbvPd } from './pd.js';
import { IbvChannel, IbvCq, IbvXrcd } from './queues.js';
import type { DeviceAttributes, DeviceInfo, GidEntry, PortAttributes, VerbsContext } from './types.js';

type CqOptions = Parameters<VerbsContext['createCq']>[0];

export class IbvContext extends Closable<ContextBox> implements VerbsContext {
  readonly device: DeviceInfo;
  readonly attributes: DeviceAttributes;

  /** `box` may be of librdmacm's own context. */
  constructor(box: ContextBox) {
    const device = verbsNative().verbsDevice(box);
    super(box, device.name, 'closed');
    this.device = device;
    this.attributes = verbsNative().verbsAttributes(box);
  }

  port(port: number): PortAttributes {
    return verbsNative().verbsPort(this.box, this.#knownPort(port));
  }

  gids(port: number): readonly GidEntry[] {
    return verbsNative().verbsGids(this.box, this.#knownPort(port));
  }

  allocPd(): IbvPd {
    return new IbvPd(this, verbsNative().verbsAllocPd(this.box));
  }

  createCompChannel(): IbvChannel {
    return new IbvChannel(this, verbsNative().verbsCreateChannel(this.box));
  }

  createCq({ entries, channel, vector = 0 }: CqOptions): IbvCq {
    within(entries, 'entries', 1, this.attributes.maxCqe);
    within(vector, 'vector', 0, this.attributes.completionVectors - 1);
    const events = channel === undefined ? undefined : instanceOf(channel, IbvChannel, 'channel');
    if (events !== undefined) sameContext(events, this, 'channel');
    return new IbvCq(this, verbsNative().verbsCreateCq(this.box, entries, events?.box, vector), events ?? null);
  }

  openXrcd(): IbvXrcd {
    const { box } = this;
    if (!this.attributes.xrc) throw new VerbsUnsupported(`${this.what} has no XRC`);
    return new IbvXrcd(this, verbsNative().verbsOpenXrcd(box));
  }

  asyncEvents(): readonly string[] {
    return verbsNative().verbsAsyncEvents(this.box);
  }

  close(): void {
    this.closeBy((box) => {
      verbsNative().verbsClose(box);
    });
  }

  #knownPort(port: number): number {
    const { ports } = this.attributes;
    if (Number.isInteger(port) && port >= 1 && port <= ports) return port;
    const has = ports === 1 ? 'it has port 1 only' : `its ports are 1 to ${ports}`;
    throw new RangeError(`${this.what} has no port ${String(port)}: ${has}`);
  }
}
