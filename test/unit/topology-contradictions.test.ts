import { expect } from 'chai';
import { contradiction } from '../../src/topology/consistent.js';
import type { RawObject, RawTopology } from '../../src/topology/native.js';

function object(type: RawObject['type'], parent: number, os: number, cpus: string): RawObject {
  return {
    ...{ type, parent, os, cpus, logical: os, size: -1, level: -1, kind: '', address: '', speed: -1 },
    ...{ pciClass: -1, vendor: -1, name: '', subtype: '', infos: {} },
  };
}

/** A package of two cores, of which the second has two hardware threads; its NUMA node is beside it. */
const sound: readonly RawObject[] = [
  object('machine', -1, 0, '0-2'),
  object('numa', 0, 0, '0-2'),
  object('package', 0, 0, '0-2'),
  object('core', 2, 0, '0'),
  object('pu', 3, 0, '0'),
  object('core', 2, 1, '1-2'),
  object('pu', 5, 1, '1'),
  object('pu', 5, 2, '2'),
];

const xml = ['NUMANode', 'Socket', 'Core', 'PU', 'Core', 'PU', 'PU'].map((type) => `<object type="${type}" />`).join();

const of = (objects: readonly RawObject[]): RawTopology => ({
  ...{ objects, allowed: '0-2', offline: '', thisSystem: false, latencies: null, kinds: [] },
});

const changed = (place: number, change: Partial<RawObject>): RawTopology =>
  of(sound.map((one, index) => (index === place ? { ...one, ...change } : one)));

describe('contradictions in a topology', () => {
  it('are none in one that is sound, from a file or from a description', () => {
    expect(contradiction(of(sound), xml)).to.equal(undefined);
    expect(contradiction(of(sound), null)).to.equal(undefined);
    // hwloc makes a NUMA node up where there is none, and comments name nothing.
    expect(contradiction(of(sound), `${xml.replace('NUMANode', 'Misc')}<!-- <object type="PU" /> -->`)).to.equal(
      undefined,
    );
  });

  it('are objects that the file names and hwloc has taken out', () => {
    expect(contradiction(of(sound), `${xml}<object type="PU" />`)).to.equal('only 3 of its 4 processors are anywhere');
    expect(contradiction(of(sound), `${xml}<object type="Package" />`)).to.equal(
      'only 1 of its 2 packages are anywhere',
    );
    expect(contradiction(of(sound), `${xml}<object type="NUMANode" />`)).to.equal(
      'only 1 of its 2 NUMA nodes are anywhere',
    );
  });

  it('are processors that there are not, twice, or with the sets of others', () => {
    expect(contradiction(of([object('machine', -1, 0, '')]), null)).to.equal('it has no processors');
    expect(contradiction(changed(7, { os: 1, cpus: '1' }), null)).to.equal('two processors have one number');
    expect(contradiction(changed(7, { cpus: '0' }), null)).to.equal('the set of processor 2 is 0');
    expect(contradiction(changed(7, { cpus: '' }), null)).to.equal('the set of processor 2 is empty');
  });

  it('are parts whose sets are not those of their processors', () => {
    for (const [place, cpus] of [
      [3, '0-1'],
      [3, ''],
      [2, '0-1'],
      [5, '1'],
    ] as const)
      // prettier-ignore
      expect(contradiction(changed(place, { cpus }), null), `${place} ${cpus}`).to.match(/^the set of (core|package) [01] is not that/);
    expect(contradiction(of([...sound, object('cache', 2, 9, '2')]), null)).to.match(/^the set of cache 9 is not/);
    // `lstopo --restrict` leaves empty packages and caches where they have memory or devices.
    expect(contradiction(of([...sound, object('package', 0, 1, ''), object('cache', 8, 9, '')]), null)).to.equal(
      undefined,
    );
    expect(contradiction(changed(1, { cpus: '0-3' }), null)).to.equal('NUMA node 0 has processors that there are not');
    // A node of memory alone has none.
    expect(contradiction(changed(1, { cpus: '' }), null)).to.equal(undefined);
  });
});
