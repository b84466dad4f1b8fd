/** `fabricbench scan` over simulated hosts: what is planted is found, and figures are those of osu_mbw_mr. */
import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WrongUse } from '../../src/cli/commands/command.js';
import { doublings, readScan } from '../../src/study/scan/options.js';
import { fairnessOf, saturationOf } from '../../src/study/scan/saturation.js';
import { countsFor, scanProgram } from '../../src/study/scan/scan.js';
import type { SimulatedNetwork } from '../../src/study/simulated.js';
import type { Step } from '../../src/study/types.js';
import { linearModel } from '../../src/transport/mock.js';
import { mockRun } from '../bench/mock-run.js';
import { led } from './led.js';

/** Pairs that are at work in a step. */
const pairsIn = (step: Step): number => (step.kind === 'parts' ? (step.parts[0]?.ranks.length ?? 0) / 2 : NaN);

interface Planted {
  readonly ranks: number;
  /** Messages per second of all pairs together, at most. */
  readonly capacity?: number;
  /** Factors for messages from these ranks. */
  readonly slow?: Readonly<Record<number, number>>;
  /** For each message, by the pairs at work. */
  readonly factor?: (pairs: number) => number;
}

const MESSAGE = 1e-6;

function hosts({ ranks, capacity = Infinity, slow = {}, factor = () => 1 }: Planted): SimulatedNetwork {
  return {
    hosts: Array.from({ length: ranks }, (_, rank) => (rank < ranks / 2 ? 'left' : 'right')),
    oneWay: ({ from }, step) => {
      const pairs = pairsIn(step);
      return Math.max(MESSAGE * (slow[from] ?? 1), pairs / capacity) * factor(pairs);
    },
  };
}

const quick = { iterations: '4', warmup: '1', repeats: '1', sizes: '8', windows: '16' };
const groupsOf = (study: unknown): Record<string, unknown>[] => (study as { groups: Record<string, unknown>[] }).groups;

