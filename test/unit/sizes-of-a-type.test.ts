import { expect } from 'chai';
import { planRun, type Place } from '../../src/bench/plan.js';
import { programs } from '../../src/bench/suites/index.js';
import { parseOsu } from '../../src/cli/osu.js';

const DATATYPES = new Map([
  ['MPI_CHAR', 1],
  ['MPI_INT', 4],
]);

const PLACE: Place = { ranks: 2, nodes: [], datatypes: DATATYPES, readText: () => '' };

function plan(argv: readonly string[], place: Place = PLACE) {
  const row = programs.get('osu_latency');
  if (!row) throw new Error('there is no osu_latency');
  const parsed = parseOsu(argv, row);
  if (parsed.kind !== 'run') throw new Error(`not a run: ${argv.join(' ')}`);
  return planRun(row, parsed.options, place);
}

describe('sizes that are no whole number of elements', () => {
  it('are left out of the sections they do not fit, with a warning', () => {
    const { sections, warnings } = plan(['--sizes', '3,4,6,8', '-T', 'mpi_char,mpi_int']);
    expect(sections).to.deep.equal([
      { datatype: 'MPI_CHAR', sizes: [3, 4, 6, 8] },
      { datatype: 'MPI_INT', sizes: [4, 8] },
    ]);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/\b6\b.* left out.* MPI_INT \(4 bytes each\)$/);
  });

  it('are left out without a word where they are below one element, as the peer does', () => {
    const { sections, warnings } = plan(['-m', '1:8', '-T', 'mpi_int']);
    expect(sections).to.deep.equal([{ datatype: 'MPI_INT', sizes: [4, 8] }]);
    expect(warnings).to.deep.equal([]);
  });
});

describe('sizes beyond what a device carries in one message', () => {
  const place = { ...PLACE, largest: 4096 };

  it('are left out, with a warning', () => {
    const { sections, warnings } = plan(['-m', '2K:16K'], place);
    expect(sections).to.deep.equal([{ datatype: 'MPI_CHAR', sizes: [2048, 4096] }]);
    expect(warnings).to.deep.equal(['sizes 8192, 16384 are left out: the device carries 4096 bytes at most']);
  });

  it('are refused where there is no other', () => {
    expect(() => plan(['--sizes', '8K'], place)).to.throw(
      'no size is left to measure (sizes 8192 are left out: the device carries 4096 bytes at most): give others with -m or --sizes',
    );
  });
});
