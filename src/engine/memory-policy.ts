/** From which NUMA nodes the memory of this process is taken. */
import { constants } from 'node:os';
import { wholeNumber } from './arguments.js';
import { engine } from './native.js';

const MODES = ['default', 'preferred', 'bind', 'interleave', 'local', 'preferred-many', 'weighted-interleave'] as const;

export interface MemoryPolicy {
  /** As the kernel calls it; `unknown` for one that is newer than this. */
  readonly mode: (typeof MODES)[number] | 'unknown';
  readonly nodes: readonly number[];
}

/** What the kernel's refusals mean; others are told by their number. */
const REASONS: Readonly<Record<number, string>> = {
  [constants.errno.ENOSYS]: 'this kernel has no memory policies: leave it out',
  [constants.errno.EPERM]: 'this container forbids memory policies: start it with CAP_SYS_NICE, or leave it out',
};

/**
 * Takes all memory from these nodes and no others, for this thread and those that it starts later; without a node as the
 * kernel does by default. Memory that is there already stays where it is. Throws RangeError where the kernel refuses it.
 */
export function bindMemory(nodes: readonly number[]): void {
  const wanted = nodes.map((node) => wholeNumber(node, 'a NUMA node'));
  const code = engine().setMemoryPolicy(wanted);
  if (code === 0) return;
  if (code === constants.errno.EINVAL)
    throw new RangeError(`memory of NUMA node ${wanted.join(', ')} is not for this process: its cpuset forbids it`);
  throw new RangeError(REASONS[code] ?? `the kernel refuses it (set_mempolicy: errno ${code})`);
}

/** The policy of this thread; null where the kernel doesn't tell. */
export function memoryPolicy(): MemoryPolicy | null {
  const [mode, ...nodes] = engine().memoryPolicy();
  return mode === undefined ? null : { mode: MODES[mode] ?? 'unknown', nodes };
}
