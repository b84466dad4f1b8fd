/** Which of the device's GIDs a path begins with. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import { chooseGid } from '../../verbs/gid.js';
import type { GidEntry } from '../../verbs/types.js';
import type { OpenDevice } from './device.js';
import { PerftestRefusal } from './types.js';

/**
 * The one of `-x`, or the best for the other side; null where paths need none.
 *
 * @throws PerftestRefusal where there is none
 */
export function choosePathGid(
  { context, port }: OpenDevice,
  theirs: readonly GidEntry[] | undefined,
  { path }: Pick<PerftestOptions, 'path'>,
): GidEntry | null {
  const { linkLayer } = port;
  try {
    return chooseGid(context.gids(port.port), {
      ...{ linkLayer, ipv6: path.ipv6Gid },
      ...(theirs ? { peer: theirs } : {}),
      ...(path.gidIndex === undefined ? {} : { index: path.gidIndex }),
    }).entry;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new PerftestRefusal(`port ${port.port} of ${context.device.name}: ${error.message}`);
  }
}
