/** Where the memory of this process is taken from. */
import { formatCpuList } from '../engine/affinity.js';
import { bindMemory, memoryPolicy } from '../engine/memory-policy.js';
import { readList } from './sysfs.js';
import { BindingRefusal, type MemorySpec } from './types.js';

const NODES = '/sys/devices/system/node';

/** NUMA nodes of these hardware threads. */
function nodesOf(cpus: readonly number[], nodes: readonly number[]): number[] {
  return nodes.filter((node) => readList(`${NODES}/node${node}/cpulist`)?.some((cpu) => cpus.includes(cpu)) ?? false);
}

function nodeFor(spec: MemorySpec, cpus: readonly number[]): number {
  const online = readList(`${NODES}/online`);
  if (!online) throw new BindingRefusal('this kernel has no NUMA nodes: leave it out');
  if (spec.kind === 'node') {
    if (online.includes(spec.node)) return spec.node;
    throw new BindingRefusal(`NUMA node ${spec.node} does not exist: this machine has ${formatCpuList(online)}`);
  }
  const [node, ...more] = nodesOf(cpus, online);
  if (node !== undefined && more.length === 0) return node;
  const found = node === undefined ? 'on none' : `on any of ${formatCpuList([node, ...more])}`;
  throw new BindingRefusal(
    `a rank must be on one NUMA node, and this may run ${found}: add --bind, or name a node`,
    'this rank',
  );
}

/**
 * Has all memory that is taken from now on come from one NUMA node and no other.
 *
 * @param cpus hardware threads that the process may run on
 * @throws BindingRefusal where there is no such node, RangeError where the kernel refuses it
 */
export function applyMembind(spec: MemorySpec, cpus: readonly number[]): void {
  bindMemory([nodeFor(spec, cpus)]);
}

/** The policy in force, as records have it: `first touch`, `bind:1`; null where the kernel doesn't tell. */
export function memoryText(): string | null {
  const policy = memoryPolicy();
  if (policy === null) return null;
  // Both mean the node of the processor that touches a page first.
  if (policy.mode === 'default' || policy.mode === 'local') return 'first touch';
  return `${policy.mode}:${formatCpuList(policy.nodes)}`;
}
