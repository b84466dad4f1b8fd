/** Cores as sysfs knows them. */
import { readFileSync } from 'node:fs';

/** The lowest hardware thread of the core that a hardware thread belongs to: a name for the core that is unique on its host. */
export function coreOf(cpu: number, root = '/sys'): number {
  try {
    const siblings = readFileSync(`${root}/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`, 'utf8');
    return Number.parseInt(siblings, 10);
  } catch {
    return cpu; // no topology in sysfs: each hardware thread counts as a core
  }
}
