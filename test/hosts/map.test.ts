/** `fabricbench map` across hosts of which one has a slow cable: found by what it sends, and nobody else. */
import { assert } from 'chai';
import { testFolder } from '../launch/folder.js';
import { describeUnder } from '../launch/mpirun.js';
import { program, readRecord } from '../launch/output.js';
import { findingsIn } from '../study/map-study.js';
import { withHosts } from './lab.js';

const NAMES = ['node1', 'node2', 'node3', 'node4', 'node5'];
const STREAMS = ['--mode', 'bw', '--size', '16K', '--window', '4', '--windows', '3'];

describeUnder('openmpi')('a map across hosts', function () {
  this.timeout(180_000);
  const hosts = withHosts(NAMES.length, { rate: '40mbit' });
  const file = testFolder();

  it('finds the host whose cable is slow, when it sends', async () => {
    hosts.shape({ rate: '4mbit' }, 'node3');
    const json = file();
    const words = ['map', '--hosts', NAMES.join(','), '--pml', 'ob1', ...STREAMS, '--fail-on-outlier', '--json', json];
    const done = await hosts.on('node1', [process.execPath, program('fabricbench'), ...words], { limit: 150 }).ended;
    assert.isFalse(done.hung, done.report);
    assert.equal(done.code, 1, done.report);
    const { study } = readRecord(json);
    assert.deepEqual(study?.['nodes'], NAMES);
    assert.deepEqual(study && findingsIn(study), ['host node3: bandwidth out'], done.report);
    assert.match(done.stdout, /^ {2}host node3$/m);
    assert.deepEqual(await hosts.strays(), []);
  });
});
