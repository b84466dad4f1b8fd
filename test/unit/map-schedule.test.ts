import { expect } from 'chai';
import fc from 'fast-check';
import { linksOf, roundsFor, shifts, tournament, tournamentRounds, type Round } from '../../src/study/map/schedule.js';

function pairsOf(round: Round, n: number): [number, number][] {
  const links = [...linksOf(round, n)];
  return Array.from({ length: links.length / 2 }, (_, at) => [links[2 * at] ?? NaN, links[2 * at + 1] ?? NaN]);
}

/** Whether every node can be reached from node 0. */
function isConnected(n: number, pairs: readonly (readonly [number, number])[]): boolean {
  const groups = Array.from({ length: n }, (_, node) => node);
  const rootOf = (node: number): number => (groups[node] === node ? node : rootOf(groups[node] ?? node));
  for (const [a, b] of pairs) groups[rootOf(a)] = rootOf(b);
  return groups.every((_, node) => rootOf(node) === rootOf(0));
}

const key = (a: number, b: number): string => `${Math.min(a, b)} ${Math.max(a, b)}`;
const nodes = fc.integer({ min: 2, max: 67 });
const seed = fc.integer({ min: 0, max: 1e6 });

describe('the schedule of a map', () => {
  it('has every two nodes meet once, and each node in one pair at a time', () => {
    fc.assert(
      fc.property(nodes, seed, (n, chosen) => {
        const rounds = tournament(n, Infinity, chosen);
        expect(rounds).to.have.length(tournamentRounds(n));
        const met = new Set<string>();
        for (const round of rounds) {
          const pairs = pairsOf(round, n);
          expect(new Set(pairs.flat()).size).to.equal(2 * pairs.length);
          expect(pairs).to.have.length(Math.floor(n / 2));
          for (const [a, b] of pairs) met.add(key(a, b));
        }
        expect(met.size).to.equal((n * (n - 1)) / 2);
      }),
    );
  });

  it('lets each sit out once where their number is odd', () => {
    const out = tournament(7, Infinity, 3).map((round) => {
      const playing = new Set(pairsOf(round, 7).flat());
      return [0, 1, 2, 3, 4, 5, 6].filter((node) => !playing.has(node));
    });
    expect(out.flat().sort()).to.deep.equal([0, 1, 2, 3, 4, 5, 6]);
  });

  it('takes samples that reach all nodes, each with as many partners or one more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 67 }), fc.integer({ min: 2, max: 9 }), seed, (n, partners, chosen) => {
        const pairs = tournament(n, partners, chosen).flatMap((round) => pairsOf(round, n));
        expect(isConnected(n, pairs)).to.equal(true);
        const counts = Array.from({ length: n }, (_, node) => pairs.filter((pair) => pair.includes(node)).length);
        expect(Math.max(...counts)).to.equal(Math.min(partners, n - 1));
        expect(Math.min(...counts)).to.be.within(Math.min(partners, n - 1) - 1, partners);
      }),
    );
  });

  it('is the same for the same seed, and another for another', () => {
    const order = (chosen: number): number[] => [...linksOf({ kind: 'tournament', index: 0, seed: chosen }, 32)];
    expect(order(5)).to.deep.equal(order(5));
    expect(order(5)).to.not.deep.equal(order(6));
  });

  it('shifts so that each sends to one and receives from one, and in the end from all', () => {
    fc.assert(
      fc.property(nodes, (n) => {
        const met = new Set<string>();
        for (const round of shifts(n, Infinity)) {
          const links = pairsOf(round, n);
          expect(new Set(links.map(([from]) => from)).size).to.equal(n);
          expect(new Set(links.map(([, to]) => to)).size).to.equal(n);
          for (const [from, to] of links) met.add(`${from} ${to}`);
        }
        expect(met.size).to.equal(n * (n - 1));
      }),
    );
  });

  it('takes different shifts for a sample, and the ring among them', () => {
    const some = shifts(100, 7).map((round) => (round.kind === 'shift' ? round.by : NaN));
    expect(some[0]).to.equal(1);
    expect(new Set(some).size).to.equal(7);
  });

  it('fits any pairs into rounds, each node in one pair at a time', () => {
    const pair = fc.tuple(fc.nat(20), fc.nat(20)).filter(([a, b]) => a !== b);
    fc.assert(
      fc.property(fc.uniqueArray(pair, { selector: ([a, b]) => key(a, b), maxLength: 60 }), (pairs) => {
        const rounds = roundsFor(pairs).map((round) => pairsOf(round, 21));
        for (const round of rounds) expect(new Set(round.flat()).size).to.equal(2 * round.length);
        const placed = rounds.flat().map(([a, b]) => key(a, b));
        expect(placed.sort()).to.deep.equal(pairs.map(([a, b]) => key(a, b)).sort());
        const degrees = pairs.flat().map((node) => pairs.filter((one) => one.includes(node)).length);
        expect(rounds.length).to.be.at.most(Math.max(0, 2 * Math.max(0, ...degrees) - 1));
      }),
    );
  });
});
