/** What PCI ids say of a device. */
import type { OsDevice } from './types.js';

/** 3D and other display controllers, and processing accelerators. */
const COMPUTES: ReadonlySet<number> = new Set([0x0302, 0x0380, 0x1200]);
const VGA = 0x0300;
/** Whose VGA controllers may be GPUs: NVIDIA, AMD, Intel. Those of other vendors show a server's console. */
const GPU_VENDORS: ReadonlySet<number> = new Set([0x10de, 0x1002, 0x8086]);
/** GB/s: no GPU has a slower link, and what shows a console has one of 0.2 or so. */
const GPU_LINK = 1;

/** Whether a PCI device is a GPU or another accelerator, by its class, vendor and link. */
export function isGpuDevice({ pci, linkSpeed }: Pick<OsDevice, 'pci' | 'linkSpeed'>): boolean {
  if (pci === null) return false;
  if (pci.class !== VGA) return COMPUTES.has(pci.class);
  return GPU_VENDORS.has(pci.vendor) && (linkSpeed ?? GPU_LINK) >= GPU_LINK;
}
