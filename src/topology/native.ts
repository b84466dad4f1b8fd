/** What topology.node exports, as csrc/topology/module.cc has it. */
import { loadAddon } from '../engine/load.js';

/** Any object of hwloc's: see `Object` in csrc/topology/read.hpp. What a type does not have is '' or -1. */
export interface RawObject {
  readonly type: 'machine' | 'package' | 'numa' | 'cache' | 'core' | 'pu' | 'bridge' | 'pci' | 'os' | 'other';
  /** Its place in the list, which is before this one; -1 of the root. */
  readonly parent: number;
  readonly logical: number;
  readonly os: number;
  /** In the kernel's notation. */
  readonly cpus: string;
  readonly size: number;
  readonly level: number;
  readonly kind: string;
  readonly address: string;
  readonly speed: number;
  readonly pciClass: number;
  readonly vendor: number;
  readonly name: string;
  readonly subtype: string;
  readonly infos: Readonly<Record<string, string>>;
}

export interface RawTopology {
  readonly objects: readonly RawObject[];
  readonly allowed: string;
  readonly offline: string;
  readonly thisSystem: boolean;
  readonly latencies: { readonly nodes: readonly number[]; readonly values: readonly number[] } | null;
  readonly kinds: readonly {
    readonly cpus: string;
    readonly efficiency: number;
    readonly infos: Readonly<Record<string, string>>;
  }[];
}

export interface ReadFailure {
  /** `source`: the file or description is malformed. */
  readonly step: 'library' | 'fork' | 'source' | 'load';
  /** errno, and its text. */
  readonly code: number;
  readonly text: string;
}

export interface NativeTopology {
  /** Contents of an XML file or a synthetic description, or neither: then the machine. */
  read(xml: string | null, synthetic: string | null, devices: string): RawTopology | ReadFailure;
  /** Of hwloc, at build. */
  readonly version: string;
}

/** topology.node. Throws `LoadError` where it wasn't built or hwloc is missing. */
export function hwloc(): NativeTopology {
  return loadAddon('topology') as NativeTopology;
}
