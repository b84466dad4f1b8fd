/** What the peer gets wrong in the benchmarks beyond the first four, and we don't: what needs no MPI to show. */
import { expect } from 'chai';
import { Refusal } from '../../src/bench/plan.js';
import { osuRows } from '../../src/bench/suites/osu.js';
import { parseOsu } from '../../src/cli/osu.js';
import { mockRun } from './mock-run.js';

const FEW = ['-m', '4:16', '-i', '5', '-x', '1'];

function refusal(name: string, argv: readonly string[], ranks: number): Refusal {
  try {
    mockRun(name, argv, { ranks });
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error(`${name} ran`);
}

/** Words of the rows of a table. */
function words(text: string): string[][] {
  const lines = text.split('\n').filter((line) => /^\d/.test(line));
  return lines.map((line) => line.split(/\s+/));
}

const counts = (name: string, argv: readonly string[]): string[] =>
  mockRun(name, argv).rows.map(({ n, warmup }) => `${n}+${warmup}`);

describe('mends of the peer', () => {
  it('osu_multi_lat -z prints the percentiles that its header names', () => {
    const rows = words(mockRun('osu_multi_lat', [...FEW, '-z'], { ranks: 4 }).text);
    expect(rows.map((row) => row.length)).to.deep.equal([5, 5, 5]);
    expect(rows.flat().every((word) => Number(word) > 0)).to.equal(true);
  });

  it('osu_multi_lat refuses numbers of ranks on which the peer waits for ever', () => {
    for (const ranks of [1, 3, 5]) {
      const { message, exitCode } = refusal('osu_multi_lat', [], ranks);
      expect(message).to.match(/needs (at least two|an even number of) ranks/);
      expect(exitCode).to.equal(1);
    }
  });

  it('reduce_scatter_block leaves out sizes with less than an element for each rank', () => {
    for (const name of ['osu_reduce_scatter_block', 'osu_ireduce_scatter_block']) {
      const { text } = mockRun(name, ['-m', '1:64', '-i', '5', '-x', '1'], { ranks: 4 });
      expect(words(text).map(([size]) => size)).to.deep.equal(['16', '32', '64']);
    }
  });

  it('a root that there is not is refused before anything is printed', () => {
    for (const name of ['osu_gather', 'osu_scatterv', 'osu_reduce', 'osu_igather', 'osu_ireduce']) {
      const { message, exitCode } = refusal(name, [...FEW, '-k', 'fixed:2'], 2);
      expect(message).to.contain('-k fixed:2 names a rank that this run of 2 does not have');
      expect(exitCode).to.equal(1);
    }
  });

  it('percentiles of few samples are samples, not what lies before them', () => {
    for (const name of ['osu_allgather', 'osu_ialltoall', 'osu_barrier', 'osu_latency_persistent']) {
      const argv = name === 'osu_barrier' ? ['-i', '2', '-z1,50,99'] : ['-m', '8:8', '-i', '2', '-z1,50,99'];
      const { rows } = mockRun(name, argv);
      const [first] = rows;
      const { min = NaN, max = NaN, percentiles = [] } = first?.statistics ?? {};
      expect(percentiles.map(({ percent }) => percent)).to.deep.equal([1, 50, 99]);
      for (const { value } of percentiles) expect(value).to.be.within(min ?? NaN, max ?? NaN);
      expect(min).to.be.above(0);
    }
  });

  it('every datatype of -T all runs with the same counts', () => {
    for (const name of ['osu_allgather', 'osu_ibcast', 'osu_multi_lat']) {
      expect(new Set(counts(name, ['--sizes', '4,16', '-T', 'all'])).size, name).to.equal(1);
    }
  });

  it('osu_ibarrier has the counts of large messages, as the peer does it, and osu_barrier those of small ones', () => {
    expect(counts('osu_ibarrier', [])).to.deep.equal(['100+10']);
    expect(counts('osu_barrier', [])).to.deep.equal(['1000+100']);
  });

  it('programs between nodes need two, and end with 77 on one', () => {
    for (const name of ['osu_bw_fan_in', 'osu_bw_fan_out']) {
      const { message, exitCode } = refusal(name, [], 4);
      expect(message).to.contain('--nodes-by');
      expect(exitCode).to.equal(77);
      expect(refusal(name, ['--nodes-by', '2'], 3).exitCode).to.equal(1);
    }
  });

  it('unknown types are refused by all that take types', () => {
    for (const row of osuRows.filter(({ accepts }) => accepts.includes('type'))) {
      const parsed = parseOsu(['-T', 'mpi_nothing'], row);
      expect(parsed.kind, row.name).to.equal('refuse');
    }
  });

  it('no reduction is of a type that MPI does not sum', () => {
    const reducing = osuRows.filter(({ name }) => /reduce|_acc_|_fop_/.test(name));
    expect(reducing).to.have.length(14);
    for (const row of reducing) {
      const parsed = parseOsu([], row);
      expect(parsed.kind === 'run' && parsed.options.datatypes, row.name).to.deep.equal(['MPI_INT']);
      for (const type of ['char', 'byte'])
        expect(parseOsu(['-T', `mpi_${type}`], row).kind, row.name).to.equal('refuse');
    }
  });

  it('all have help that works anywhere', () => {
    for (const row of osuRows) expect(parseOsu(['-h'], row).kind, row.name).to.equal('help');
  });
});
