/** What lies between two devices: arithmetic on their paths and places. */
import { expect } from 'chai';
import fc from 'fast-check';
import { matrixLines } from '../../src/cli/info-matrix.js';
import { topologyLines, topologyInfo } from '../../src/cli/info-topology.js';
import { deviceMatrix, relationOf, RELATIONS } from '../../src/topology/matrix.js';
import type { OsDevice, PciStep } from '../../src/topology/types.js';
import { machine, nic } from './machines.js';

const host = (address: string): PciStep => ({ kind: 'host-bridge', address });
const bridge = (address: string): PciStep => ({ kind: 'bridge', address });
const end = (address: string): PciStep => ({ kind: 'device', address });

/** A device at the end of a path, on NUMA node `node` of package `node / 2`; nowhere for null. */
function at(path: readonly PciStep[], node: number | null = 0, more: Partial<OsDevice> = {}): OsDevice {
  const address = path.at(-1)?.address ?? 'none';
  const place = node === null ? null : Math.floor(node / 2);
  return { ...nic(`at ${address}`, node === null ? null : [node], node), package: place, path, ...more };
}

const root = [host('0000:[00-0f]'), bridge('0000:00:01.0')];
const upstream = [...root, bridge('0000:01:00.0')];
const cascade = [...upstream, bridge('0000:02:02.0'), bridge('0000:03:00.0')];

describe('what lies between two devices', () => {
  const first = at([...upstream, bridge('0000:02:00.0'), end('0000:04:00.0')]);

  it('is one switch for what is below two of its ports, or in one slot', () => {
    const second = at([...upstream, bridge('0000:02:01.0'), end('0000:05:00.0')]);
    expect(relationOf(first, second)).to.equal('PIX');
    const port = [...root, end('0000:01:00.0')];
    expect(relationOf(at(port), at([...root, end('0000:01:00.1')]))).to.equal('PIX');
    // A function of a card that has no bridge above it.
    const [top] = root;
    if (!top) throw new Error('the path is empty');
    expect(relationOf(at([top, end('0000:00:03.0')]), at([top, end('0000:00:03.1')]))).to.equal('PIX');
    expect(relationOf(at([top, end('0000:00:03.0')]), at([top, end('0000:00:04.0')]))).to.equal('PHB');
  });

  it('is several switches for what is below another one', () => {
    const below = at([...cascade, bridge('0000:06:00.0'), end('0000:07:00.0')]);
    expect(relationOf(first, below)).to.equal('PXB');
    expect(relationOf(below, at([...cascade, bridge('0000:06:01.0'), end('0000:08:00.0')]))).to.equal('PIX');
  });

  it('is the host bridge for what has no other bridge in common', () => {
    expect(relationOf(first, at([host('0000:[00-0f]'), bridge('0000:00:02.0'), end('0000:0a:00.0')]))).to.equal('PHB');
  });

  it('goes by places for what has no bridge in common', () => {
    const other = (node: number | null): OsDevice => at([host('0000:[20-2f]'), end('0000:21:00.0')], node);
    expect([0, 1, 2, null].map((node) => relationOf(first, other(node)))).to.deep.equal(['NODE', 'PKG', 'SYS', '?']);
    const packageOnly = { ...other(null), near: [0, 1], package: 0 };
    expect(relationOf(first, packageOnly)).to.equal('PKG');
    expect(relationOf(first, at([], 0, { name: 'rxe0' }))).to.equal('NODE');
  });

  it('tells the same bus of another domain from this one', () => {
    const elsewhere = [host('0001:[00-0f]'), bridge('0001:00:01.0'), end('0001:04:00.0')];
    expect(relationOf(first, at(elsewhere, 0))).to.equal('NODE');
  });
});

describe('the matrix of devices', () => {
  const card = [...root, end('0000:01:00.0')];
  const gpu = (
    name: string,
    kind: OsDevice['kind'],
    path: readonly PciStep[],
    more: Partial<OsDevice> = {},
  ): OsDevice => at(path, 0, { name, kind, ...more });

  it('has all names of one PCI device in one row, and that for RDMA first', () => {
    const { devices, relations } = deviceMatrix(
      machine({ packages: 1, coresPerNode: 1 }, [
        at(card, 0, { name: 'eth2', kind: 'network' }),
        at(card, 0, { name: 'ib0', kind: 'network' }),
        at(card, 0, { name: 'mlx4_0' }),
        gpu('nvml0', 'gpu', [end('0000:05:00.0')]),
        gpu('cuda0', 'coprocessor', [end('0000:05:00.0')]),
      ]),
    );
    expect(devices.map(({ id, names }) => [id, ...names])).to.deep.equal([
      ['NIC0', 'mlx4_0', 'eth2', 'ib0'],
      ['GPU0', 'cuda0', 'nvml0'],
    ]);
    expect(devices[0]).to.deep.include({
      kind: 'nic',
      name: 'mlx4_0',
      address: '0000:01:00.0',
      numaNode: 0,
      near: [0],
    });
    expect(relations).to.deep.equal([
      ['-', 'NODE'],
      ['NODE', '-'],
    ]);
  });

  it('leaves out consoles, disks and networks of software, and keeps RDMA of software', () => {
    const { devices } = deviceMatrix(
      machine({ packages: 1, coresPerNode: 1 }, [
        gpu('card0', 'gpu', [end('0000:06:00.0')], { pci: { class: 0x0300, vendor: 0x1a03 } }),
        gpu('card1', 'gpu', [end('0000:07:00.0')], { pci: { class: 0x0300, vendor: 0x1002 }, linkSpeed: 0.2 }),
        gpu('card2', 'gpu', [end('0000:08:00.0')], { pci: { class: 0x0300, vendor: 0x1002 }, linkSpeed: 31.5 }),
        gpu('card3', 'gpu', [end('0000:09:00.0')], { pci: { class: 0x0380, vendor: 0x1002 } }),
        gpu('renderD128', 'gpu', [end('0000:0a:00.0')]),
        at(card, 0, { name: 'sda', kind: 'block' }),
        at([], 0, { name: 'docker0', kind: 'network' }),
        at([], 0, { name: 'rxe0' }),
      ]),
    );
    expect(devices.map(({ name }) => name)).to.deep.equal(['rxe0', 'card2', 'card3', 'renderD128']);
  });

  it('is as wide as the screen whatever there is, each pair once in each half', () => {
    const count = fc.integer({ min: 2, max: 40 });
    const places = fc.array(fc.option(fc.integer({ min: 0, max: 3 })), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(count, places, (devices, nodes) => {
        const all = nodes.slice(0, devices).map((node, index) => at([], node, { name: `mlx5_${index}` }));
        const topology = machine({ packages: 2, nodesPerPackage: 2, coresPerNode: 1 }, all);
        const matrix = deviceMatrix(topology);
        for (const [row, codes] of matrix.relations.entries()) {
          expect(codes.map((_, column) => matrix.relations[column]?.[row])).to.deep.equal(codes);
          expect(codes.map((code) => code === '-')).to.deep.equal(codes.map((_, column) => column === row));
        }
        const lines = [...matrixLines(matrix, RELATIONS), ...topologyLines(topologyInfo(topology))];
        for (const line of lines) expect(line.length, line).to.be.at.most(80);
        const heads = matrixLines(matrix, RELATIONS).filter((line) => /^ +NIC/.test(line) && !line.includes('mlx'));
        expect(heads.join(' ').trim().split(/ +/)).to.deep.equal(matrix.devices.map(({ id }) => id));
      }),
    );
  });
});
