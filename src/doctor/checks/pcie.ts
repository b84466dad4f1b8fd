/** Whether NICs have the PCI Express link that they could have. */
import { rdmaDevices, type Host } from '../host.js';
import { finding, goodOr, type Check, type Finding } from '../types.js';
import { portsOf } from './nics.js';

interface Link {
  /** GT/s of a lane. */
  readonly speed: number;
  readonly width: number;
}

/** From here on a lane's code costs 2 of 130 bits, and below 2 of 10. */
const GEN3 = 8;

const payload = ({ speed, width }: Link): number => speed * width * (speed >= GEN3 ? 128 / 130 : 0.8);

function linkOf({ files }: Host, folder: string, which: 'current' | 'max'): Link | null {
  const speed = Number.parseFloat(files.line(`${folder}/${which}_link_speed`) ?? '');
  const width = files.number(`${folder}/${which}_link_width`) ?? 0;
  // Virtual functions have no link of their own: the kernel gives 0, or all bits.
  return speed > 0 && width > 0 && width <= 32 ? { speed, width } : null;
}

const text = ({ speed, width }: Link): string =>
  `x${width} at ${speed} GT/s (${Math.round(payload({ speed, width }))} Gb/s)`;

/** Gb/s of all ports of a device together; 0 where none says. */
function portsRate(host: Host, device: string): number {
  const rates = portsOf(host).filter((port) => port.device === device && port.state === 'ACTIVE');
  return rates.reduce((sum, { rate }) => sum + (Number.parseFloat(rate) || 0), 0);
}

/** Gb/s that a network device says; 0 where it doesn't. */
const netRate = ({ files }: Host, name: string): number =>
  Math.max(files.number(`/sys/class/net/${name}/speed`) ?? 0, 0) / 1000;

function link(host: Host, name: string, folder: string, rate: number): Finding[] {
  const now = linkOf(host, folder, 'current');
  const most = linkOf(host, folder, 'max');
  if (!now || !most) return [];
  const isFull = now.width >= most.width && now.speed >= most.speed;
  const suffices = rate > 0 && payload(now) > rate;
  const carries = rate > 0 ? `; the network link has ${rate} Gb/s` : '';
  return [
    finding(`${name} PCIe`, goodOr(isFull, suffices ? 'note' : 'bad'), {
      found: `${text(now)}${carries}`,
      wanted: `${text(most)}, which the device is able to`,
      mend: 'another slot, a card that sits well, or the setting of the slot in the firmware; see lspci -vv (LnkSta)',
    }),
  ];
}

function look(host: Host): Finding[] {
  const { files } = host;
  const rdma = rdmaDevices(host).map((name) => [name, `/sys/class/infiniband/${name}/device`] as const);
  const taken = new Set(rdma.map(([, folder]) => files.real(folder)));
  const nets = files
    .list('/sys/class/net')
    .map((name) => [name, `/sys/class/net/${name}/device`] as const)
    .filter(([, folder]) => files.exists(folder) && !taken.has(files.real(folder)));
  return [
    ...rdma.flatMap(([name, folder]) => link(host, name, folder, portsRate(host, name))),
    ...nets.flatMap(([name, folder]) => link(host, name, folder, netRate(host, name))),
  ];
}

export const pcieChecks: readonly Check[] = [{ look }];
