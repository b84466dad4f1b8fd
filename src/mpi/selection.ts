/** What MPI really selected: which component and which transports carry the traffic. */
import { mpiAddon } from './addon.js';
import type { NativeSelection } from './types.js';

export interface Selection {
  /** `openmpi` or `mpich`. */
  readonly family: string;
  /** The library's own version text, in one line. */
  readonly library: string;
  /** Of the MPI standard, e.g. `3.1`. */
  readonly version: string;
  /** MPICH's device and network module, e.g. `ch4:ucx`, `ch4:ofi`; undefined with others. */
  readonly device?: string;
  /** Open MPI's point-to-point component, e.g. `ucx`, `ob1`; null where MPI runs not or doesn't tell. */
  readonly pml: string | null;
  /** Open MPI's one-sided component, e.g. `rdma`, where windows had several all of them; null before the first window. */
  readonly osc: string | null;
  /**
   * What carries messages to other ranks. With UCX its lanes, e.g. `sysv/memory`, `cma/memory`, `rc_mlx5/mlx5_0:1`; with
   * ob1 the byte transfer layers, e.g. `vader`. Null where it is not known.
   */
  readonly transports: readonly string[] | null;
  /** Version of the UCX library in this process, whether it carries the traffic or not. */
  readonly ucx: string | null;
}

/** How many ranks there are, and how many of them run on this host; null where it is not known. */
export interface Placement {
  readonly size: number | null;
  readonly localSize: number | null;
}

/** Transports of one endpoint, as ucp_ep_print_info lists them: ` lane[0]:  3:sysv/memory.0 md[2] -> ...`. */
function lanes(description: string): string[] {
  return [...description.matchAll(/lane\[\d+\]:\s+\d+:(\S+)\.\d+\s/g)].map((match) => match[1] ?? '');
}

/** Lanes of all endpoints to other ranks. A rank's endpoint to itself has a lane of the transport `self`. */
export function ucxTransports(endpoints: readonly string[]): string[] | null {
  const all = endpoints.map(lanes).filter((names) => names.length > 0);
  const others = all.filter((names) => !names.some((name) => name.startsWith('self/')));
  const used = new Set((others.length > 0 ? others : all).flat());
  return used.size > 0 ? [...used].sort() : null;
}

const sharedMemory = ['vader', 'sm', 'smcuda'];

/**
 * Byte transfer layers that ob1 uses: for ranks on this host shared memory, which excludes all others where it is there;
 * for those on other hosts the layers of the network.
 */
export function ob1Transports(btls: readonly string[], { size, localSize }: Placement): string[] | null {
  if (btls.length === 0) return null;
  if (size === 1) return btls.filter((name) => name === 'self');
  const others = btls.filter((name) => name !== 'self');
  const local = others.filter((name) => sharedMemory.includes(name));
  if (local.length > 0 && size !== null && size === localSize) return local;
  if (localSize === 1) return others.filter((name) => !sharedMemory.includes(name));
  return others;
}

/** Which transports those facts mean. */
export function transportsOf(facts: NativeSelection, placement: Placement): string[] | null {
  if (facts.pml === 'ob1') return ob1Transports(facts.btls, placement);
  if (facts.pml === 'ucx' || facts.pml === null) return ucxTransports(facts.endpoints);
  return null;
}

/** The library's text in one line, without the page on how MPICH was configured. */
export function libraryName(text: string): string {
  return text
    .replace(/\s*MPICH configure:[^]*/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Device and network module in MPICH's text. Intel's MPI, which is MPICH's kin, names none. */
export function deviceOf(text: string): string | undefined {
  return /^MPICH Device:\s+(\S+)/m.exec(text)?.[1];
}

/**
 * What MPI selected in this process. Ask after the first message between ranks: before it, endpoints to them may be
 * missing.
 */
export function selection(placement: Placement = { size: null, localSize: null }): Selection {
  const addon = mpiAddon();
  const facts = addon.nativeSelection();
  const { version, subversion } = addon.Get_version();
  const text = addon.Get_library_version();
  const device = deviceOf(text);
  return {
    family: addon.family,
    library: libraryName(text),
    ...(device === undefined ? {} : { device }),
    version: `${version}.${subversion}`,
    pml: facts.pml,
    osc: facts.osc.length > 0 ? facts.osc.join(', ') : null,
    transports: transportsOf(facts, placement),
    ucx: facts.ucx,
  };
}
