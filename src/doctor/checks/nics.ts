/** Network devices: state, width, speed and errors of links, MTU. */
import { rdmaDevices, type Host } from '../host.js';
import { finding, goodOr, type Check, type Finding } from '../types.js';

interface Port {
  readonly device: string;
  readonly port: string;
  readonly folder: string;
  /** `ACTIVE`, without the kernel's number. */
  readonly state: string;
  readonly physical: string;
  /** `100 Gb/sec (4X EDR)` */
  readonly rate: string;
  readonly linkLayer: string;
}

/** `4: ACTIVE` */
const named = (line: string | null): string => line?.replace(/^\d+:\s*/, '') ?? 'unknown';

/** All ports of all RDMA devices. */
export function portsOf(host: Host): Port[] {
  const { files } = host;
  return rdmaDevices(host).flatMap((device) =>
    files.list(`/sys/class/infiniband/${device}/ports`).map((port) => {
      const folder = `/sys/class/infiniband/${device}/ports/${port}`;
      return {
        ...{ device, port, folder },
        state: named(files.line(`${folder}/state`)),
        physical: named(files.line(`${folder}/phys_state`)),
        rate: files.line(`${folder}/rate`) ?? 'unknown rate',
        linkLayer: files.line(`${folder}/link_layer`) ?? 'unknown link layer',
      };
    }),
  );
}

/** Lanes of a link of InfiniBand; Ethernet's may have one alone. */
const FULL_WIDTH = 4;

function portFinding({ device, port, state, physical, rate, linkLayer }: Port, othersWork: boolean): Finding {
  const check = `${device}/${port}`;
  const found = `${state}, ${physical}, ${rate}, ${linkLayer}`;
  if (state !== 'ACTIVE') {
    return finding(check, othersWork ? 'note' : 'bad', {
      found,
      wanted: 'ACTIVE, if it is to be measured',
      mend:
        physical === 'LinkUp'
          ? 'see whether a subnet manager runs (sminfo)'
          : 'look at the cable and at the switch (ibstat, iblinkinfo)',
    });
  }
  const hasLanes = linkLayer === 'InfiniBand';
  const isNarrow = hasLanes && Number(/\((\d+)X/.exec(rate)?.[1] ?? FULL_WIDTH) < FULL_WIDTH;
  return finding(check, goodOr(!isNarrow, 'bad'), {
    found,
    wanted: `ACTIVE, with ${hasLanes ? `all ${FULL_WIDTH} lanes (${FULL_WIDTH}X) and ` : ''}the speed of the other nodes`,
    mend: 'reseat or change the cable, then see iblinkinfo',
  });
}

/** Counters that stay at 0 on a link that is well. */
const errors = ['symbol_error', 'link_error_recovery', 'link_downed', 'port_rcv_errors', 'local_link_integrity_errors'];

function errorFinding({ files }: Host, { device, port, folder }: Port): Finding[] {
  const counted = errors.flatMap((name) => {
    const value = files.number(`${folder}/counters/${name}`) ?? 0;
    return value > 0 ? [`${name} ${value}`] : [];
  });
  if (counted.length === 0) return [];
  return [
    finding(`${device}/${port} errors`, 'note', {
      found: counted.join(', '),
      wanted: 'none that grow: what is sent again takes time',
      mend: 'look again after a run (perfquery); where they grow, change the cable',
    }),
  ];
}

function rdma(host: Host): Finding[] {
  const ports = portsOf(host);
  if (ports.length === 0) {
    return [
      finding('RDMA devices', 'note', {
        found: 'none',
        wanted: 'one, if InfiniBand or RoCE is to be measured: between hosts there is only TCP without',
        mend: 'load its driver (mlx5_ib, irdma, ...), see lspci and rdma link',
      }),
    ];
  }
  const anyWorks = ports.some(({ state }) => state === 'ACTIVE');
  return ports.map((port) => portFinding(port, anyWorks));
}

/** What RoCE needs for packets of 4096 bytes with their headers. */
const ROCE_MTU = 4200;
const JUMBO_MTU = 9000;

/** Network devices below ports of RDMA over Ethernet. */
function roceDevices(host: Host): string[] {
  const ethernet = portsOf(host).filter(({ linkLayer }) => linkLayer === 'Ethernet');
  return ethernet.flatMap(({ folder }) => host.files.line(`${folder}/gid_attrs/ndevs/0`) ?? []);
}

function mtuFinding(name: string, mtu: number, isRoce: boolean): Finding {
  const enough = isRoce ? ROCE_MTU : JUMBO_MTU;
  return finding(`${name} MTU`, goodOr(mtu >= enough, isRoce ? 'bad' : 'note'), {
    found: String(mtu),
    wanted: isRoce
      ? `${ROCE_MTU} or more: below it RoCE cuts messages into packets of less than 4096 bytes`
      : `${JUMBO_MTU} where the whole network has it: large messages over TCP then take fewer packets`,
    mend: `ip link set ${name} mtu ${JUMBO_MTU}, on all hosts and switches`,
  });
}

/** Drivers that don't keep the state may know of the carrier. */
function stateOf({ files }: Host, folder: string): string {
  const state = files.line(`${folder}/operstate`) ?? 'unknown';
  return state === 'unknown' && files.line(`${folder}/carrier`) === '1' ? 'up' : state;
}

function netFindings(host: Host, name: string, isRoce: boolean): Finding[] {
  const { files } = host;
  const folder = `/sys/class/net/${name}`;
  const state = stateOf(host, folder);
  if (state === 'down') {
    return [
      finding(name, 'note', {
        found: 'down',
        wanted: 'up, if it is to be measured',
        mend: `ip link set ${name} up, and look at the cable`,
      }),
    ];
  }
  const speed = files.number(`${folder}/speed`) ?? -1;
  const duplex = files.line(`${folder}/duplex`) ?? 'unknown';
  const mtu = files.number(`${folder}/mtu`);
  const half = duplex === 'half';
  return [
    finding(name, half ? 'bad' : goodOr(state === 'up', 'unknown'), {
      found: `${state}, ${speed > 0 ? `${speed} Mb/s` : 'speed unknown'}${duplex === 'unknown' ? '' : `, ${duplex} duplex`}`,
      wanted: 'up, full duplex, with the speed of the other nodes',
      mend: `see ethtool ${name}, and the switch`,
    }),
    ...(mtu === null ? [] : [mtuFinding(name, mtu, isRoce)]),
  ];
}

/** Devices of hardware, virtual hardware among them; what the kernel makes up itself has none below it. */
function ethernet(host: Host): Finding[] {
  const { files } = host;
  const roce = roceDevices(host);
  const names = files.list('/sys/class/net').filter((name) => files.exists(`/sys/class/net/${name}/device`));
  return [...new Set([...names, ...roce])].flatMap((name) => netFindings(host, name, roce.includes(name)));
}

export const nicChecks: readonly Check[] = [
  { look: (host) => [...rdma(host), ...ethernet(host)] },
  { look: (host) => portsOf(host).flatMap((port) => errorFinding(host, port)), varies: true },
];
