/** Reads what UCX prints of its contexts and endpoints. */

/** Transport and device of a line such as `resource 1  :  md 1  dev 1  flags -- sysv/memory`. */
export function parseResources(info: string): string[] {
  return [...info.matchAll(/^#?\s*resource\s+\d+\s*:.*\s(\S+\/\S+)\s*$/gm)].map(([, name]) => name ?? '');
}

/**
 * Lanes of lines such as `lane[0]:  0:sysv/memory.0 md[0]  -> md[0]/sysv/sysdev[255] amo#0 am am_bw#0`. What stands between
 * the arrow and the uses describes the peer's side.
 */
export function parseLanes(info: string): { name: string; uses: string[] }[] {
  const line = /^#?\s*lane\[\d+\]:\s+(?:\d+:)?(\S+?)(?:\.\d+)?\s+md\[\d+\](?:.*->)?(.*)$/gm;
  return [...info.matchAll(line)].map(([, name = '', rest = '']) => ({
    name,
    uses: rest.split(/\s+/).filter((word) => word !== '' && !/[[\]/<>]/.test(word)),
  }));
}
