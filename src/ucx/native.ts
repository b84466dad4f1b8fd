/** ucx.node, as csrc/ucx/module.cc has it. */
import { loadAddon } from '../engine/load.js';
import type { NativeUcp } from './ucp-native.js';
import type { NativeUct } from './uct-native.js';

export interface NativeUcx extends NativeUcp, NativeUct {
  /** Of the library in use, e.g. `1.13.1`. */
  readonly version: string;
}

/** ucx.node. Throws `LoadError` where it wasn't built or UCX is missing. */
export function ucx(): NativeUcx {
  return loadAddon('ucx') as NativeUcx;
}

/** Version of the UCX in use, e.g. `1.13.1`. Throws `LoadError` where it can't be loaded. */
export function ucxVersion(): string {
  return ucx().version;
}
