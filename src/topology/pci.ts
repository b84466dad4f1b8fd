/** What PCI ids say of a device. */
import type { OsDevice } from './types.js';

/** 3D and other display controllers, and processing accelerators. */
const COMPUTES: ReadonlySet<number> = new Set([0x0302, 0x0380, 0x1200]);
const VGA = 0x0300;
/** Whose VGA controllers compute; those of servers' management, such as ASPEED's, only show a console. */
const GPU_VENDORS: ReadonlySet<number> = new Set([0x10de, 0x1002, 0x8086]);

/** Whether a PCI device is a GPU or another accelerator, by its class and vendor. */
export function isGpuClass(pci: NonNullable<OsDevice['pci']>): boolean {
  return COMPUTES.has(pci.class) || (pci.class === VGA && GPU_VENDORS.has(pci.vendor));
}
