/** Which nodes a verdict finds slow, over tests with planted faults. */
import { assert } from 'chai';
import fc from 'fast-check';
import type { JsonObject, ResultRecord, RowRecord } from '../../src/results/types.js';
import { restOf } from '../../src/slurm/rest.js';
import { verdictText } from '../../src/slurm/verdict-text.js';
import { verdictOf } from '../../src/slurm/verdict.js';
import { exampleHead } from './records.js';

const SIZES = [8, 64, 512, 4096, 32768, 262144];

interface Planted {
  /** Times that a test takes, over the usual. */
  readonly factor: (nodes: readonly string[]) => number;
  readonly state?: (nodes: readonly string[]) => ResultRecord['status']['state'];
  /** Part by which figures vary by themselves. */
  readonly noise?: (test: number, row: number) => number;
}

function record(name: string, nodes: readonly string[], factor: number, state: 'done' | 'running'): ResultRecord {
  const { run, environment, ranks } = exampleHead();
  const isLatency = name === 'osu_latency';
  const rows = SIZES.map((size): RowRecord => {
    const seconds = (1e-6 + size / 1e10) * factor;
    const figures = isLatency
      ? { latency: { value: seconds, unit: 's' } }
      : { bandwidth: { value: size / seconds, unit: 'B/s' } };
    return { parameters: { size }, n: 10, figures, statistics: null };
  });
  const job = { manager: 'slurm', id: '1', name: null, nodes: nodes.join(','), partition: null, restarts: 0 } as const;
  return {
    ...{ schema: 'fabricbench-result-1', run: { ...run, name, job }, environment, ranks, rows, warnings: [] },
    status: { state },
  };
}

const namesOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index + 1}`);

/** Each node with the next in the list, as acceptance.sbatch pairs them. */
function ring(names: readonly string[], { factor, state = () => 'done' }: Planted): ResultRecord[] {
  return names.flatMap((name, index) => {
    const pair = [name, names[(index + 1) % names.length] ?? ''];
    const how = state(pair) === 'done' ? 'done' : 'running';
    return ['osu_latency', 'osu_bw'].map((program) => record(program, pair, factor(pair), how));
  });
}

describe('the rest of an interrupted run', () => {
  const of = (sizes: unknown, rows: readonly number[]): string | undefined => {
    const { run, ...others } = record('osu_bw', ['n1'], 1, 'running');
    const done = rows.map((size): RowRecord => ({ parameters: { size }, n: 1, figures: {}, statistics: null }));
    return restOf({ ...others, run: { ...run, options: { sizes } as JsonObject }, rows: done });
  };

  it('begins at the size after the last row', () => {
    assert.equal(of({ kind: 'range', min: 1, max: 4096 }, [1, 2, 4]), '8:4096');
    assert.equal(of({ kind: 'range', min: 0, max: 4096 }, [0]), '1:4096');
    assert.equal(of({ kind: 'range', min: 1, max: 4096 }, [1024, 2048]), '4096:4096');
  });

  it('is all of it where there is no row, or sizes alone do not tell', () => {
    assert.isUndefined(of({ kind: 'range', min: 1, max: 4096 }, []));
    assert.isUndefined(of({ kind: 'range', min: 1, max: 4096 }, [4096]));
    assert.isUndefined(of({ kind: 'range', min: 1, max: 4096 }, [1, 2, 1]));
    assert.isUndefined(of({ kind: 'list', sizes: [1, 64] }, [1]));
    assert.isUndefined(of(undefined, [1]));
  });
});

describe('a verdict on nodes', () => {
  it('finds a slow node by both of its pairs, and no other', () => {
    fc.assert(
      fc.property(fc.integer({ min: 6, max: 40 }), fc.nat(), (count, at) => {
        const names = namesOf(count);
        const bad = names[at % count] ?? '';
        const verdict = verdictOf(ring(names, { factor: (pair) => (pair.includes(bad) ? 1.5 : 1) }));
        assert.deepEqual([verdict.slowNodes, verdict.slowTests, verdict.untested], [[bad], [], []]);
      }),
    );
  });

  it('finds a slow path by its one pair, and accuses neither end', () => {
    const verdict = verdictOf(ring(namesOf(8), { factor: (pair) => (pair.join('+') === 'n3+n4' ? 2 : 1) }));
    assert.deepEqual([verdict.slowNodes, verdict.slowTests.map(({ nodes }) => nodes)], [[], [['n3', 'n4']]]);
    assert.match(
      verdictText(verdict),
      /^between n3 and n4 it is slow: osu_latency on n3\+n4 \(6 of 6 sizes, by 100 %\)/m,
    );
  });

  it('accuses nobody where all are as fast, within a tenth', () => {
    const jitter = fc.array(fc.double({ min: 0.96, max: 1.04, noNaN: true }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(jitter, (factors) => {
        const names = namesOf(8);
        const verdict = verdictOf(ring(names, { factor: ([first = '']) => factors[names.indexOf(first)] ?? 1 }));
        assert.deepEqual([verdict.slowNodes, verdict.slowTests], [[], []]);
        assert.match(verdictText(verdict), /^No node is slow$/m);
      }),
    );
  });

  it('tests nodes alone as well', () => {
    const records = namesOf(9).map((name) => record('osu_bw', [name], name === 'n5' ? 1.4 : 1, 'done'));
    assert.deepEqual(verdictOf(records).slowNodes, ['n5']);
  });

  it('says that a few tests tell nothing', () => {
    const verdict = verdictOf(ring(namesOf(3), { factor: (pair) => (pair.includes('n1') ? 9 : 1) }));
    assert.deepEqual([verdict.compared, verdict.slowNodes], [false, []]);
    assert.match(verdictText(verdict), /^Fewer than 5 tests can't tell which of them are slow$/m);
  });

  it('takes parts of a run that was interrupted for what they are', () => {
    const records = namesOf(6).map((name) => record('osu_bw', [name], 1, 'done'));
    const verdict = verdictOf([...records, record('osu_bw', ['n2'], 1, 'running')]);
    assert.deepEqual([verdict.untested, verdict.tests.length], [[], 6]);
  });

  it('names nodes that were not tested to the end', () => {
    const state = (pair: readonly string[]): 'done' | 'running' => (pair.includes('n2') ? 'running' : 'done');
    const verdict = verdictOf(ring(namesOf(6), { factor: () => 1, state }), [...namesOf(6), 'n9']);
    assert.deepEqual(verdict.untested, ['n2', 'n9']);
    assert.match(verdictText(verdict), /^n9 has no test whose records are all complete$/m);
  });
});
