/** How many bytes go inline where `-I` says nothing: perftest's defaults, which depend on the maker of the device. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { DeviceAttributes } from '../../verbs/types.js';

/** By vendor, as PCI and IEEE number them: what a device of theirs takes at most. */
const MOST_BY_VENDOR: ReadonlyMap<number, number> = new Map([
  [0x02c9, Infinity], // Mellanox
  [0x15b3, Infinity],
  [0x14e4, 96], // Broadcom
  [0x19e5, 32], // HiSilicon
  [0x1425, 64], // Chelsio
]);

const DC_BYTES = 150;
const WRITE_BYTES = 220;
const SEND_BYTES = 236;
const UD_BYTES = 188;

function byTest({ verb, kind, connection }: Pick<PerftestOptions, 'verb' | 'kind' | 'connection'>): number {
  if (kind === 'bw' || verb === 'read' || verb === 'atomic') return 0;
  if (connection === 'DC') return DC_BYTES;
  if (verb === 'write') return WRITE_BYTES;
  return connection === 'UD' ? UD_BYTES : SEND_BYTES;
}

/** Bytes to ask for: 0 for makers that aren't known, such as software devices. */
export function defaultInline(
  options: Pick<PerftestOptions, 'verb' | 'kind' | 'connection'>,
  { vendorId }: Pick<DeviceAttributes, 'vendorId'>,
): number {
  return Math.min(byTest(options), MOST_BY_VENDOR.get(vendorId) ?? 0);
}

/** Whether perftest has a word on the maker's devices. */
export function isKnownMaker({ vendorId }: Pick<DeviceAttributes, 'vendorId'>): boolean {
  return MOST_BY_VENDOR.has(vendorId);
}
