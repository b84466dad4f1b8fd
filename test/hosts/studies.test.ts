/** `fabricbench scan` and `congest` between hosts whose cables are slow: what the cable does is seen. */
import { assert } from 'chai';
import { testFolder } from '../launch/folder.js';
import { program, readRecord } from '../launch/output.js';
import { withHosts } from './lab.js';

const script = program('fabricbench');
/** 100 Mbit/s, in bytes per second. */
const CABLE = 12.5e6;
/** What the cable's bucket lets through at once, as a part of what is sent here. */
const BUCKET = 1.1;

interface Impact {
  readonly aggressor: string;
  readonly measures: { readonly median: { readonly factor: { readonly value: number } } };
}

describe('studies between hosts', function () {
  this.timeout(150_000);
  const hosts = withHosts(2, { rate: '100mbit' });
  const file = testFolder();

  it('scan pairs over the cable, which more pairs make no faster', async () => {
    const json = file();
    const few = ['--sizes', '64K', '--windows', '16', '--iterations', '6', '--warmup', '1', '--repeats', '1'];
    const places = ['--hosts', hosts.names.join(','), '--ranks-per-node', '2', '--mpi', 'openmpi', '--pml', 'ob1'];
    const start = [process.execPath, script, 'scan', ...places, ...few, '--json', json];
    const { code, hung, stdout, report } = await hosts.on('node1', start, { limit: 120 }).ended;
    assert.deepEqual([code, hung], [0, false], report);
    assert.include(stdout, '# Pairs are of rank i and i + 2: between hosts\n');
    const { rows, ranks } = readRecord(json);
    assert.deepEqual(
      ranks.map(({ host }) => host),
      ['node1', 'node1', 'node2', 'node2'],
    );
    assert.lengthOf(rows, 2);
    // A sum of what each pair has in its own time: where one is through, the other has the cable alone for the rest.
    for (const { figures, parameters } of rows)
      assert.isBelow(figures['bandwidth']?.value ?? NaN, BUCKET * CABLE * (parameters['pairs'] === 2 ? 1.5 : 1));
    assert.deepEqual(await hosts.strays(), []);
  });

  it('find latency many times as long behind the traffic of others', async () => {
    const json = file();
    const few = ['--iterations', '30', '--warmup', '2', '--rounds', '6', '--window', '4', '--victim', 'latency'];
    const kinds = ['--aggressors', 'alltoall,put', '--aggressor-size', '64K'];
    const argv = [script, 'congest', ...few, ...kinds, '--json', json];
    // Its default component can't make windows over TCP alone.
    const options = ['--mca', 'osc', 'pt2pt'];
    const { code, hung, report } = await hosts.mpirun(argv, { pml: 'ob1', each: 3, options, limit: 140 }).ended;
    assert.deepEqual([code, hung], [0, false], report);
    const { study } = readRecord(json);
    const impacts = study?.['impacts'] as unknown as readonly Impact[];
    assert.deepEqual(
      impacts.map(({ aggressor }) => aggressor),
      ['alltoall', 'put'],
    );
    // A full queue before the cable holds some 50 ms of traffic, many times what a message takes alone.
    for (const { measures, aggressor } of impacts)
      assert.isAbove(measures.median.factor.value, 2, `${aggressor} ${report}`);
    assert.deepEqual(await hosts.strays(), []);
  });

  it('leave out traffic that MPI can not make between them', async () => {
    const json = file();
    const few = ['--iterations', '5', '--rounds', '1', '--victim', 'latency', '--aggressors', 'incast,put'];
    const argv = [script, 'congest', ...few, '--aggressor-size', '1K', '--window', '1', '--json', json];
    const { code, hung, stderr, report } = await hosts.mpirun(argv, { pml: 'ob1', each: 2 }).ended;
    assert.deepEqual([code, hung], [0, false], report);
    const impacts = readRecord(json).study?.['impacts'] as unknown as readonly Impact[];
    const told = stderr.includes('there can be no put here');
    assert.deepEqual(
      impacts.map(({ aggressor }) => aggressor),
      told ? ['incast'] : ['incast', 'put'],
      report,
    );
  });
});
