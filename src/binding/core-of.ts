/** Cores as sysfs knows them. */
import { readText } from './sysfs.js';

/** The lowest hardware thread of the core that a hardware thread belongs to: a name for the core that is unique on its host. */
export function coreOf(cpu: number, root = '/sys'): number {
  const siblings = readText(`${root}/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`);
  // Without a topology in sysfs each hardware thread counts as a core.
  return siblings === null ? cpu : Number.parseInt(siblings, 10);
}
