/** RDMA devices of this machine, as libibverbs has them. */
import { LoadError } from '../engine/errors.js';
import type { Verbs } from '../verbs/types.js';
import { verbs } from '../verbs/verbs.js';
import type { RdmaHere } from './host.js';

function lookAt(library: Verbs, device: string): RdmaHere {
  try {
    const context = library.open(device);
    try {
      const numbers = Array.from({ length: context.attributes.ports }, (_, index) => index + 1);
      return { device, ports: numbers.map((number) => context.port(number)), problem: null };
    } finally {
      context.close();
    }
  } catch (error) {
    return { device, ports: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Every device, opened for a moment; none where verbs aren't built. */
export function rdmaHere(load: () => Verbs = verbs): RdmaHere[] {
  try {
    const library = load();
    return library.devices().map(({ name }) => lookAt(library, name));
  } catch (error) {
    if (error instanceof LoadError) return [];
    throw error;
  }
}
