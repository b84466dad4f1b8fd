/** Which of the device's GIDs a path begins with. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { GidEntry } from '../../verbs/types.js';
import type { OpenDevice } from './device.js';
import { PerftestRefusal } from './types.js';

/** How well a path can begin with it: IPv4 before IPv6, routable before local to the link, RoCE v2 before v1. */
function worth({ gid, type, ipv4 }: GidEntry): number {
  const linkLocal = gid[0] === 0xfe && ((gid[1] ?? 0) & 0xc0) === 0x80;
  return (ipv4 ? 4 : linkLocal ? 0 : 2) + (type === 'RoCE v2' ? 1 : 0);
}

/**
 * The one of `-x`, or on Ethernet the best for the other side; null on InfiniBand, where paths within a subnet have none.
 *
 * @throws PerftestRefusal where there is no such GID
 */
export function choosePathGid(
  { context, port }: OpenDevice,
  theirs: readonly GidEntry[],
  { path }: Pick<PerftestOptions, 'path'>,
): GidEntry | null {
  const gids = context.gids(port.port);
  const place = `port ${port.port} of ${context.device.name}`;
  if (path.gidIndex !== undefined) {
    const wanted = gids.find(({ index }) => index === path.gidIndex);
    if (wanted) return wanted;
    throw new PerftestRefusal(
      `${place} has no GID ${path.gidIndex}: it has ${gids.map(({ index }) => index).join(', ')}`,
    );
  }
  if (port.linkLayer !== 'Ethernet') return null;
  const family = gids.filter(({ ipv4 }) => !(path.ipv6Gid && ipv4));
  const alike = family.filter((own) => theirs.some(({ type, ipv4 }) => type === own.type && ipv4 === own.ipv4));
  const [best] = (alike.length > 0 ? alike : family).toSorted((a, b) => worth(b) - worth(a));
  if (best) return best;
  throw new PerftestRefusal(`${place} has no GID: give its network interface an address, or name another device (-d)`);
}
