import { expect } from 'chai';
import { bordersOf, levelsOf, namesOf, orderOf, type Place } from '../../src/study/map/places.js';
import { switchesOf } from '../../src/study/switches.js';

const at = (host: string, ...switches: string[]): Place => ({ host, switches });

describe('the places of a map', () => {
  it("are read from Slurm's address, whose last part is the host", () => {
    const read = (address?: string, pattern?: string) =>
      switchesOf({ SLURM_TOPOLOGY_ADDR: address, SLURM_TOPOLOGY_ADDR_PATTERN: pattern });
    expect(read('core.leaf2.node17', 'switch.switch.node')).to.deep.equal(['core', 'leaf2']);
    expect(read('leaf2.node17.cluster.org', 'switch.node')).to.deep.equal(['leaf2']);
    expect(read('node17', 'node')).to.deep.equal([]);
    expect(read()).to.deep.equal([]);
  });

  it('are ordered by switch and then as people count', () => {
    const places = [at('node10', 's2'), at('node2', 's10'), at('node9', 's2'), at('node1', 's10')];
    expect(orderOf(places).map((index) => places[index]?.host)).to.deep.equal(['node9', 'node10', 'node1', 'node2']);
    expect(orderOf([at('n10'), at('n9'), at('n9')])).to.deep.equal([1, 2, 0]);
  });

  it('have the names of their hosts, with numbers where several share one', () => {
    expect(namesOf([at('a'), at('b'), at('b'), at('c')])).to.deep.equal(['a', 'b:0', 'b:1', 'c']);
  });

  it('are on one level where nothing tells them apart', () => {
    const flat = levelsOf([at('a'), at('b'), at('c')]);
    expect(flat.count).to.equal(1);
    expect(flat.levelOf(0, 2)).to.equal(0);
    const rack = levelsOf([at('a', 's1'), at('b', 's1')]);
    expect(rack.levelOf(0, 1)).to.be.below(rack.count);
  });

  it('are as far apart as they have to go up', () => {
    const { levelOf, count } = levelsOf([
      at('a', 'core', 's1'),
      at('a', 'core', 's1'),
      at('b', 'core', 's1'),
      at('c', 'core', 's2'),
      at('d', 'other', 's2'),
    ]);
    expect([levelOf(0, 1), levelOf(0, 2), levelOf(2, 3), levelOf(3, 4)]).to.deep.equal([0, 1, 2, 3]);
    expect(count).to.be.above(3);
  });

  it('have borders where a switch begins, or a host of several nodes', () => {
    expect(bordersOf([at('a', 's1'), at('b', 's1'), at('c', 's2'), at('d', 's3')])).to.deep.equal([2, 3]);
    expect(bordersOf([at('a'), at('a'), at('b'), at('b')])).to.deep.equal([2]);
    expect(bordersOf([at('a'), at('b')])).to.deep.equal([]);
  });
});
