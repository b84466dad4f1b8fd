/** UCT for JavaScript: see uct-types.ts. */
import { ucx } from './native.js';
import { bind } from './uct-bind.js';
import { Iface } from './uct-objects.js';
import type { Uct, UctBind, UctOpenOptions, UctResource } from './uct-types.js';

/** In the order in which csrc/ucx/uct_resources.cc takes them. */
const asyncModes = ['thread_spinlock', 'thread_mutex', 'signal', 'poll'];

function open(resource: UctResource, { asyncMode = 'thread_spinlock', config = {} }: UctOpenOptions = {}): Iface {
  const names = [resource.component, resource.md, resource.transport, resource.device] as const;
  if (names.some((name) => typeof name !== 'string')) {
    throw new TypeError(
      'a resource needs the names of its component, md, transport and device: take one of resources()',
    );
  }
  const mode = asyncModes.indexOf(asyncMode);
  if (mode < 0) throw new TypeError(`asyncMode must be one of ${asyncModes.join(', ')}, not ${asyncMode}`);
  const settings = Object.entries(config).map(([name, value]) => [name, String(value)] as const);
  return new Iface(ucx().uctOpen(...names, mode, settings), { ...resource });
}

const library: Uct = { resources: () => ucx().uctResources(), open };

/** UCT. Throws `LoadError` where UCX is missing. */
export function uct(): Uct {
  ucx();
  return library;
}

/** UCT's calls as operations. */
export function uctBind(): UctBind {
  ucx();
  return bind;
}

export { uctChannel } from './uct-channel.js';
export { uctAtomicRefusal, uctMost, uctRefusal, type UctCallName, type UctMessageShape } from './uct-limits.js';
