/** A device that can be used as it is: the first one with a port that is up. */
import type { IbvContext } from './context.js';
import type { PortAttributes } from './types.js';
import { NoRdmaDevice, openDevice, verbs } from './verbs.js';

export interface ActiveDevice {
  readonly context: IbvContext;
  readonly port: PortAttributes;
}

const isUp = ({ state }: PortAttributes): boolean => state === 'ACTIVE' || state === 'ACTIVE_DEFER';

const portsOf = (context: IbvContext): PortAttributes[] =>
  Array.from({ length: context.attributes.ports }, (_, index) => context.port(index + 1));

/** Why none of the ports is used, e.g. `port 1 of rxe0 is DOWN`. */
const stateOf = (name: string, port: PortAttributes): string => `port ${port.port} of ${name} is ${port.state}`;

/**
 * Opens the device that is named, or the first that has an active port, whose first active port is the one to use.
 *
 * @throws NoRdmaDevice where there is none, or none that is up
 */
export function openActive(name?: string): ActiveDevice {
  const names =
    name === undefined
      ? verbs()
          .devices()
          .map((device) => device.name)
      : [name];
  const states: string[] = [];
  for (const each of names) {
    const context = openDevice(each);
    const ports = portsOf(context);
    const port = ports.find(isUp);
    if (port) return { context, port };
    states.push(...ports.map((one) => stateOf(each, one)));
    context.close();
  }
  // Says that there is none.
  if (names.length === 0) openDevice();
  throw new NoRdmaDevice(`no RDMA device has an active port: ${states.join(', ')}; bring its link up`);
}
