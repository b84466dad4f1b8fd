/** Every datatype that `-T` offers, with all data checked, and what Open MPI can't do with some. */
import { assert } from 'chai';
import { ATOMIC_TYPES, DATA_TYPES, REDUCTION_TYPES, shortName } from '../../src/cli/datatypes.js';
import { openMpiVersion, swapRefusal } from '../../src/mpi/defects.js';
import type { Part, Ran } from './cases/parts.js';
import { testFolder } from './folder.js';
import { assertWell, part, runMany } from './many.js';
import { describeUnder, launch } from './mpirun.js';
import { assertDone, assertFailed, ownLines, program, readRecord, rowsOf } from './output.js';

const FEW = '-i 5 -x 1 -c';

const offers: readonly { readonly line: string; readonly types: readonly string[] }[] = [
  { line: 'osu_latency -m 64:64', types: DATA_TYPES },
  { line: 'osu_allgather -m 64:64', types: DATA_TYPES },
  { line: 'osu_put_latency -m 64:64', types: DATA_TYPES },
  { line: 'osu_allreduce -m 64:64', types: REDUCTION_TYPES },
  { line: 'osu_ireduce_scatter -m 64:64', types: REDUCTION_TYPES },
  { line: 'osu_acc_latency -m 64:64', types: REDUCTION_TYPES },
  // In other windows Open MPI 4.1 adds up two floats as one integer: see docs/differences.md.
  { line: 'osu_get_acc_latency -m 64:64 -w allocate', types: REDUCTION_TYPES },
  { line: 'osu_fop_latency', types: REDUCTION_TYPES },
  { line: 'osu_cas_latency -w create', types: ATOMIC_TYPES },
];

function assertAllPass(ran: Ran, types: readonly string[]): void {
  assertWell(ran);
  const sections = [...ran.stdout.matchAll(/^# Datatype: (\S+)\.$/gm)].map(([, type]) => type);
  assert.deepEqual(sections, [...types]);
  assert.deepEqual(
    rowsOf(ran.stdout).map((words) => words.at(-1)),
    types.map(() => 'Pass'),
  );
}

for (const mpi of ['openmpi', 'mpich'] as const) {
  describeUnder(mpi)(`all datatypes under ${mpi}`, () => {
    let all: Ran[] = [];
    before(async () => {
      const lines = offers.map(({ line, types }) => `${line} -T ${types.map(shortName).join(',')} ${FEW}`);
      all = await runMany(lines.map(part), { mpi });
    });
    for (const [index, { line, types }] of offers.entries()) {
      it(line, () => {
        const ran = all[index];
        assert.isDefined(ran);
        if (ran) assertAllPass(ran, types);
      });
    }
  });
}

describeUnder('openmpi')('a compare and swap of 8 bytes', () => {
  const file = testFolder();
  // Open MPI would take another component where the kernel doesn't let it copy between processes.
  const rdma = { OMPI_MCA_osc: 'rdma', OMPI_MCA_btl_vader_single_copy_mechanism: 'emulated' };
  const swap = (options: string): Part => part(`osu_cas_latency ${options} ${FEW}`);

  it('in memory of MPI_Win_allocate is refused where osc rdma would crash, in one sentence, exit 77', async () => {
    const json = file();
    const argv = ['-T', 'long', '-i', '5', '-c', '--json', json];
    const launched = await launch(program('osu_cas_latency'), argv, { env: rdma });
    if (launched.code === 0) {
      const library = readRecord(json).environment.mpi?.library ?? '';
      assert.isNull(swapRefusal({ library, osc: 'rdma' }), library);
      assert.isNotNull(openMpiVersion(library));
      return;
    }
    assertFailed(launched, 77);
    assert.equal(launched.stdout, '');
    assert.lengthOf(ownLines(launched), 1);
    assert.match(ownLines(launched)[0] ?? '', /^osu_cas_latency: MPI_Compare_and_swap of 8 bytes .*: use -w create, /);
  });

  it('works in other windows, and swaps of other sizes in that one', async () => {
    const parts = [
      ...['-T int,int16_t,byte', '-w create -T long', '-w dynamic -T int64_t'].map(swap),
      part(`osu_fop_latency -T long,double ${FEW}`),
    ];
    for (const ran of await runMany(parts, { env: rdma })) {
      assertWell(ran);
      assert.deepEqual([...new Set(rowsOf(ran.stdout).map((words) => words.at(-1)))], ['Pass']);
    }
  });

  for (const osc of ['sm', 'pt2pt', 'ucx']) {
    it(`works with the component ${osc} that the sentence names`, async () => {
      const launched = await launch(program('osu_cas_latency'), ['-T', 'long', '-i', '5', '-c'], {
        env: { OMPI_MCA_osc: osc },
      });
      assertDone(launched);
      assert.match(launched.stdout, /^8 .* Pass$/m);
    });
  }
});
