/** The ways to meet of the eight ib_* programs on real verbs. Runs in the Soft-RoCE machine. */
import { assert } from 'chai';
import { perftestNames } from '../../src/bench/suites/perftest.js';
import { launch } from '../launch/mpirun.js';
import { program } from '../launch/output.js';
import { runPair, type Ended } from './processes.js';

const ADDRESS = '10.9.0.1';
const FEW = ['-n', '50'];
/** MPI itself stays off the device: UCX's datagrams don't get through Soft-RoCE without settings. */
const SHARED_MEMORY = { pml: 'ob1', env: { OMPI_MCA_btl: 'self,vader' } } as const;
const rows = (stdout: string): string[] => stdout.split('\n').filter((line) => /^ \d+ +\d+ /.test(line));
const ours = (name: string): string[] => [process.execPath, program(name)];

/** Both ended well; the client has its row, without the figures that divide by nothing. */
function assertRan({ server, client, report }: { server: Ended; client: Ended; report: string }): void {
  assert.deepEqual([server.code, client.code], [0, 0], report);
  assert.lengthOf(rows(client.stdout), 1, report);
  assert.notMatch(client.stdout, /\b(inf|nan|NaN)\b/, report);
}

for (const name of perftestNames) {
  describe(name, () => {
    const side = [...ours(name), ...FEW];

    it('runs between server and client', async () => {
      assertRan(await runPair(side, [...side, ADDRESS]));
    });

    it('runs with queue pairs of rdma_cm', async () => {
      const cm = [...side, '-R'];
      assertRan(await runPair(cm, [...cm, ADDRESS]));
    });

    it('serves a stock perftest', async () => {
      assertRan(await runPair([...side, '--peer', 'perftest'], [name, '-F', ...FEW, ADDRESS]));
    });

    it('is the client of a stock perftest', async () => {
      assertRan(await runPair([name, '-F', ...FEW], [...side, '--peer', 'perftest', ADDRESS]));
    });

    it('runs between two ranks', async () => {
      const launched = await launch(program(name), FEW, { limit: 120, ...SHARED_MEMORY });
      assert.equal(launched.code, 0, launched.report);
      assert.lengthOf(rows(launched.stdout), 1, launched.report);
    });
  });
}

describe('two sides in the lab', () => {
  it('meet by rdma_cm alone', async () => {
    const side = [...ours('ib_send_lat'), ...FEW, '-z'];
    assertRan(await runPair(side, [...side, ADDRESS], { way: 'rdma_cm' }));
  });
});
