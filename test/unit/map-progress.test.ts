/** What the record of a map holds before it has ended. */
import { expect } from 'chai';
import { progressRecord, studyRecord } from '../../src/study/map/record.js';
import { survey } from '../../src/study/map/survey.js';
import type { StudyRecord } from '../../src/results/types.js';
import { EFFORT, simulatedMeter } from './map-cluster.js';

const NODES = 8;
const roster = {
  names: Array.from({ length: NODES }, (_, node) => `node${node}`),
  ranks: Array.from({ length: NODES }, (_, node) => node),
};
const options = {
  ...{ congested: false, sample: undefined, timeLimit: 300, effect: 0.1, wanted: EFFORT, fixed: {}, seed: 1 },
  levels: { count: 1, levelOf: () => 0 },
};

/** Records while it measures, and the last one; telling takes some seconds of the meter's clock. */
function recordsOf(telling: number): { before: StudyRecord[]; last: StudyRecord } {
  const meter = simulatedMeter({ nodes: NODES, overhead: 2 });
  let told = 0;
  const late = { nodes: NODES, now: () => meter.now() + told, measure: meter.measure };
  const before: StudyRecord[] = [];
  const result = survey(late, {
    ...options,
    measured: (progress) => {
      told += telling;
      before.push(progressRecord(progress, roster));
    },
  });
  return { before, last: studyRecord(result, roster) };
}

describe('a map under way', () => {
  it('has in its record what was measured, every few seconds and after the last round', () => {
    const { before, last } = recordsOf(0);
    expect(before.map((one) => one['rounds'])).to.deep.equal([1, 4, 7]);
    expect(before.map((one) => one['pairs'])).to.deep.equal([4, 16, 28]);
    const { effort, rounds, roundsOfAll, hosts } = last;
    expect(before.at(-1)).to.deep.include({ effort, rounds, roundsOfAll });
    // Repeats of suspects, which come by chance too, change some figures yet.
    expect(before.at(-1)?.['hosts']).to.have.all.keys(Object.keys(hosts as object));
    const [first] = before;
    expect(first?.['hosts']).to.have.nested.property('latency.out.length', NODES);
    expect(first?.['hosts']).to.have.nested.property('bandwidth.into.0').that.is.above(0);
  });

  it('tells more rarely where that takes long', () => {
    expect(recordsOf(1).before.map((one) => one['rounds'])).to.deep.equal([1, 7]);
  });
});
