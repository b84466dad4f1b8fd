/** Ways to the other side. */
import { within } from './arguments.js';
import type { IbvContext } from './context.js';
import type { NativePath } from './native-types.js';
import type { AddressPath, PortAttributes } from './types.js';

const GID_BYTES = 16;
const MOST_16_BIT = 0xffff;
const MOST_FLOW_LABEL = 0xf_ffff;
/** As many routers as there may be. */
const HOPS = 255;

function checkedGid(gid: AddressPath['gid'], port: PortAttributes, device: string) {
  if (gid === undefined) {
    if (port.linkLayer !== 'Ethernet') return { gid: undefined, gidIndex: 0 };
    throw new RangeError(`port ${port.port} of ${device} is Ethernet: its paths need a GID`);
  }
  if (!(gid.gid instanceof Uint8Array) || gid.gid.byteLength !== GID_BYTES) {
    throw new TypeError(`a GID must be a Uint8Array of ${GID_BYTES} bytes`);
  }
  return { gid: gid.gid, gidIndex: within(gid.index, "the GID's index", 0, Math.min(port.gidTableLength, 256) - 1) };
}

/** Checks a path from one of the device's ports; throws RangeError or TypeError. */
export function nativePath(context: IbvContext, path: AddressPath): NativePath {
  const port = context.port(path.port);
  return {
    port: path.port,
    lid: within(path.lid, 'lid', 0, MOST_16_BIT),
    ...checkedGid(path.gid, port, context.what),
    sl: within(path.sl ?? 0, 'sl', 0, 15),
    trafficClass: within(path.trafficClass ?? 0, 'trafficClass', 0, 255),
    hopLimit: within(path.hopLimit ?? HOPS, 'hopLimit', 0, HOPS),
    flowLabel: within(path.flowLabel ?? 0, 'flowLabel', 0, MOST_FLOW_LABEL),
  };
}