describe('a scan over pairs', () => {
  it('finds the pairs that saturate, and names the rule', () => {
    const { text, rows, study, code } = led(scanProgram, quick, hosts({ ranks: 64, capacity: 6e6 }));
    expect(code).to.equal(0);
    expect(rows.map(({ parameters }) => parameters.pairs)).to.deep.equal([1, 2, 4, 8, 16, 32]);
    expect(text).to.contain('\n# 8 pairs saturate: the fewest to reach 95 % of the highest rate');
    expect(groupsOf(study)[0]?.['saturation']).to.deep.include({ pairs: 8, reached: true });
  });

  it('says where more pairs would still bring more, and where they do harm', () => {
    const rising = led(scanProgram, quick, hosts({ ranks: 16 }));
    expect(rising.text).to.match(/# not saturated: the rate rises up to \S+ million messages\/s with 8 pairs\n/);
    const falling = led(scanProgram, quick, hosts({ ranks: 16, factor: (pairs) => (pairs > 2 ? pairs : 1) }));
    expect(falling.text).to.match(/# 2 pairs saturate: .*; with the most pairs 50 % of it is left\n/);
  });

  it('names the pair that has less than the others', () => {
    const { text, rows, study } = led(scanProgram, quick, hosts({ ranks: 16, slow: { 3: 4 } }));
    expect(text).to.match(/median pair: rank 3 on left to 11 on right \(2\d %\)\n/);
    expect(groupsOf(study)[0]?.['slowPairs']).to.deep.equal([[3, 11]]);
    const { fairness, slowestPair, fastestPair, jain } = rows.at(-1)?.figures ?? {};
    expect(fairness?.value).to.be.within(20, 30);
    expect((100 * (slowestPair?.value ?? NaN)) / (fastestPair?.value ?? NaN)).to.be.closeTo(
      fairness?.value ?? NaN,
      1e-9,
    );
    expect(jain?.value).to.be.within(80, 99);
    const fair = led(scanProgram, quick, hosts({ ranks: 16 }));
    expect(fair.text).not.to.contain('slower than');
    expect(fair.rows.at(-1)?.figures['fairness']?.value).to.be.closeTo(100, 1e-6);
  });

  it('has the figures, statistics and parameters of osu_mbw_mr', () => {
    const model = linearModel(1e-6, 1e9);
    const argv = ['--sizes', '1000', '-W', '16', '-i', '20', '-x', '2'];
    const { rows: theirs } = mockRun('osu_mbw_mr', argv, { ranks: 8, model });
    const network = {
      hosts: Array<string>(8).fill('a'),
      oneWay: ({ size, call }: { size: number; call: number }) => model.oneWay(size, call),
    };
    const given = { sizes: '1000', windows: '16', iterations: '20', warmup: '2', repeats: '1', pairs: '4' };
    const { rows: ours } = led(scanProgram, given, network);
    const [own, other] = [ours[0], theirs[0]];
    expect(own?.parameters).to.deep.equal(other?.parameters);
    expect([own?.n, own?.warmup]).to.deep.equal([other?.n, other?.warmup]);
    for (const name of ['bandwidth', 'rate'])
      expect(own?.figures[name]?.value).to.be.closeTo(other?.figures[name]?.value ?? NaN, 1);
    expect(own?.statistics?.median).to.be.closeTo(other?.statistics?.median ?? NaN, 1);
    expect(own?.statistics).to.include({ figure: 'bandwidth', unit: 'B/s', tail: 'low' });
  });

  it('goes up and down the numbers of pairs, and takes the median of the repeats', () => {
    const seen: number[] = [];
    let steps = 0;
    const network = hosts({ ranks: 8 });
    const { rows } = led(scanProgram, { ...quick, repeats: '3', pairs: '1,4' }, network, (field) => ({
      ...field,
      run: (step) => {
        seen.push(pairsIn(step));
        const slow = steps++ < 2 ? 10 : 1;
        const { summaries, samples } = field.run(step);
        return { samples, summaries: summaries.map((one) => ({ ...one, seconds: one.seconds * slow })) };
      },
    }));
    expect(seen).to.deep.equal([1, 4, 4, 1, 1, 4]);
    expect(rows.map(({ n }) => n)).to.deep.equal([12, 12]);
    for (const { figures, parameters } of rows) {
      expect(figures['rate']?.value).to.be.closeTo(figures['highestRate']?.value ?? NaN, 1);
      expect(figures['rate']?.value).to.be.closeTo(10 * (figures['lowestRate']?.value ?? NaN), 1);
      expect(figures['rate']?.value).to.be.above(9e5 * (parameters.pairs ?? NaN));
    }
  });

  it('draws rate and bandwidth over pairs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fabricbench-scan-'));
    const [svg, html] = [join(folder, 'a.svg'), join(folder, 'a.html')];
    const given = { ...quick, sizes: '0,1K', plot: true, svg, html };
    try {
      const { text } = led(scanProgram, given, hosts({ ranks: 8 }));
      expect(text).to.contain('-- Message rate (messages/s) over pairs\n');
      expect(text).to.contain('-- Bandwidth (MB/s) over pairs\n');
      const drawn = readFileSync(svg, 'utf8');
      for (const part of ['>Pairs<', '1K bytes, window 16', ', 4 pairs: ']) expect(drawn).to.contain(part);
      expect(drawn).not.to.contain('Message size');
      const page = readFileSync(html, 'utf8');
      expect(page).to.contain('<svg').and.to.contain('# Pairs');
      expect(page).not.to.contain('<?xml');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('takes lists and doublings, and refuses everything else in one sentence', () => {
    expect(doublings(1, 6)).to.deep.equal([1, 2, 4, 6]);
    expect(readScan({ pairs: '3,1:4,3' }).pairs).to.deep.equal([1, 2, 3, 4]);
    expect(readScan({ sizes: '8,1K,8' }).sizes).to.deep.equal([8, 1024]);
    const wrong = [
      ...['--pairs 0', '--pairs 4:2', '--pairs 1:2:3', '--pairs x', '--pairs 1,,2', '--sizes -1', '--windows 0'],
      ...['--repeats 0', '--layer tcp', '--svg /nowhere/at/all.svg'],
    ];
    for (const words of wrong) {
      const [option = '', text = ''] = words.split(' ');
      const refusal = new RegExp(`^(${option}|The picture)`);
      expect(() => readScan({ [option.slice(2)]: text }), words).to.throw(WrongUse, refusal);
    }
  });

  it('refuses more pairs than the ranks make', () => {
    expect(countsFor({ pairs: undefined }, 12)).to.deep.equal([1, 2, 4, 6]);
    expect(() => countsFor({ pairs: [1, 8] }, 8)).to.throw(
      WrongUse,
      '--pairs 8 needs 16 ranks, and there are 8: give at most 4',
    );
    expect(() => countsFor({ pairs: undefined }, 1)).to.throw(WrongUse, 'at least 2 ranks');
  });
});

describe('what a scan concludes', () => {
  it('tells no saturation of one number of pairs', () => {
    expect(saturationOf([{ pairs: 1, value: 1 }])).to.equal(null);
  });

  it('takes the fewest pairs within 95 % of the peak', () => {
    const levels = [1, 2, 4, 8].map((pairs, index) => ({ pairs, value: [50, 94.9, 95, 100][index] ?? 0 }));
    expect(saturationOf(levels)).to.deep.equal({ pairs: 4, peak: { pairs: 8, value: 100 }, reached: true, left: 1 });
  });

  it('computes fairness by the ends and by Jain', () => {
    expect(fairnessOf([1, 1, 1, 1])).to.deep.equal({ slowest: 1, fastest: 1, ratio: 1, jain: 1 });
    expect(fairnessOf([4, 0, 0, 0]).jain).to.equal(0.25);
  });
});
