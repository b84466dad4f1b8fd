/** Devices and how they are opened. */
import { readdirSync } from 'node:fs';
import { wholeNumber } from '../engine/arguments.js';
import { EngineBuffer } from '../engine/buffer.js';
import { IbvContext } from './context.js';
import { verbsNative } from './native.js';
import type { DeviceInfo, Verbs } from './types.js';

const DEVICES = '/sys/class/infiniband';

/** There is no RDMA device here, or none of the name asked for. */
export class NoRdmaDevice extends Error {
  override name = 'NoRdmaDevice';
}

function kernelDevices(): string[] {
  try {
    return readdirSync(DEVICES);
  } catch {
    return [];
  }
}

/** Why there is none, in one sentence; `known` are the kernel's. */
export function noDeviceText(known: readonly string[] = kernelDevices()): string {
  if (known.length === 0) {
    return `no RDMA device: ${DEVICES} is empty; scripts/softroce gives one without hardware`;
  }
  const mend = 'load the module ib_uverbs and install the drivers of libibverbs (on Debian: ibverbs-providers)';
  return `no RDMA device that libibverbs can use: ${DEVICES} has ${known.join(', ')}; ${mend}`;
}

function choose(devices: readonly DeviceInfo[], name: string | undefined): DeviceInfo {
  if (name !== undefined && typeof name !== 'string') throw new TypeError("the device's name must be a string");
  const [first] = devices;
  if (first === undefined) throw new NoRdmaDevice(noDeviceText());
  if (name === undefined) return first;
  const found = devices.find((device) => device.name === name);
  if (found) return found;
  const names = devices.map((device) => device.name).join(', ');
  throw new NoRdmaDevice(`there is no RDMA device ${name}: there ${devices.length === 1 ? 'is' : 'are'} ${names}`);
}

/** The first device, or the one named. Throws NoRdmaDevice where it isn't there. */
export function openDevice(name?: string): IbvContext {
  return new IbvContext(verbsNative().verbsOpen(choose(verbsNative().verbsDevices(), name).name));
}

function hugeBuffer(byteLength: number): EngineBuffer {
  wholeNumber(byteLength, 'byteLength', 1);
  return EngineBuffer.adopt({
    byteLength,
    bind: (object) => {
      verbsNative().verbsHugeAllocate(object, byteLength);
    },
    release: (object, views) => {
      verbsNative().verbsHugeFree(object, views);
    },
  });
}

const library: Verbs = { devices: () => verbsNative().verbsDevices(), open: openDevice, hugeBuffer };

/** Verbs. Throws `LoadError` where libibverbs or librdmacm are missing. */
export function verbs(): Verbs {
  verbsNative();
  return library;
}
