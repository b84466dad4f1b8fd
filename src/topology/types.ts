/** What hwloc knows of a machine, as plain data: the native part reads it once, everything else is arithmetic on it. */

/** A hardware thread (PU): `os` is the number that the kernel and `taskset` use. */
export interface HardwareThread {
  readonly os: number;
  /** hwloc's logical index. */
  readonly logical: number;
  /** Logical index of its core. */
  readonly core: number;
  /** OS index of its NUMA node; null where the topology has none. */
  readonly numaNode: number | null;
  /** Logical index of its package; null where the topology has none. */
  readonly package: number | null;
  /** Whether this process may run on it (online, and allowed by the cgroup). */
  readonly allowed: boolean;
}

export interface Core {
  readonly logical: number;
  /** hwloc's OS index; null where the kernel gives none. */
  readonly os: number | null;
  /** OS numbers of its hardware threads, in logical order. */
  readonly threads: readonly number[];
  /** Index in the topology's `kinds`; null where all cores are alike. */
  readonly kind: number | null;
}

/** A processor with its socket. */
export interface PackageObject {
  readonly logical: number;
  readonly os: number;
  /** OS numbers of its hardware threads. */
  readonly cpus: readonly number[];
  /** As the processor calls itself; null where unknown. */
  readonly model: string | null;
}

export interface NumaNodeObject {
  readonly os: number;
  readonly logical: number;
  /** OS numbers of its hardware threads. */
  readonly cpus: readonly number[];
  /** Bytes; null where unknown. */
  readonly memory: number | null;
}

export interface CacheObject {
  readonly level: number;
  readonly kind: 'unified' | 'data' | 'instruction';
  /** Bytes. */
  readonly size: number;
  readonly cpus: readonly number[];
}

/** A PCI device or bridge above an OS device. */
export interface PciStep {
  readonly kind: 'host-bridge' | 'bridge' | 'device';
  /** `0000:03:00.0`; of a host bridge the domain and buses that it reaches. */
  readonly address: string;
}

export interface OsDevice {
  /** `mlx5_0`, `ib0`, `eth0`, `cuda0`, `sda`; of a GPU for which the system has no name its PCI address. */
  readonly name: string;
  /** hwloc's kind. */
  readonly kind: 'openfabrics' | 'network' | 'gpu' | 'coprocessor' | 'block' | 'dma' | 'other';
  /** As hwloc says, e.g. `CUDA`, `NVML`, `Disk`. */
  readonly subtype: string | null;
  /** Hardware threads near it; null where hwloc can't tell (it hangs below the whole machine of several NUMA nodes). */
  readonly near: readonly number[] | null;
  /** OS index of its NUMA node; null where it is near several or none is known. */
  readonly numaNode: number | null;
  readonly package: number | null;
  /** From the host bridge to the PCI device itself; empty of devices without PCI, such as `lo` and `rxe0`. */
  readonly path: readonly PciStep[];
  /** Numbers of the PCI ids; null of devices without PCI. */
  readonly pci: { readonly class: number; readonly vendor: number } | null;
  /** Of the PCI link, GB/s; null where unknown. */
  readonly linkSpeed: number | null;
  /** What hwloc knows of it and of its PCI device, e.g. `Port1State`, `PCIVendor`. */
  readonly info: Readonly<Record<string, string>>;
}

/** A kind of cores of a machine that has several, as hwloc found it. */
export interface CpuKind {
  readonly cpus: readonly number[];
  /** hwloc's rank, from 0 (the most frugal); null where it can't rank them. */
  readonly efficiency: number | null;
  /** E.g. `CoreType`, `FrequencyMaxMHz`. */
  readonly info: Readonly<Record<string, string>>;
}

/** A matrix of distances between NUMA nodes, as the machine (ACPI SLIT) says. */
export interface NumaDistances {
  /** OS indices of the nodes, in the order of rows and columns. */
  readonly nodes: readonly number[];
  /** values[from][to]. */
  readonly values: readonly (readonly number[])[];
}

export interface Topology {
  /** Where it comes from. */
  readonly source: { readonly kind: 'machine' | 'xml' | 'synthetic'; readonly name: string };
  /** Whether it is of this machine, so that its numbers may be bound to. Of a file only HWLOC_THISSYSTEM=1 says so. */
  readonly thisSystem: boolean;
  /** Version of hwloc. */
  readonly hwloc: string;
  readonly hostname: string | null;
  /** In logical order. */
  readonly threads: readonly HardwareThread[];
  readonly cores: readonly Core[];
  readonly packages: readonly PackageObject[];
  readonly numaNodes: readonly NumaNodeObject[];
  readonly caches: readonly CacheObject[];
  readonly devices: readonly OsDevice[];
  readonly distances: NumaDistances | null;
  /** Empty where all cores are alike. */
  readonly kinds: readonly CpuKind[];
  /** OS numbers of hardware threads that there are and that are switched off; `threads` has none of them. */
  readonly offline: readonly number[];
}

/** What to read; the machine by default, or what HWLOC_XMLFILE or HWLOC_SYNTHETIC name. */
export interface TopologyRequest {
  /** An XML file of lstopo's. */
  readonly xml?: string;
  /** hwloc's synthetic description, e.g. `package:2 numa:1 core:4 pu:2`. */
  readonly synthetic?: string;
  /**
   * Which devices to look for: all of them, by default; all but what GPUs' own libraries tell, and without names of PCI
   * devices, which is faster; or none, which is the fastest.
   */
  readonly devices?: 'all' | 'no-gpus' | 'none';
}
