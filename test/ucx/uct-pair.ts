/** Two interfaces of one process that talk to each other. */
import { releaseOperation } from '../../src/engine/index.js';
import type { Operation } from '../../src/engine/types.js';
import { uct } from '../../src/ucx/index.js';
import type { Memory, UctEp, UctIface, UctResource } from '../../src/ucx/index.js';

export interface Side {
  readonly iface: UctIface;
  readonly endpoint: UctEp;
}

export interface Pair {
  readonly here: Side;
  readonly there: Side;
  /** Makes progress on both sides until something holds. Throws after ten seconds. */
  until(holds: () => boolean): void;
  /** Runs operations once, in order, and releases them. */
  run(...operations: Operation[]): void;
  close(): void;
}

/** The resource of a transport, on the loopback device where it has several; undefined where this host has none. */
export function resourceOf(transport: string): UctResource | undefined {
  const found = uct()
    .resources()
    .filter((resource) => resource.transport === transport);
  return found.find(({ device }) => device === 'lo') ?? found[0];
}

function connect(iface: UctIface, other: UctIface): [UctEp, UctEp] {
  if (!iface.attributes.flags.includes('CONNECT_TO_EP')) {
    return [
      iface.connect(other.deviceAddress(), other.ifaceAddress()),
      other.connect(iface.deviceAddress(), iface.ifaceAddress()),
    ];
  }
  const endpoints: [UctEp, UctEp] = [iface.epCreate(), other.epCreate()];
  endpoints[0].connectToEp(other.deviceAddress(), endpoints[1].address());
  endpoints[1].connectToEp(iface.deviceAddress(), endpoints[0].address());
  return endpoints;
}

/** Opens a pair; both sides are one interface with `self`, which reaches nobody else. */
export function openPair(resource: UctResource): Pair {
  const iface = uct().open(resource);
  const other = resource.transport === 'self' ? iface : uct().open(resource);
  const [endpoint, otherEndpoint] = connect(iface, other);
  const sides = [endpoint, otherEndpoint];
  return {
    here: { iface, endpoint },
    there: { iface: other, endpoint: otherEndpoint },
    until: (holds) => {
      const end = Date.now() + 10_000;
      while (!holds()) {
        if (Date.now() > end) throw new Error('nothing came within ten seconds');
        iface.progress();
        other.progress();
      }
    },
    run: (...operations) => {
      for (const operation of operations) operation();
      operations.forEach(releaseOperation);
    },
    close: () => {
      for (const each of sides) each.destroy();
      iface.close();
      other.close();
    },
  };
}

/** Fills memory with bytes that depend on their place and on a seed. */
export function fillBytes(memory: Memory | Uint8Array, seed: number): Uint8Array {
  const bytes = memory instanceof Uint8Array ? memory : memory.buffer?.view();
  if (bytes === undefined) throw new Error('this memory has no buffer');
  for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 31 + (i >> 8) * 17 + seed) & 255;
  return bytes;
}
