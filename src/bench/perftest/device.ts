/** Which device, port, and size of packets a side works with. */
import type { Path } from '../../cli/perftest-options.js';
import type { Mtu, PortAttributes, Verbs, VerbsContext } from '../../verbs/types.js';
import { PerftestRefusal } from './types.js';

/** Exit code where this machine can't do it. */
export const NOT_POSSIBLE_HERE = 77;

export interface OpenDevice {
  readonly context: VerbsContext;
  readonly port: PortAttributes;
  /** Of this side, before the two agree. */
  readonly mtu: Mtu;
}

/** Closes it again where it can't be used. */
function use(context: VerbsContext, path: Path): OpenDevice {
  try {
    return check(context, path);
  } catch (error) {
    context.close();
    throw error;
  }
}

function check(context: VerbsContext, path: Path): OpenDevice {
  const { name } = context.device;
  const port = context.port(path.port);
  if (port.state !== 'ACTIVE' && port.state !== 'ACTIVE_DEFER')
    throw new PerftestRefusal(
      `port ${path.port} of ${name} is ${port.state}: bring its link up, or name another (-d, -i)`,
    );
  const wanted = path.forceLink === 'IB' ? 'InfiniBand' : path.forceLink === 'ETHERNET' ? 'Ethernet' : undefined;
  if (wanted !== undefined && port.linkLayer !== wanted)
    throw new PerftestRefusal(`port ${path.port} of ${name} is a link of ${port.linkLayer}: leave out --force-link`);
  if (path.mtu !== undefined && path.mtu > port.activeMtu)
    throw new PerftestRefusal(`port ${path.port} of ${name} takes packets of ${port.activeMtu} bytes: give -m no more`);
  return { context, port, mtu: path.mtu ?? port.activeMtu };
}

/** Whether a device has such a port, and it is up. */
function hasActivePort(context: VerbsContext, number: number): boolean {
  if (number > context.attributes.ports) return false;
  const { state } = context.port(number);
  return state === 'ACTIVE' || state === 'ACTIVE_DEFER';
}

/** What isn't there at all is the machine's, and not the command line's. */
function openContext(verbs: Verbs, name: string | undefined, known: number): VerbsContext {
  try {
    return verbs.open(name);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new PerftestRefusal(error.message, known === 0 ? NOT_POSSIBLE_HERE : undefined);
  }
}

/**
 * Opens the device that is named, or the first whose port is active.
 *
 * @throws PerftestRefusal where there is none (exit code 77), or none that is up
 */
export function openDevice(verbs: Verbs, path: Path): OpenDevice {
  const devices = verbs.devices();
  if (path.device !== undefined || devices.length < 2)
    return use(openContext(verbs, path.device, devices.length), path);
  for (const { name } of devices) {
    const context = openContext(verbs, name, devices.length);
    if (hasActivePort(context, path.port)) return use(context, path);
    context.close();
  }
  const names = devices.map(({ name }) => name).join(', ');
  throw new PerftestRefusal(
    `none of the devices ${names} has an active port ${path.port}: bring a link up, or name another port (-i)`,
  );
}
