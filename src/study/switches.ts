/** Where this host hangs in the network, as Slurm tells its tasks. */

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The switches above this host as Slurm's plugin topology/tree tells a task: `core.leaf2.node17`, with `switch.switch.node`
 * as its pattern. The host comes last, and its name may have dots itself.
 */
export function switchesOf(env: Env): string[] {
  const [address, pattern] = [env['SLURM_TOPOLOGY_ADDR'], env['SLURM_TOPOLOGY_ADDR_PATTERN']];
  if (address === undefined || pattern === undefined) return [];
  const kinds = pattern.split('.');
  const parts = address.split('.');
  return kinds.slice(0, -1).map((_, index) => parts[index] ?? '');
}
