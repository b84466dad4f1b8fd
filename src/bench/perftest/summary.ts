/** What is open, as the box above the rows and the record say it. */
import { cqModFor } from '../../cli/perftest-depths.js';
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { PerftestHeader } from '../../report/perftest-types.js';
import type { Mtu, PortAttributes } from '../../verbs/types.js';
import { verbsVersion } from '../../verbs/version.js';
import { addressOf, type LaneCard } from './cards.js';
import type { Ground } from './lanes.js';
import type { Opened } from './opened.js';
import { sharesReceives } from './queues.js';
import type { Lane } from './types.js';

const LINKS = { InfiniBand: 'IB', Ethernet: 'Ethernet', unspecified: 'Unknown' } as const satisfies Record<
  PortAttributes['linkLayer'],
  PerftestHeader['linkLayer']
>;

interface Connected {
  /** Whether this side sends. */
  readonly sender: boolean;
  readonly ground: Ground;
  readonly lanes: readonly Lane[];
  readonly mtu: Mtu;
  readonly local: readonly LaneCard[];
  readonly remote: readonly LaneCard[];
}

const readsOrAdds = ({ verb }: PerftestOptions): boolean => verb === 'read' || verb === 'atomic';

function headerOf({ ground, lanes, mtu, local, sender }: Connected, inlineSize: number): PerftestHeader {
  const { options, pd, port, gid } = ground;
  const [first] = local;
  return {
    device: pd.context.device.name,
    transport: pd.context.device.transport === 'iWARP' ? 'iWARP' : 'IB',
    sender,
    ...{ mtu, linkLayer: LINKS[port.linkLayer], maxInline: inlineSize },
    ...(gid === null ? {} : { gidIndex: gid.index }),
    ...(readsOrAdds(options) && first ? { outstandingReads: first.outReads } : {}),
    wrApi: lanes.every(({ qp }) => qp.wrApi),
    // Of a sweep's first size; the others say theirs in the record.
    ...{ cqMod: cqModFor(options, options.sizes[0] ?? 0), txDepth: options.txDepth, rxDepth: options.rxDepth },
    usingSrq: sharesReceives(options),
  };
}

/** Header, addresses and record of what is connected. */
export function summary(connected: Connected, inlineSize: number): Pick<Opened, 'header' | 'addresses' | 'verbs'> {
  const { ground, mtu, local, remote } = connected;
  const { options, pd, port, gid } = ground;
  const shows = {
    // The peer doesn't know them yet when rdma_cm has connected, and of atomics it never shows them.
    memory: (options.verb === 'write' || options.verb === 'read') && !options.meeting.rdmaCm,
    outReads: options.verb === 'read' && !options.meeting.rdmaCm,
    srqn: options.connection === 'XRC' || options.connection === 'DC',
  };
  return {
    header: headerOf(connected, inlineSize),
    addresses: local.flatMap((card, index) => {
      const other = remote[index];
      return other ? [{ local: addressOf(card, shows), remote: addressOf(other, shows) }] : [];
    }),
    verbs: {
      version: verbsVersion(),
      ...{ device: pd.context.device.name, firmware: pd.context.attributes.firmware },
      ...{ port: port.port, linkLayer: port.linkLayer, mtu },
      gid: gid === null ? null : { index: gid.index, address: gid.text, type: gid.type },
    },
  };
}
