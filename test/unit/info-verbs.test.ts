/** `fabricbench info`: what it says of RDMA devices, and of their absence. */
import { expect } from 'chai';
import { gatherVerbs, verbsLines, type VerbsPort } from '../../src/cli/info-verbs.js';
import type { PortAttributes, Verbs, VerbsContext } from '../../src/verbs/types.js';
import { noDeviceText } from '../../src/verbs/verbs.js';

const ethernet: PortAttributes = {
  ...{
    port: 1,
    state: 'ACTIVE',
    linkLayer: 'Ethernet',
    maxMtu: 4096,
    activeMtu: 1024,
    maxMsgSz: 1 << 30,
    lid: 0,
    smLid: 0,
  },
  ...{ gidTableLength: 256, activeWidth: 4, activeSpeed: 25 },
};
const gids = [
  { index: 0, gid: new Uint8Array(16), text: 'fe80::1', type: 'RoCE v1', ipv4: false, netdev: 'eth2' },
  { index: 3, gid: new Uint8Array(16), text: '::ffff:10.1.0.5', type: 'RoCE v2', ipv4: true, netdev: null },
] as const;

/** A library with one device, whose ports are those given. */
function library(ports: readonly PortAttributes[], problem?: string) {
  const closed: string[] = [];
  const context = {
    attributes: { firmware: '20.31', atomicCap: 'HCA', maxQpRdAtom: 16, xrc: true, odp: false, ports: ports.length },
    port: (number: number) => ports[number - 1],
    gids: () => gids,
    close: () => closed.push('mlx5_0'),
  } as unknown as VerbsContext;
  const verbs: Verbs = {
    devices: () => [{ name: 'mlx5_0', guid: '506b:4b03:0001:0002', transport: 'InfiniBand' }],
    open: () => {
      if (problem !== undefined) throw new Error(problem);
      return context;
    },
    hugeBuffer: () => expect.fail('no memory is asked for'),
  };
  return { verbs, closed };
}

const textOf = (ports: readonly PortAttributes[]): string =>
  verbsLines(gatherVerbs(() => library(ports).verbs)).join('\n');

describe('what fabricbench info says of verbs', () => {
  it('has devices, their ports and GIDs', () => {
    expect(textOf([ethernet])).to.equal(
      [
        'verbs',
        '  mlx5_0',
        '    kind      InfiniBand, GUID 506b:4b03:0001:0002, firmware 20.31',
        '    can       atomics within the device, 16 reads and atomics at a time, XRC, no',
        '              ODP',
        '    port 1    ACTIVE, Ethernet, 4 x 25 Gb/s = 100 Gb/s, MTU 1024 (up to 4096)',
        '      GID 0     fe80::1 (RoCE v1, eth2)',
        '      GID 3     ::ffff:10.1.0.5 (RoCE v2)',
      ].join('\n'),
    );
  });

  it('has the LID of InfiniBand, and speeds only where they are known', () => {
    const port: PortAttributes = { ...ethernet, linkLayer: 'InfiniBand', lid: 7, activeWidth: 0, maxMtu: 1024 };
    expect(textOf([ethernet, { ...port, port: 2 }])).to.include(
      '    port 2    ACTIVE, InfiniBand, of unknown speed, MTU 1024, LID 7\n',
    );
  });

  it('has numbers for programs, and closes what it opened', () => {
    const { verbs, closed } = library([ethernet]);
    const { devices, problem } = gatherVerbs(() => verbs);
    expect(problem).to.equal(null);
    const [port] = JSON.parse(JSON.stringify(devices[0]?.ports)) as VerbsPort[];
    expect(port).to.include({ port: 1, state: 'ACTIVE', speed: 100, activeMtu: 1024 });
    expect(port?.gids[1]).to.deep.equal({ index: 3, gid: '::ffff:10.1.0.5', type: 'RoCE v2', netdev: null });
    expect(closed).to.deep.equal(['mlx5_0']);
  });

  it('goes on where a device can not be opened, or verbs is missing', () => {
    const { verbs } = library([ethernet], 'ibv_open_device failed: Permission denied');
    expect(verbsLines(gatherVerbs(() => verbs))).to.deep.equal([
      'verbs',
      '  mlx5_0',
      '    kind      InfiniBand, GUID 506b:4b03:0001:0002',
      '    problem   ibv_open_device failed: Permission denied',
    ]);
    const missing = gatherVerbs(() => {
      throw new Error('verbs.node is not built');
    });
    expect(verbsLines(missing)).to.deep.equal(['verbs     verbs.node is not built']);
  });

  it('says what was looked for where there is no device', () => {
    expect(noDeviceText([])).to.equal(
      'no RDMA device: /sys/class/infiniband is empty; scripts/softroce gives one without hardware',
    );
    expect(noDeviceText(['mlx5_0', 'mlx5_1'])).to.equal(
      'no RDMA device that libibverbs can use: /sys/class/infiniband has mlx5_0, mlx5_1; load the module ib_uverbs and install the drivers of libibverbs (on Debian: ibverbs-providers)',
    );
    const none: Verbs = { ...library([]).verbs, devices: () => [] };
    expect(gatherVerbs(() => none))
      .to.have.property('problem')
      .that.matches(/^no RDMA device/);
  });
});
