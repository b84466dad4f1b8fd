/** The choice of a GID, with tables of GIDs as machines have them. */
import { expect } from 'chai';
import { isIPv4 } from 'node:net';
import { chooseGid, type GidRequest } from '../../src/verbs/gid.js';
import type { GidEntry } from '../../src/verbs/types.js';

type Row = readonly [index: number, address: string, type: GidEntry['type'], netdev: string | null];

/** The 16 bytes of an IPv6 address, with one `::` at most. */
function bytesOf(text: string): number[] {
  const [head = '', tail] = text.split('::');
  const words = (part: string) => part.split(':').filter((word) => word !== '');
  const before = words(head);
  const after = words(tail ?? '');
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].flatMap((word) => [parseInt(word, 16) >> 8, parseInt(word, 16) & 255]);
}

function entry([index, address, type, netdev]: Row): GidEntry {
  const ipv4 = isIPv4(address);
  const gid = ipv4 ? [...Array<number>(10).fill(0), 255, 255, ...address.split('.').map(Number)] : bytesOf(address);
  return { index, gid: Uint8Array.from(gid), text: ipv4 ? `::ffff:${address}` : address, type, ipv4, netdev };
}

const table = (...rows: Row[]): GidEntry[] => rows.map(entry);

/** ConnectX: each address as RoCE v1 and as v2. */
const connectX = (host: number): GidEntry[] =>
  table(
    [0, `fe80::ee0d:9aff:fe00:${host}`, 'RoCE v1', 'ens1np0'],
    [1, `fe80::ee0d:9aff:fe00:${host}`, 'RoCE v2', 'ens1np0'],
    [2, `10.20.30.${host}`, 'RoCE v1', 'ens1np0'],
    [3, `10.20.30.${host}`, 'RoCE v2', 'ens1np0'],
    [4, `2001:db8:1:2::${host}`, 'RoCE v1', 'ens1np0'],
    [5, `2001:db8:1:2::${host}`, 'RoCE v2', 'ens1np0'],
  );

/** With VLANs, of which the two machines have one in common, numbered differently. */
const vlansHere = table(
  [0, 'fe80::1', 'RoCE v2', 'eth2'],
  [1, '172.16.1.10', 'RoCE v2', 'eth2.100'],
  [2, '172.17.2.10', 'RoCE v2', 'eth2.200'],
  [3, '10.9.0.10', 'RoCE v2', 'eth2.300'],
);
const vlansThere = table(
  [0, 'fe80::2', 'RoCE v2', 'eth0'],
  [1, '192.168.5.20', 'RoCE v2', 'eth0'],
  [2, '10.9.0.20', 'RoCE v2', 'eth0.300'],
);

const infiniBand = (prefix: string, port: number): GidEntry[] =>
  table([0, `${prefix}::248a:703:1b:${port}`, 'IB', null]);

const ethernet = (request: Omit<GidRequest, 'linkLayer'> = {}): GidRequest => ({ linkLayer: 'Ethernet', ...request });
const indexOf = (own: GidEntry[], request: GidRequest) => chooseGid(own, request).entry?.index ?? null;

/** What both sides choose: their indexes. */
function both(here: GidEntry[], there: GidEntry[], request: Omit<GidRequest, 'linkLayer'> = {}) {
  const mine = chooseGid(here, ethernet({ ...request, peer: there }));
  const its = chooseGid(there, ethernet({ ...request, peer: here }));
  expect(mine.peer).to.equal(its.entry);
  expect(its.peer).to.equal(mine.entry);
  return [mine.entry?.index, its.entry?.index];
}

