/** What `fabricbench info` says of verbs: devices, their ports, and the GIDs of these. */
import type { DeviceAttributes, DeviceInfo, PortAttributes, Verbs, VerbsContext } from '../verbs/types.js';
import { noDeviceText, verbs } from '../verbs/verbs.js';
import { entry } from './entry.js';

export interface VerbsGid {
  readonly index: number;
  readonly gid: string;
  readonly type: string;
  readonly netdev: string | null;
}

export interface VerbsPort extends PortAttributes {
  /** Gigabits per second of all lanes; 0 where the device doesn't say. */
  readonly speed: number;
  readonly gids: readonly VerbsGid[];
}

export type VerbsAbilities = Pick<DeviceAttributes, 'firmware' | 'atomicCap' | 'maxQpRdAtom' | 'xrc' | 'odp'>;

export interface VerbsDevice extends DeviceInfo {
  /** Null, and no ports, where it can't be opened; `problem` says why. */
  readonly abilities: VerbsAbilities | null;
  readonly ports: readonly VerbsPort[];
  readonly problem: string | null;
}

export interface VerbsInfo {
  readonly devices: readonly VerbsDevice[];
  /** Why there are none. */
  readonly problem: string | null;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function portOf(context: VerbsContext, number: number): VerbsPort {
  const port = context.port(number);
  const gids = context.gids(number).map(({ index, text, type, netdev }) => ({ index, gid: text, type, netdev }));
  return { ...port, speed: port.activeWidth * port.activeSpeed, gids };
}

function describe(context: VerbsContext): Pick<VerbsDevice, 'abilities' | 'ports'> {
  const { firmware, atomicCap, maxQpRdAtom, xrc, odp, ports } = context.attributes;
  const numbers = Array.from({ length: ports }, (_, index) => index + 1);
  return {
    abilities: { firmware, atomicCap, maxQpRdAtom, xrc, odp },
    ports: numbers.map((number) => portOf(context, number)),
  };
}

function deviceOf(library: Verbs, device: DeviceInfo): VerbsDevice {
  try {
    const context = library.open(device.name);
    try {
      return { ...device, ...describe(context), problem: null };
    } finally {
      context.close();
    }
  } catch (error) {
    return { ...device, abilities: null, ports: [], problem: messageOf(error) };
  }
}

/** Never throws: what is wrong is a `problem`. */
export function gatherVerbs(load: () => Verbs = verbs): VerbsInfo {
  try {
    const library = load();
    const devices = library.devices().map((device) => deviceOf(library, device));
    return { devices, problem: devices.length > 0 ? null : noDeviceText() };
  } catch (error) {
    return { devices: [], problem: messageOf(error) };
  }
}

export function verbsLines({ devices, problem }: VerbsInfo): string[] {
  if (devices.length === 0) return entry('verbs', problem ?? 'no RDMA device', 0);
  return ['verbs', ...devices.flatMap(deviceLines)];
}

function deviceLines({ name, guid, transport, abilities, ports, problem }: VerbsDevice): string[] {
  const kind = `${transport}, GUID ${guid}${abilities ? `, firmware ${abilities.firmware}` : ''}`;
  return [
    `  ${name}`,
    ...entry('kind', kind, 4),
    ...(abilities ? entry('can', canText(abilities), 4) : []),
    ...(problem === null ? [] : entry('problem', problem, 4)),
    ...ports.flatMap(portLines),
  ];
}

function canText({ atomicCap, maxQpRdAtom, xrc, odp }: VerbsAbilities): string {
  const atomics = { NONE: 'no atomics', HCA: 'atomics within the device', GLOB: 'atomics with the processor too' };
  const outstanding = `${maxQpRdAtom} reads and atomics at a time`;
  return [atomics[atomicCap], outstanding, xrc ? 'XRC' : 'no XRC', odp ? 'ODP' : 'no ODP'].join(', ');
}

function speedText({ activeWidth, activeSpeed, speed }: VerbsPort): string {
  return speed === 0 ? 'of unknown speed' : `${activeWidth} x ${activeSpeed} Gb/s = ${speed} Gb/s`;
}

function portLines(port: VerbsPort): string[] {
  const { state, linkLayer, activeMtu, maxMtu, lid, gids } = port;
  const mtu = activeMtu === maxMtu ? `MTU ${activeMtu}` : `MTU ${activeMtu} (up to ${maxMtu})`;
  const name = linkLayer === 'InfiniBand' ? [`LID ${lid}`] : [];
  const text = [state, linkLayer, speedText(port), mtu, ...name].join(', ');
  return [
    ...entry(`port ${port.port}`, text, 4),
    ...gids.flatMap(({ index, gid, type, netdev }) =>
      entry(`GID ${index}`, `${gid} (${type}${netdev === null ? '' : `, ${netdev}`})`, 6),
    ),
  ];
}
