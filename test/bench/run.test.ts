import { expect } from 'chai';
import { Refusal } from '../../src/bench/plan.js';
import { programs } from '../../src/bench/suites/index.js';
import { linearModel, type MockModel } from '../../src/transport/mock.js';
import { seeded } from '../unit/random.js';
import { mockRun } from './mock-run.js';

/** Rows of a table as numbers, comments and blank lines left out. */
function numbers(text: string): number[][] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => line.trim().split(/\s+/).map(Number));
}

function close(value: number | null | undefined, expected: number): void {
  expect(value).to.be.closeTo(expected, Math.abs(expected) * 1e-9);
}

describe('a run over the mock transport', () => {
  const latency = 2e-6;
  const rate = 5e8;
  const model = linearModel(latency, rate);

  describe('figures', () => {
    it('latency is half of a round trip', () => {
      const { rows } = mockRun('osu_latency', ['--sizes', '1000'], { model });
      close(rows[0]?.figures['latency']?.value, latency + 1000 / rate);
      expect(rows[0]?.figures['latency']?.unit).to.equal('s');
    });

    it('bandwidth counts the window and the acknowledgement', () => {
      const { rows } = mockRun('osu_bw', ['--sizes', '1000', '-W', '10'], { model });
      const seconds = 10 * (latency + 1000 / rate) + latency + 1 / rate;
      close(rows[0]?.figures['bandwidth']?.value, (1000 * 10) / seconds);
    });

    it('bidirectional bandwidth counts both directions and no acknowledgement', () => {
      const { rows } = mockRun('osu_bibw', ['--sizes', '1000', '-W', '10'], { model });
      close(rows[0]?.figures['bandwidth']?.value, (2 * 1000) / (latency + 1000 / rate));
    });

    it('the rate of several pairs is their sum', () => {
      const { rows } = mockRun('osu_mbw_mr', ['--sizes', '8', '-W', '4', '-p', '3'], { model, ranks: 8 });
      const seconds = 4 * (latency + 8 / rate) + latency + 1 / rate;
      close(rows[0]?.figures['rate']?.value, (3 * 4) / seconds);
      close(rows[0]?.figures['bandwidth']?.value, (8 * 3 * 4) / seconds);
      expect(rows[0]?.parameters).to.include({ pairs: 3, window: 4 });
    });

    it('messages of 0 bytes have a rate and no bandwidth', () => {
      const { rows, text } = mockRun('osu_mbw_mr', ['--sizes', '0', '-W', '4'], { model });
      expect(rows[0]?.figures['bandwidth']?.value).to.equal(0);
      close(rows[0]?.figures['rate']?.value, 4 / (5 * latency + 1 / rate));
      expect(numbers(text)[0]?.[0]).to.equal(0);
    });
  });

  describe('how often', () => {
    const counts = (name: string, argv: string[]) =>
      mockRun(name, argv).rows.map(({ n, warmup }) => `${n}+${warmup ?? 'none'}`);

    it('follows the class of the benchmark, and its switch above 8192 bytes', () => {
      const sizes = ['--sizes', '8192,8193'];
      expect(counts('osu_latency', sizes)).to.deep.equal(['10000+100', '1000+10']);
      expect(counts('osu_bw', sizes)).to.deep.equal(['100+10', '20+2']);
      expect(counts('osu_bibw', sizes)).to.deep.equal(['100+10', '20+2']);
      expect(counts('osu_mbw_mr', sizes)).to.deep.equal(['100+10', '100+10']);
    });

    it('does as -i and -x say for all sizes, and for every datatype', () => {
      const argv = ['--sizes', '4,16384', '-i', '7', '-x', '0', '-T', 'all'];
      expect(new Set(counts('osu_latency', argv))).to.deep.equal(new Set(['7+0']));
      expect(new Set(counts('osu_latency', ['--sizes', '4,16', '-T', 'all']))).to.deep.equal(new Set(['10000+100']));
    });

    it('keeps one sample per iteration, of the timing ranks', () => {
      expect(mockRun('osu_latency', ['--sizes', '1', '-i', '123']).samples).to.have.length(123);
      expect(mockRun('osu_mbw_mr', ['--sizes', '1', '-i', '10'], { ranks: 6 }).samples).to.have.length(30);
    });

    it('stops by the time limit with the true n, and leaves out rows', () => {
      const slow = linearModel(1e-3, 1e9);
      const { rows, outcome } = mockRun('osu_latency', ['--sizes', '1,2,4', '--time-limit', '1'], { model: slow });
      expect(outcome.leftOut).to.equal(2);
      expect(rows).to.have.length(1);
      expect(rows[0]?.stopped).to.equal('time-limit');
      expect(rows[0]?.n).to.be.within(1, 500);
      close(rows[0]?.figures['latency']?.value, 1e-3 + 1e-9);
    });

    it('is not shortened by a time limit that suffices', () => {
      const { rows, outcome } = mockRun('osu_latency', ['--sizes', '1,2', '-i', '1000', '--time-limit', '60']);
      expect(outcome.leftOut).to.equal(0);
      expect(rows.map(({ n }) => n)).to.deep.equal([1000, 1000]);
      expect(rows[0]).to.not.have.property('stopped');
    });
  });

  describe('--target-ci', () => {
    const spread = (part: number): MockModel => {
      const random = seeded(5);
      return { oneWay: () => 1e-6 * (1 + part * (random() - 0.5)) };
    };

    it('ends rows once their median is sure, with the true n, in every program that the mock can run', () => {
      const others = ['one-sided', 'neighbourhood'];
      const measuring = [...programs.values()].filter(
        (row) => 'kernel' in row && !row.threads && row.ranks !== 'nodes' && !others.includes(row.family),
      );
      expect(measuring.length).to.be.above(45);
      for (const { name, accepts } of measuring) {
        const argv = [...(accepts.includes('sizes') ? ['--sizes', '64'] : []), '--target-ci', '2%', '-i', '5000'];
        const { rows, outcome, text } = mockRun(name, argv, { model: spread(0.1) });
        const [row] = rows;
        expect(row?.stopped, name).to.equal('target-ci');
        expect(row?.n, name).to.be.within(30, 4000);
        expect(row?.statistics?.uncertainty, name).to.be.at.most(0.02);
        expect([outcome.unsure, outcome.leftOut], name).to.deep.equal([0, 0]);
        expect(numbers(text)[0]?.at(-1), name).to.equal(row?.n);
      }
    });

    it('needs more iterations where samples are spread wider', () => {
      const [narrow = 0, wide = 0] = [0.1, 1.5].map(
        (part) => mockRun('osu_latency', ['--sizes', '1', '--target-ci', '1%'], { model: spread(part) }).rows[0]?.n,
      );
      expect(wide).to.be.above(2 * narrow);
    });

    it('lets rows have ten times the default iterations, or those of -i, and tells which are not sure', () => {
      const argv = ['--sizes', '1,2', '--target-ci', '0.0001%'];
      const { rows, outcome } = mockRun('osu_bw', argv, { model: spread(1) });
      expect(rows.map(({ n, stopped }) => [n, stopped])).to.deep.equal(Array(2).fill([1000, undefined]));
      expect(outcome.unsure).to.equal(2);
      expect(mockRun('osu_bw', [...argv, '-i', '77'], { model: spread(1) }).rows[0]?.n).to.equal(77);
    });

    it('leaves the phases before the last one their iterations', () => {
      const { rows } = mockRun('osu_ibcast', ['--sizes', '4', '--target-ci', '5%'], { model: spread(0.2) });
      expect(rows[0]?.stopped).to.equal('target-ci');
      expect(rows[0]?.figures['pure']?.value).to.be.closeTo(1e-6, 2e-7);
    });
  });

  describe('tails', () => {
    /** Message number `call` takes 1 us, and every hundredth 11 us. */
    const spiky = { oneWay: (_size: number, call: number) => (call % 100 === 0 ? 11e-6 : 1e-6) };

    it('of a latency are the slow end', () => {
      const { rows } = mockRun('osu_latency', ['--sizes', '8', '-z10,90,99', '-x', '0', '-i', '1000'], {
        model: spiky,
      });
      const values = rows[0]?.statistics?.percentiles.map(({ value }) => value ?? NaN) ?? [];
      close(values[0], 1e-6);
      close(values[1], 1e-6);
      close(values[2], 6e-6);
    });

    it('of a bandwidth are the slow end too', () => {
      const argv = ['--sizes', '8', '-W', '1', '-z1,99,99.5', '-x', '0', '-i', '1000'];
      const { rows } = mockRun('osu_bw', argv, { model: spiky });
      const [best, middle, worst] = rows[0]?.statistics?.percentiles.map(({ value }) => value ?? NaN) ?? [];
      close(best, 8 / 2e-6);
      close(middle, 8 / 2e-6);
      close(worst, 8 / 22e-6); // message and acknowledgement both, once in a hundred
    });
  });

  describe('sections and sizes', () => {
    it('has one section per datatype, with whole elements only', () => {
      const { text } = mockRun('osu_latency', ['-m', '1:8', '-T', 'all']);
      const sections = text.split('# Datatype: ').slice(1);
      expect(sections.map((section) => section.split('.')[0])).to.deep.equal(['MPI_CHAR', 'MPI_INT', 'MPI_FLOAT']);
      expect(
        sections.map((section) => numbers(section.slice(section.indexOf('\n'))).map(([size]) => size)),
      ).to.deep.equal([
        [1, 2, 4, 8],
        [4, 8],
        [4, 8],
      ]);
    });

    it('-D shows what really moves', () => {
      const { text } = mockRun('osu_latency', ['-m', '8:64', '-D', 'vect:8:4']);
      expect(numbers(text).map((row) => row.at(-1))).to.deep.equal([4, 8, 16, 32]);
    });

    it('-V measures every window for every size', () => {
      const { rows, text } = mockRun('osu_mbw_mr', ['-m', '1:2', '-V']);
      expect(rows.map(({ parameters }) => parameters.window)).to.deep.equal([
        ...[1, 2, 4, 8, 16, 32, 64, 128],
        ...[1, 2, 4, 8, 16, 32, 64, 128],
      ]);
      expect(numbers(text)).to.have.length(4);
    });

    it('tells what it is about to measure', () => {
      const { announced } = mockRun('osu_bw', ['--sizes', '8', '-W', '2']);
      expect(announced).to.deep.equal(['osu_bw, MPI_CHAR, size 8, window 2']);
    });
  });

  describe('refusals', () => {
    const refusal = (name: string, argv: string[], ranks: number, files = {}): Refusal => {
      try {
        mockRun(name, argv, { ranks, files });
      } catch (error) {
        if (error instanceof Refusal) return error;
        throw error;
      }
      throw new Error('it ran');
    };

    it('wrong numbers of ranks, in one sentence with the mend', () => {
      for (const name of ['osu_latency', 'osu_bw', 'osu_bibw']) {
        for (const ranks of [1, 3, 4]) {
          const { message, exitCode } = refusal(name, [], ranks);
          expect(message).to.match(/needs exactly two ranks, and this run has \d: start it with mpirun -np 2 /);
          expect(exitCode).to.equal(1);
        }
      }
      expect(refusal('osu_mbw_mr', [], 1).message).to.contain('at least two ranks');
      expect(refusal('osu_mbw_mr', [], 5).message).to.contain('even number of ranks');
      expect(refusal('osu_mbw_mr', ['-p', '3'], 4).message).to.contain('3 pairs need 6 ranks, and this run has 4');
    });

    it('sizes below one element of every datatype', () => {
      expect(refusal('osu_latency', ['-m', '1:2', '-T', 'mpi_int'], 2).message).to.contain(
        'no size is left to measure',
      );
    });

    it('index files that are missing or wrong', () => {
      expect(refusal('osu_latency', ['-D', 'indx:none'], 2).message).to.contain('no such file');
      const wrong = { 'wrong.txt': 'a,b\n' };
      expect(refusal('osu_latency', ['-D', 'indx:wrong.txt'], 2, wrong).message).to.contain('displacement,length');
    });
  });
});