describe('the choice of a GID', () => {
  it('takes RoCE v2 with IPv4 where the other side is unknown', () => {
    const { entry: chosen, peer, why } = chooseGid(connectX(1), ethernet());
    expect(chosen?.index).to.equal(3);
    expect(peer).to.equal(null);
    expect(why).to.equal(
      'GID 3, 10.20.30.1 on ens1np0 (RoCE v2): the first of an IPv4 address, the best kind that there is',
    );
  });

  it('takes a global address of IPv6 before one of the link, and that where there is no other', () => {
    expect(indexOf(connectX(1).slice(0, 2), ethernet())).to.equal(1);
    expect(indexOf([...connectX(1).slice(0, 2), ...connectX(1).slice(4)], ethernet())).to.equal(5);
    const rows = table([0, 'fe80::1', 'RoCE v1', 'eth0'], [1, 'fe80::1', 'RoCE v2', 'eth0']);
    expect(chooseGid(rows, ethernet()).why).to.equal(
      'GID 1, fe80::1 on eth0 (RoCE v2): the first of the link itself, the best kind that there is',
    );
  });

  it('makes both sides choose one pair', () => {
    expect(both(connectX(1), connectX(2))).to.deep.equal([3, 3]);
    expect(both(vlansHere, vlansThere)).to.deep.equal([3, 2]);
    expect(chooseGid(vlansHere, ethernet({ peer: vlansThere })).why).to.equal(
      "GID 3, 10.9.0.10 on eth2.300 (RoCE v2): in one /24 with the other side's 10.9.0.20",
    );
  });

  it('chooses a pair where several are as good, the same on both sides', () => {
    const here = table([1, '10.0.1.1', 'RoCE v2', 'a'], [2, '10.0.2.1', 'RoCE v2', 'b']);
    const there = table([1, '10.0.2.2', 'RoCE v2', 'b'], [2, '10.0.1.2', 'RoCE v2', 'a']);
    expect(both(here, there)).to.be.deep.oneOf([
      [1, 2],
      [2, 1],
    ]);
  });

  it('goes back to RoCE v1, or to IPv6, where the other side has nothing else', () => {
    const v1 = connectX(2).filter(({ type }) => type === 'RoCE v1');
    expect(both(connectX(1), v1)).to.deep.equal([2, 2]);
    const ipv6 = connectX(2).filter(({ ipv4 }) => !ipv4);
    expect(both(connectX(1), ipv6)).to.deep.equal([5, 5]);
  });

  it('prefers one subnet in IPv6 to two of IPv4', () => {
    const here = table([0, '10.1.1.1', 'RoCE v2', 'a'], [1, '2001:db8::1', 'RoCE v2', 'a']);
    const there = table([0, '192.168.7.1', 'RoCE v2', 'a'], [1, '2001:db8::2', 'RoCE v2', 'a']);
    expect(both(here, there)).to.deep.equal([1, 1]);
    expect(chooseGid(here.slice(0, 1), ethernet({ peer: there })).why).to.equal(
      "GID 0, 10.1.1.1 on a (RoCE v2): the best of those that go with the other side's, though its 192.168.7.1 is in another subnet",
    );
  });

  it('takes only IPv6 with that option', () => {
    expect(both(connectX(1), connectX(2), { ipv6: true })).to.deep.equal([5, 5]);
    expect(() => chooseGid(table([0, '10.1.1.1', 'RoCE v2', 'a']), ethernet({ ipv6: true }))).to.throw(
      RangeError,
      'the port has no GID of IPv6',
    );
  });

  it('takes the one asked for, and names those that there are', () => {
    const { entry: chosen, why } = chooseGid(connectX(1), ethernet({ index: 0, peer: connectX(2) }));
    expect([chosen?.index, why]).to.deep.equal([
      0,
      'GID 0, fe80::ee0d:9aff:fe00:1 on ens1np0 (RoCE v1): asked for by its index',
    ]);
    expect(() => chooseGid(vlansThere, ethernet({ index: 7 }))).to.throw(
      RangeError,
      'there is no GID of index 7: the port has 0, 1, 2',
    );
  });

  it('needs none on InfiniBand, but between subnets', () => {
    const own = infiniBand('fe80', 1);
    expect(chooseGid(own, { linkLayer: 'InfiniBand' })).to.deep.equal({
      ...{ entry: null, peer: null },
      why: 'no GID: InfiniBand needs none within a subnet',
    });
    expect(indexOf(own, { linkLayer: 'InfiniBand', peer: infiniBand('fe80', 2) })).to.equal(null);
    expect(indexOf(own, { linkLayer: 'InfiniBand', peer: infiniBand('fec0:0:0:9', 2) })).to.equal(0);
    expect(indexOf(own, { linkLayer: 'InfiniBand', index: 0 })).to.equal(0);
  });

  it('says what is missing where nothing goes together', () => {
    const v1 = connectX(1).filter(({ type }) => type === 'RoCE v1');
    expect(() => chooseGid(v1, ethernet({ peer: vlansThere }))).to.throw(
      RangeError,
      "no GID of this side goes with one of the other's: here RoCE v1 with IPv6, RoCE v1 with IPv4, there RoCE v2 with IPv6, RoCE v2 with IPv4; give both sides addresses of one kind",
    );
    expect(() => chooseGid([], ethernet())).to.throw(RangeError, 'the port has no GID: give');
    expect(() => chooseGid(vlansHere, ethernet({ peer: [] }))).to.throw(RangeError, 'there none');
  });
});
