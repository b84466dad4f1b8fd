import { expect } from 'chai';
import { binomialTail, FALSE_ALARMS } from '../../src/study/map/confirm.js';
import { levelsOf, type Levels } from '../../src/study/map/places.js';
import { survey, type Survey, type SurveyOptions } from '../../src/study/map/survey.js';
import type { Finding } from '../../src/study/map/verdict.js';
import { EFFORT, simulatedMeter, slowDirection, slowHost, slowLink, type Cluster, type Fault } from './map-cluster.js';

const flat: Levels = { levelOf: () => 0, count: 1 };

function mapOf(cluster: Cluster, options: Partial<SurveyOptions> = {}): Survey {
  const defaults = {
    congested: false,
    sample: undefined,
    timeLimit: 300,
    effect: 0.1,
    fixed: {},
    seed: 1,
    levels: flat,
  };
  return survey(simulatedMeter(cluster), { ...defaults, wanted: EFFORT, ...options });
}

const told = ({ kind, nodes, evidence }: Finding): string =>
  `${kind} ${nodes.join('-')}: ${evidence
    .map(({ figure, way }) => `${figure} ${way}`)
    .sort()
    .join(', ')}`;

describe('the verdict of a map', () => {
  it('finds a slow link, host, direction and a lossy link among 64 nodes, and nothing else', () => {
    const faults: Fault[] = [
      slowLink(3, 40, { latency: 1.6, bandwidth: 0.5 }),
      slowHost(17, { latency: 1.4, bandwidth: 0.7 }),
      slowDirection(50, 8, 0.4),
      slowLink(21, 22, { jitter: 40 }),
    ];
    const { findings, unsettled } = mapOf({ nodes: 64, faults });
    expect(findings.map(told).sort()).to.deep.equal([
      'direction 50-8: bandwidth out',
      'host 17: bandwidth into, bandwidth out, latency both',
      'link 21-22: jitter both',
      'link 3-40: bandwidth into, bandwidth out, latency both',
    ]);
    expect(unsettled).to.deep.equal([]);
  });

  it('says how much, and how sure it is', () => {
    const { findings } = mapOf({ nodes: 32, faults: [slowLink(1, 2, { latency: 2 })] });
    const evidence = findings[0]?.evidence[0];
    expect(evidence?.factor).to.be.closeTo(2, 0.2);
    expect(evidence?.expected).to.be.closeTo(2e-6, 2e-7);
    expect(evidence?.measured).to.be.closeTo(4e-6, 4e-7);
    expect(evidence?.falseAlarm).to.be.within(0, FALSE_ALARMS);
    expect(evidence?.hits).to.equal(evidence?.tries);
  });

  it('tells a host that is slow only when it sends, or only when it receives', () => {
    const sends: Fault = { bandwidth: 0.5, hits: (from) => from === 9 };
    const receives: Fault = { bandwidth: 0.5, hits: (_, to) => to === 4 };
    const { findings } = mapOf({ nodes: 24, faults: [sends, receives] });
    expect(findings.map(told).sort()).to.deep.equal(['host 4: bandwidth into', 'host 9: bandwidth out']);
  });

  it('finds them where everybody talks at once', () => {
    const faults = [slowDirection(5, 20, 0.4), slowHost(11, { bandwidth: 0.6 })];
    const wanted = { ...EFFORT, latencyIterations: 0 };
    const { findings } = mapOf({ nodes: 32, faults }, { congested: true, wanted });
    expect(findings.map(told).sort()).to.deep.equal([
      'direction 5-20: bandwidth out',
      'host 11: bandwidth into, bandwidth out',
    ]);
  });

  it('finds slow hosts in a sample of the pairs', () => {
    const { findings, pairs } = mapOf({ nodes: 200, faults: [slowHost(77, { latency: 1.5 })] }, { sample: 10 });
    expect(pairs).to.equal(1000);
    expect(findings.map(told)).to.deep.equal(['host 77: latency both']);
  });

  it('finds a bad link among four nodes', () => {
    const { findings } = mapOf({ nodes: 4, faults: [slowLink(0, 2, { bandwidth: 0.3 })] });
    expect(findings.map(told)).to.deep.equal(['link 0-2: bandwidth into, bandwidth out']);
  });

  it('does not judge fewer than four nodes', () => {
    const { findings, tooFew } = mapOf({ nodes: 3, faults: [slowLink(0, 2, { bandwidth: 0.3 })] });
    expect({ findings, tooFew }).to.deep.equal({ findings: [], tooFew: true });
  });

  it('accuses nobody for what happens once', () => {
    const { findings, families } = mapOf({ nodes: 64, spikes: { share: 0.01, factor: 3 } });
    expect(families.some(({ suspects }) => suspects > 0)).to.equal(true);
    expect(findings).to.deep.equal([]);
  });

  it('accuses nobody in clean maps: fewer than the false alarms that it states', () => {
    const maps = 200;
    let alarms = 0;
    for (let seed = 1; seed <= maps; seed++) {
      const { findings } = mapOf({ nodes: 16, seed, noise: 0.05, spikes: { share: 0.02, factor: 2 } }, { seed });
      if (findings.length > 0) alarms += 1;
    }
    // So many or more would come by chance less often than once in ten thousand runs, if the statement is true.
    const most = Array.from({ length: maps }, (_, count) => count).find(
      (count) => binomialTail(count, maps, FALSE_ALARMS) < 1e-4,
    );
    expect(alarms).to.be.below(most ?? 0);
  });

  it('does not blame the far half of the network, whether its levels are known or not', () => {
    const distance = (a: number, b: number): number => (a < 48 === b < 48 ? 1 : 1.5);
    const places = Array.from({ length: 64 }, (_, node) => ({ host: `n${node}`, switches: [node < 48 ? 's1' : 's2'] }));
    expect(mapOf({ nodes: 64, distance }).findings).to.deep.equal([]);
    const faults = [slowLink(3, 60, { latency: 1.3 })];
    const known = mapOf({ nodes: 64, distance, faults }, { levels: levelsOf(places) });
    expect(known.findings.map(told)).to.deep.equal(['link 3-60: latency both']);
  });

  it('does not tell what is too small to matter', () => {
    expect(mapOf({ nodes: 32, noise: 0.005, faults: [slowLink(1, 2, { latency: 1.06 })] }).findings).to.deep.equal([]);
    const fine = mapOf({ nodes: 32, noise: 0.005, faults: [slowLink(1, 2, { latency: 1.06 })] }, { effect: 0.03 });
    expect(fine.findings.map(told)).to.deep.equal(['link 1-2: latency both']);
  });

  it('puts the medians of all that was measured of a link into the map', () => {
    const { grids } = mapOf({ nodes: 16, noise: 0.02, faults: [slowLink(1, 2, { latency: 3 })] });
    expect(grids.latency?.at(1, 2)).to.be.closeTo(6e-6, 3e-7);
  });
});

describe('the chance of hits', () => {
  it('is the tail of a binomial distribution', () => {
    expect(binomialTail(0, 5, 0.3)).to.be.closeTo(1, 1e-12);
    expect(binomialTail(5, 5, 0.3)).to.be.closeTo(0.3 ** 5, 1e-12);
    expect(binomialTail(1, 2, 0.5)).to.be.closeTo(0.75, 1e-12);
  });
});
