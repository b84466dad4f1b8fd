import { expect } from 'chai';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer } from '../../src/cli/fabricbench.js';
import { changePoints, LEAST_FIGURES, pettitt } from '../../src/history/change-points.js';
import { loadRecords } from '../../src/results/load.js';
import type { ResultRecord } from '../../src/results/types.js';
import { projectRoot } from './project.js';
import { seeded } from './random.js';

describe('change points', () => {
  it('are where the level changes, and tell both levels', () => {
    const values = [
      ...Array.from({ length: 12 }, (_, n) => 10 + (n % 3) / 10),
      ...Array.from({ length: 9 }, (_, n) => 12 + (n % 3) / 10),
    ];
    const [found, ...others] = changePoints(values, 0.03);
    expect(others).to.deep.equal([]);
    expect(found).to.deep.include({ at: 12, before: 10.1, after: 12.1 });
    expect(found?.p).to.be.below(0.01);
  });

  it('are several in a series that changes there and back', () => {
    const level = (value: number) => Array.from({ length: 15 }, (_, n) => value + (n % 4) / 100);
    expect(changePoints([...level(5), ...level(6), ...level(5)], 0.03).map(({ at }) => at)).to.deep.equal([15, 30]);
  });

  it('are none of an outlier, of a change below the threshold, of few figures', () => {
    const calm = Array.from({ length: 30 }, (_, n) => 100 + (n % 5));
    expect(changePoints(calm.with(17, 900), 0.03)).to.deep.equal([]);
    expect(changePoints([...calm, ...calm.map((value) => value * 1.02)], 0.05)).to.deep.equal([]);
    expect(
      changePoints(
        Array.from({ length: LEAST_FIGURES - 1 }, (_, n) => (n < 5 ? 1 : 2)),
        0.03,
      ),
    ).to.deep.equal([]);
  });

  it('has the statistic of the definition: the largest sum of signs between both sides', () => {
    const values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];
    const sums = values.map((_, split) => {
      const signs = values.slice(0, split).flatMap((one) => values.slice(split).map((other) => Math.sign(one - other)));
      return Math.abs(signs.reduce((sum, sign) => sum + sign, 0));
    });
    const most = Math.max(...sums);
    const n = values.length;
    expect(pettitt(values)).to.deep.equal({ at: sums.indexOf(most), p: Math.min(1, 2 * Math.exp((-6 * most ** 2) / (n ** 3 + n ** 2))) }); // prettier-ignore
  });

  it('are found in at most one of a hundred series that do not change', () => {
    const random = seeded(20261201);
    let alarms = 0;
    for (let series = 0; series < 1000; series++) {
      const values = Array.from({ length: 30 }, () => 100 * Math.exp(0.1 * (random() + random() + random() - 1.5)));
      if (changePoints(values, 0).length > 0) alarms++;
    }
    expect(alarms).to.be.at.most(20);
  });
});

describe('fabricbench history', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fabricbench-history-'));
  after(() => rmSync(folder, { recursive: true }));
  const [base] = loadRecords(join(projectRoot, 'test/fixtures/captured/edr-ib.perftest.lat.near.txt')).records;
  const day = (n: number): string => `2026-11-${String(n).padStart(2, '0')}T10:00:00.000Z`;

  before(() => {
    mkdirSync(join(folder, 'old'));
    const scaled = (record: ResultRecord, factor: number): ResultRecord['rows'] =>
      record.rows.map((row) => ({ ...row, figures: Object.fromEntries(Object.entries(row.figures).map(([name, { value, unit }]) => [name, { value: (value ?? 0) * factor, unit }])) })); // prettier-ignore
    for (let n = 1; n <= 24; n++) {
      if (!base) throw new Error('no record');
      const record = {
        ...base,
        run: { ...base.run, started: day(n) },
        rows: scaled(base, (n < 13 ? 1 : 1.2) * (1 + (n % 3) / 500)),
      };
      writeFileSync(join(folder, n < 5 ? 'old' : '', `${n}.json`), JSON.stringify(record));
    }
    writeFileSync(join(folder, 'broken.json'), '{"schema": ');
    writeFileSync(join(folder, 'notes.txt'), 'no record');
  });

  it('lists records by time, tells bad files, and flags the change', async () => {
    const { exitCode, stdout, stderr } = await answer(['history', folder]);
    expect(exitCode).to.equal(0);
    expect(stderr).to.match(/^fabricbench: skipped: \S*broken\.json: [^\n]+\n$/);
    expect(stdout.match(/^2026-11-\d\d 10:00 {2}ib_write_lat/gm)).to.have.length(24);
    expect(stdout).to.match(/24 runs/);
    expect(stdout).to.match(/changed \+(?:19|20|21) % .* between 2026-11-12 10:00 and 2026-11-13 10:00/);
  });

  it('filters by program, host and date', async () => {
    const { stdout } = await answer(['history', folder, '--since', '2026-11-05', '--until', '2026-11-08', '--json']);
    const { records } = JSON.parse(stdout) as { records: { run: { started: string } }[] };
    expect(records.map(({ run }) => run.started)).to.deep.equal([5, 6, 7, 8].map(day));
    expect((await answer(['history', folder, '--benchmark', 'osu_bw'])).exitCode).to.equal(2);
    expect((await answer(['history', folder, '--host', 'nobody'])).exitCode).to.equal(2);
  });

  it('refuses what is no folder, and no date', async () => {
    expect((await answer(['history', join(folder, 'none')])).stderr).to.contain('is no folder');
    expect((await answer(['history', folder, '--since', 'monday'])).stderr).to.contain('takes a date');
  });
});

describe('fabricbench plot', () => {
  const captured = (name: string): string => join(projectRoot, 'test/fixtures/captured', name);
  const both = [captured('edr-ib.perftest.bw.near.txt'), captured('edr-ib.perftest.bw.far.txt')];

  it('overlays runs in the terminal', async () => {
    const { exitCode, stdout } = await answer(['plot', ...both, '--figure', 'bandwidth']);
    expect(exitCode).to.equal(0);
    expect(stdout).to.contain('Bandwidth');
    expect(stdout).to.contain('edr-ib.perftest.bw.near').and.to.contain('edr-ib.perftest.bw.far');
    expect(stdout).to.not.contain('Message rate');
    for (const line of stdout.split('\n')) expect(line.length, line).to.be.at.most(80);
  });

  it('writes an SVG with a marker for each point', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fabricbench-plot-'));
    try {
      const file = join(folder, 'out.svg');
      expect(await answer(['plot', ...both, '--figure', 'bandwidth', '-o', file, '--title', 'a < b'])).to.deep.equal({ exitCode: 0, stdout: '', stderr: '' }); // prettier-ignore
      const svg = readFileSync(file, 'utf8');
      expect(svg).to.contain('a &lt; b');
      expect(svg.match(/<title>[^<]*bytes?[^<]*<\/title>/g) ?? []).to.have.length.at.least(46);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuses where there is nothing to plot', async () => {
    const { exitCode, stderr } = await answer(['plot', captured('edr-ib.perftest.lat.near.txt'), '--figure', 'rate']);
    expect([exitCode, stderr]).to.deep.equal([2, 'fabricbench: these files hold no rate to plot\n']);
  });
});
