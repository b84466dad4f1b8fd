/** What sysfs doesn't know of RDMA devices: whether they can be opened, and the size of their packets. */
import type { Host, RdmaPortHere } from '../host.js';
import { finding, goodOr, type Check, type Finding, type Verdict } from '../types.js';

/** Packets of half the size cost some per cent of the bandwidth; still smaller ones a good part of it. */
const ENOUGH = 2048;

function verdictOf({ activeMtu, maxMtu }: RdmaPortHere): Verdict {
  return goodOr(activeMtu >= maxMtu, activeMtu >= ENOUGH ? 'note' : 'bad');
}

function mendOf({ files }: Host, device: string, { port, linkLayer }: RdmaPortHere): string {
  if (linkLayer !== 'Ethernet')
    return "mtu=5 (4096) of the partition in the subnet manager's partitions.conf, and switches that can";
  const netdev = files.line(`/sys/class/infiniband/${device}/ports/${port}/gid_attrs/ndevs/0`) ?? 'DEVICE';
  return `ip link set ${netdev} mtu 9000, on all hosts and switches`;
}

function packets(host: Host, device: string, port: RdmaPortHere): Finding[] {
  // Until the port is up it has none.
  if (port.state !== 'ACTIVE') return [];
  return [
    finding(`${device}/${port.port} MTU`, verdictOf(port), {
      found: `packets of ${port.activeMtu} bytes`,
      wanted: `${port.maxMtu}, which the port is able to`,
      mend: mendOf(host, device, port),
    }),
  ];
}

function look(host: Host): Finding[] {
  return host.rdma.flatMap(({ device, ports, problem }) =>
    problem === null
      ? ports.flatMap((port) => packets(host, device, port))
      : [
          finding(`${device} by verbs`, 'bad', {
            found: problem,
            wanted: 'a device that this process may open',
            mend: 'see ls -l /dev/infiniband and its rights, ibv_devinfo, and in a container what devices it is given',
          }),
        ],
  );
}

export const verbsChecks: readonly Check[] = [{ look }];
