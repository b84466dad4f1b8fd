import { expect } from 'chai';
import { csvPieces } from '../../src/study/map/csv.js';
import { heatElement } from '../../src/study/map/heat-svg.js';
import { heatText } from '../../src/study/map/heat-text.js';
import { rowsOf, studyRecord } from '../../src/study/map/record.js';
import { survey, type Survey, type SurveyOptions } from '../../src/study/map/survey.js';
import { EFFORT, simulatedMeter, slowHost, slowLink, type Cluster, type SimulatedMeter } from '../unit/map-cluster.js';
import { findingsIn, runMap, simulatedHosts } from './map-study.js';

const MINUTE = 60;
const MIB = 2 ** 20;

const options: SurveyOptions = {
  ...{ congested: false, sample: undefined, timeLimit: 5 * MINUTE, effect: 0.1, wanted: EFFORT, fixed: {}, seed: 1 },
  levels: { levelOf: () => 0, count: 1 },
};

interface Large {
  readonly meter: SimulatedMeter;
  readonly result: Survey;
}

function mapOf(cluster: Cluster, changes: Partial<SurveyOptions> = {}): Large {
  const meter = simulatedMeter(cluster);
  return { meter, result: survey(meter, { ...options, ...changes }) };
}

const namesOf = (nodes: number): string[] => Array.from({ length: nodes }, (_, node) => `node${node}`);

describe('a map of many nodes', function () {
  this.timeout(300_000);

  it('ends within minutes for 1,000 nodes, with all pairs, and finds the faults', () => {
    const faults = [slowHost(500, { bandwidth: 0.6 }), slowLink(1, 998, { latency: 1.5 })];
    const { meter, result } = mapOf({ nodes: 1000, faults });
    expect(meter.now()).to.be.below(5 * MINUTE);
    expect(result.pairs).to.equal(499_500);
    expect(result.findings.map(({ kind, nodes }) => `${kind} ${nodes.join(' ')}`)).to.deep.equal([
      'host 500',
      'link 1 998',
    ]);
  });

  it('ends within its limit on a slow network of 1,000 nodes, by smaller messages and a sample of the pairs', () => {
    const slow = { nodes: 1000, latency: 50e-6, bandwidth: 1e8, overhead: 0.2 };
    const { meter, result } = mapOf({ ...slow, faults: [slowHost(77, { latency: 1.6 })] }, { timeLimit: 3 * MINUTE });
    expect(meter.now()).to.be.below(3 * MINUTE);
    expect(result.plan.rounds).to.be.within(2, 998);
    expect(result.plan.effort.size).to.be.below(EFFORT.size);
    expect(result.findings.map(({ kind, nodes }) => `${kind} ${nodes.join(' ')}`)).to.deep.equal(['host 77']);
  });

  it('stops by the clock where rounds take longer than the pilot promised', () => {
    const meter = simulatedMeter({ nodes: 200, overhead: 0.01 });
    let rounds = 0;
    const slowing = {
      ...meter,
      now: () => meter.now() + (rounds > 3 ? (rounds - 3) * 5 : 0),
      measure: (batch: Parameters<typeof meter.measure>[0], effort: Parameters<typeof meter.measure>[1]) => {
        rounds += batch.length;
        return meter.measure(batch, effort);
      },
    };
    const result = survey(slowing, { ...options, timeLimit: 2 * MINUTE });
    expect(result.rounds).to.be.below(result.plan.rounds);
    expect(result.seconds).to.be.below(2.5 * MINUTE);
  });

  describe('of 4,096 nodes', () => {
    const nodes = 4096;
    let large: Large;
    before(() => {
      large = mapOf({ nodes, noise: 0.05, overhead: 1e-3 }, { timeLimit: 30 * MINUTE });
    });

    it('accuses nobody where nobody is slow', () => {
      expect(large.result.pairs).to.equal((nodes * (nodes - 1)) / 2);
      expect(large.result.findings).to.deep.equal([]);
      expect(large.result.unsettled).to.deep.equal([]);
    });

    it('keeps 16 bytes of each pair, and nothing else that grows with them', () => {
      const { latency, jitter, bandwidth } = large.result.grids;
      const bytes = (latency?.byteLength ?? NaN) + (jitter?.byteLength ?? NaN) + (bandwidth?.byteLength ?? NaN);
      expect(bytes / large.result.pairs).to.be.below(16.1);
      // Whatever else is held: samples of each pair would be gigabytes.
      expect(process.memoryUsage().arrayBuffers).to.be.below(bytes + 64 * MIB);
      expect(process.memoryUsage().heapUsed).to.be.below(512 * MIB);
    });

    it('has a record that grows with nodes, not with pairs', () => {
      const roster = { names: namesOf(nodes), ranks: [...Array(nodes).keys()] };
      const text = JSON.stringify([rowsOf(large.result), studyRecord(large.result, roster)]);
      expect(text.length / nodes).to.be.below(200);
    });

    it('is drawn in tiles', () => {
      const { latency } = large.result.grids;
      if (!latency) throw new Error('no latency');
      const names = namesOf(nodes);
      const text = heatText('latency', latency, { names, findings: [], colour: false });
      expect(text.split('\n')).to.have.length(34);
      expect(text).to.contain('128 nodes to a square');
      const svg = heatElement([['latency', latency]], { title: 'x', facts: [], names, findings: [], borders: [] });
      expect(svg.length).to.be.below(2 * MIB);
    });

    it('goes to CSV in pieces', () => {
      let [pieces, longest, lines] = [0, 0, 0];
      for (const piece of csvPieces(large.result.grids, namesOf(nodes))) {
        pieces += 1;
        longest = Math.max(longest, piece.length);
        lines += piece.split('\n').length - 1;
        if (pieces === 100) break;
      }
      expect(longest).to.be.below(128 * 1024);
      expect(lines).to.be.above(10_000);
    });
  });

  it('of 4,096 nodes over the mock transport, with samples of the pairs', () => {
    const slow = (rank: number): boolean => rank === 1234;
    const faults = [
      { from: slow, to: () => true, slower: 2 },
      { from: () => true, to: slow, slower: 2 },
    ];
    const given = { sample: '4', mode: 'latency', iterations: '20', 'time-limit': '3600' };
    const { study, rows } = runMap(simulatedHosts(4096, faults), given);
    expect(findingsIn(study)).to.deep.equal(['host node1235: latency both']);
    expect(study['pairs']).to.equal(4096 * 2);
    expect(JSON.stringify([study, rows]).length / 4096).to.be.below(200);
  });
});
