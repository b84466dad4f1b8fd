/** What must be known of a synthetic description before hwloc builds it. */
import { TopologyError } from './errors.js';

/** No machine has as many; hwloc would take any number, and all memory for it. */
const MOST_THREADS = 16384;

/**
 * A synthetic description that hwloc may be given. It is hwloc that judges its grammar; refused here is what describes
 * nothing, or more hardware threads than any machine has.
 *
 * @returns the description
 * @throws TopologyError
 */
export function checkSynthetic(description: string): string {
  const levels = description.replace(/\([^)]*\)|\[[^\]]*\]/g, ' ').match(/\d+(?=\s|$)/g) ?? [];
  const threads = levels.reduce((product, level) => product * Number(level), 1);
  if (threads > MOST_THREADS) {
    throw new TopologyError(
      `the topology "${description}" has more than ${MOST_THREADS} hardware threads: describe fewer`,
    );
  }
  return description;
}
