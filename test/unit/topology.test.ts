import { expect } from 'chai';
import { Refusal } from '../../src/bench/plan.js';
import { edgeNeighbours, gridNeighbours } from '../../src/bench/topology.js';

const edge = (source: number, destination: number) => ({ source, destination });

describe('neighbours', () => {
  it('by edges are those at the rank, in the order of the file', () => {
    const edges = [edge(0, 1), edge(2, 1), edge(1, 0), edge(1, 1)];
    expect(edgeNeighbours(1, 3, edges)).to.deep.equal({ sources: [0, 2, 1], destinations: [0, 1] });
    expect(edgeNeighbours(2, 3, edges)).to.deep.equal({ sources: [], destinations: [1] });
  });

  it('by edges that come twice, or of ranks that there are not, are refused on every rank', () => {
    for (const rank of [0, 1, 2]) {
      expect(() => edgeNeighbours(rank, 3, [edge(0, 1), edge(1, 0), edge(0, 1)])).to.throw(
        Refusal,
        'the edge 0,1 comes twice in -N graph:FILE: leave one out',
      );
      for (const wrong of [edge(3, 0), edge(0, 3)]) {
        expect(() => edgeNeighbours(rank, 3, [edge(0, 1), wrong])).to.throw(Refusal, 'this run of 3 does not have');
      }
    }
  });

  it('in a grid are those within the radius along each dimension', () => {
    const near = [3, 5, 1, 7];
    expect([...gridNeighbours(4, [3, 3], 1).sources].sort()).to.deep.equal([...near].sort());
    expect(gridNeighbours(0, [5], 2)).to.deep.equal({ sources: [4, 1, 3, 2], destinations: [4, 1, 3, 2] });
    expect(() => gridNeighbours(0, [4], 2)).to.throw(Refusal, 'need at least 5 ranks along each dimension');
  });
});
