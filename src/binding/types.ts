/** Where ranks are to run and where their memory is to be: as asked for, and as it was done. */

/** `--bind`, parsed. Hardware threads have the kernel's numbers, as with `taskset`. */
export type BindSpec =
  /** What the launcher has set. */
  | { readonly kind: 'keep' }
  /** A hardware thread of each local rank: `0,1`, `core:80`. */
  | { readonly kind: 'list'; readonly threads: readonly number[] }
  /** Cores by their distance from a device. */
  | { readonly kind: 'near'; readonly device: string }
  /** Cores of the NUMA node farthest from a device, then of nearer ones. */
  | { readonly kind: 'far'; readonly device: string }
  /** Cores of a NUMA node, by its OS number. */
  | { readonly kind: 'numa'; readonly node: number }
  /** As far apart as possible. */
  | { readonly kind: 'spread' }
  /** Side by side. */
  | { readonly kind: 'compact' };

/** `--membind`, parsed: the NUMA node of the rank's cores, or this one. */
export type MemorySpec = { readonly kind: 'local' } | { readonly kind: 'node'; readonly node: number };

/** `--dry-run`: say what `--bind` would do and end. */
export interface DryRun {
  /** XML file or description of another machine; undefined = this one, or that which hwloc's variables name. */
  readonly topology: string | undefined;
  /** Ranks of a host where no launcher says it. */
  readonly ranks: number | undefined;
}

/** What every program takes about places. */
export interface BindingOptions {
  readonly bind: BindSpec;
  /** Whether ranks may share cores. */
  readonly overlap: boolean;
  /** Undefined = where it is touched first. */
  readonly membind: MemorySpec | undefined;
  readonly reportBinding: boolean;
  readonly dryRun: DryRun | undefined;
}

/** How a process came to its cores. */
export interface Bound {
  /** As it was asked for: `near:mlx5_0`, `0,1`, `keep`. */
  readonly asked: string;
  /** Who chose them; `inherited` where neither we nor a launcher did. */
  readonly by: 'fabricbench' | 'launcher' | 'inherited';
}

/** Why a process can't be where it is asked to be, in a sentence. */
export class BindingRefusal extends Error {
  override name = 'BindingRefusal';

  constructor(
    message: string,
    /** Who finds the same: one of them is enough to say it. */
    readonly seenBy: 'its host' | 'this rank' = 'its host',
  ) {
    super(message);
  }
}
