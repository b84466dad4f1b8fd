import { expect } from 'chai';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answer } from '../../src/cli/fabricbench.js';
import type { PageData } from '../../src/report/html-report/types.js';
import { loadRecords } from '../../src/results/load.js';
import type { ResultRecord, RowRecord } from '../../src/results/types.js';
import { latencyAt, madeRecord, madeRow, pingPongRow, powers, rate } from '../unit/made-records.js';
import { projectRoot } from '../unit/project.js';
import { seeded } from '../unit/random.js';
import { Chromium, findChromium, type Page } from './chromium.js';

const captured = (name: string): string => join(projectRoot, 'test/fixtures/captured', name);
const NEAR = captured('edr-ib.ucp.bw.near.txt');
const FAR = captured('edr-ib.ucp.bw.far.txt');
const place = mkdtempSync(join(tmpdir(), 'fabricbench-report-'));
after(() => {
  rmSync(place, { recursive: true });
});

async function reportOf(...words: string[]): Promise<string> {
  const output = join(place, 'report.html');
  const { exitCode, stderr } = await answer(['report', ...words, '-o', output]);
  expect(exitCode, stderr).to.equal(0);
  return output;
}

function kept(name: string, record: ResultRecord): string {
  const file = join(place, `${name}.json`);
  writeFileSync(file, JSON.stringify(record));
  return file;
}

const dataOf = (file: string): PageData => {
  const [, text = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(readFileSync(file, 'utf8')) ?? []; // prettier-ignore
  return JSON.parse(text) as PageData;
};

/** Of a window of 64 messages; the median is that of the bandwidths. */
function windowRow(size: number): RowRecord {
  const random = seeded(size);
  const durations = Array.from({ length: 200 }, () => 64e-6 * (1 + size / 1000) * (0.9 + 0.2 * random()));
  const bandwidths = durations.map((seconds) => (64 * size) / seconds).sort((a, b) => a - b);
  const at = (part: number): number => bandwidths[Math.min(199, Math.floor(part * 200))] ?? 0;
  return madeRow({
    ...{ size, figures: { bandwidth: rate(at(0.5) * 0.97) }, seconds: durations },
    statistics: {
      ...{ min: at(0), max: at(1), median: at(0.5), p90: at(0.1), p99: at(0.01) },
      medianInterval: { low: at(0.45), high: at(0.55), level: 0.95 },
    },
  });
}

const latencies = (): string =>
  kept('lat', madeRecord({ rows: powers(17).map((size) => pingPongRow(size, latencyAt(size))) }));
const bandwidths = (): string => kept('bw', madeRecord({ name: 'osu_bw', rows: powers(17).map(windowRow) }));

const EVIL = '</script><script>throw new Error("run")</script><img src="http://example.invalid/x" onerror="throw 1">';
const hostile = (): string =>
  kept(
    'hostile',
    madeRecord({
      rows: powers(6).map((size) => pingPongRow(size, 1)),
      run: { label: EVIL, commandLine: [EVIL], name: `osu_${EVIL}` },
      ...{ warnings: [EVIL], host: EVIL, library: EVIL, status: { state: 'failed', message: EVIL } },
    }),
  );

/** Points of each line, and marks of points, in all charts. */
const DRAWN = `[...document.querySelectorAll('section')].filter((s) => s.querySelector('.chart')).map((section) => ({
  title: section.querySelector('h2').textContent,
  lines: [...section.querySelectorAll('.chart .series .line')].map((path) => path.getAttribute('d').match(/[ML]/g).length),
  points: section.querySelectorAll('.chart .point').length,
}))`;

interface Drawn {
  readonly title: string;
  readonly lines: readonly number[];
  readonly points: number;
}

describe('a report in a browser', function () {
  this.timeout(60_000);
  const program = findChromium();
  let browser: Chromium | undefined;
  before(function () {
    if (program === undefined && process.env['CI'] === 'true') throw new Error('CI needs a Chromium');
    if (program === undefined) this.skip();
    browser = new Chromium(program);
  });
  after(() => browser?.close());
  const open = async (file: string, size?: readonly [number, number]): Promise<Page> => {
    if (!browser) throw new Error('no browser');
    return await browser.open(file, size);
  };

  it('draws as many points as the records have, and asks for nothing', async () => {
    const file = await reportOf(NEAR, FAR);
    const page = await open(file);
    const rows = [NEAR, FAR].flatMap((name) => loadRecords(name).records.flatMap((record) => [...record.rows]));
    const drawn = await page.evaluate<Drawn[]>(DRAWN);
    expect(drawn.reduce((sum, { points }) => sum + points, 0)).to.equal(rows.length);
    for (const { lines, points } of drawn) expect(lines.reduce((sum, n) => sum + n, 0)).to.equal(points);
    expect(page.complaints).to.deep.equal([]);
    expect(page.requests).to.deep.equal([pathToFileURL(file).href]);
  });

  it('shows all of it without its script too', async () => {
    const [a, b] = ['4.1.4', '5.0.2'].map((version) => kept(`mpi-${version}`, madeRecord({ rows: powers(9).map((size) => pingPongRow(size, 1)), library: `Open MPI v${version}` }))); // prettier-ignore
    const file = await reportOf(a ?? '', b ?? '');
    const without = join(place, 'without.html');
    writeFileSync(without, readFileSync(file, 'utf8').replace(/<script>.*?<\/script>/s, ''));
    const page = await open(without);
    expect(await page.evaluate('document.documentElement.className')).to.equal('');
    expect(await page.evaluate(DRAWN)).to.deep.equal(await (await open(file)).evaluate(DRAWN));
    const text = await page.evaluate<string>('document.body.innerText');
    for (const word of ['In what they differ', 'Shape of the curves', 'Command lines']) expect(text).to.contain(word);
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.controls')).display`)).to.equal('none');
  });

  it('follows the theme of the system, until somebody chooses; on paper it is light', async () => {
    const page = await open(await reportOf(NEAR));
    const ground = 'getComputedStyle(document.body).backgroundColor';
    const press = `document.querySelector('.theme').click()`;
    const [light, dark] = ['rgb(255, 255, 255)', 'rgb(20, 23, 26)'];
    await page.media('screen', 'light');
    expect(await page.evaluate(ground)).to.equal(light);
    await page.media('screen', 'dark');
    expect(await page.evaluate(ground)).to.equal(dark);
    await page.evaluate(press);
    expect(await page.evaluate(ground)).to.equal(light);
    await page.evaluate(press);
    await page.media('screen', 'light');
    expect(await page.evaluate(ground)).to.equal(dark);
    await page.media('print', 'dark');
    expect(await page.evaluate(ground)).to.equal(light);
    expect(page.complaints).to.deep.equal([]);
  });

  it('draws medians, says so, and shows the distribution of a size that is clicked', async () => {
    const page = await open(await reportOf(latencies(), bandwidths()));
    const subtitles = await page.evaluate<string[]>(`[...document.querySelectorAll('section > .subtitle')].map((p) => p.textContent)`); // prettier-ignore
    expect(subtitles[0]).to.match(/Median of latency in µs.*95 % confidence interval/);
    for (const index of [0, 1]) {
      const section = `[...document.querySelectorAll('section')].filter((s) => s.querySelector('.chart'))[${index}]`;
      await page.evaluate(`${section}.querySelector('.chart').scrollIntoView({ block: 'center' })`);
      const [x = 0, y = 0] = await page.evaluate<number[]>(`(() => {
        const { x, y, width, height } = ${section}.querySelectorAll('.chart .point')[9].getBoundingClientRect();
        return [x + width / 2, y + height / 2];
      })()`);
      await page.click(x, y);
      expect(await page.evaluate(`${section}.querySelector('.detail h4').textContent`)).to.match(/ at 512 bytes$/);
      expect(await page.evaluate(`${section}.querySelectorAll('.detail .histogram').length`)).to.equal(1);
      expect(await page.evaluate(`${section}.querySelectorAll('.detail .course').length`)).to.equal(1);
    }
    expect(page.complaints).to.deep.equal([]);
  });

  it('shows texts as they are, and runs none of them', async () => {
    const page = await open(await reportOf(hostile()));
    expect(await page.evaluate(`document.querySelectorAll('img').length`)).to.equal(0);
    expect(await page.evaluate(`document.querySelectorAll('script').length`)).to.equal(2);
    expect(await page.evaluate(`document.querySelector('.note').textContent`)).to.contain('<img src=');
    expect(page.complaints).to.deep.equal([]);
    expect(page.requests).to.have.length(1);
  });

  it('takes a series away, and brings it back', async () => {
    const page = await open(await reportOf(NEAR, FAR));
    const count = `document.querySelectorAll('.chart .point').length`;
    const all = await page.evaluate<number>(count);
    const press = `document.querySelector('.legend button').click()`;
    await page.evaluate(press);
    expect(await page.evaluate<number>(count)).to.be.below(all);
    await page.evaluate(press);
    expect(await page.evaluate<number>(count)).to.equal(all);
  });

  it('zooms where the mouse is dragged, and shows other figures', async () => {
    const page = await open(await reportOf(latencies()));
    await page.evaluate(`document.querySelector('.chart').scrollIntoView({ block: 'center' })`);
    const place4 = (at: number): string => `(() => {
      const { x, y, width, height } = document.querySelectorAll('.chart .point')[${at}].getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    })()`;
    const [[fromX = 0, fromY = 0], [toX = 0, toY = 0]] = [await page.evaluate<number[]>(place4(3)), await page.evaluate<number[]>(place4(8))]; // prettier-ignore
    await page.mouse('mouseMoved', fromX - 4, fromY);
    await page.mouse('mousePressed', fromX - 4, fromY, true);
    await page.mouse('mouseMoved', toX + 4, toY, true);
    await page.mouse('mouseReleased', toX + 4, toY);
    expect(await page.evaluate(`document.querySelectorAll('.chart .point').length`)).to.equal(6);
    await page.evaluate(`document.querySelector('.whole').click()`);
    expect(await page.evaluate(`document.querySelectorAll('.chart .point').length`)).to.equal(17);
    await page.evaluate(`(() => { const s = document.querySelector('select'); s.value = 'p99'; s.dispatchEvent(new Event('change')); })()`); // prettier-ignore
    expect(await page.evaluate(`document.querySelector('.chart svg').getAttribute('aria-label')`)).to.equal('99th percentile of latency'); // prettier-ignore
    expect(page.complaints).to.deep.equal([]);
  });

  it('fits on paper and on a telephone: nothing but tables is wider than the page', async () => {
    const far = join(mkdtempSync(join(place, 'folder-with-a-name-longer-than-a-telephone-is-wide-')), 'far.txt');
    copyFileSync(FAR, far);
    for (const width of [360, 760, 1400]) {
      const page = await open(await reportOf(NEAR, far, latencies()), [width, 900]);
      const wider = await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
      expect(wider, `${width} pixels`).to.be.at.most(0);
    }
  });

  it('draws a history too', async () => {
    for (let day = 1; day <= 14; ++day) {
      const rows = powers(4).map((size) => pingPongRow(size, day < 8 ? 1 : 1.2, day * 100 + size, 50));
      const started = new Date(Date.UTC(2026, 0, day)).toISOString();
      kept(`history-${day}`, madeRecord({ rows, run: { label: 'history', started } }));
    }
    const file = join(place, 'history.html');
    const { exitCode, stderr } = await answer(['history', place, '--host', 'node1', '-o', file]);
    expect(exitCode, stderr).to.equal(0);
    const page = await open(file);
    const counts = `[...document.querySelectorAll('section')].map((s) => s.querySelectorAll('circle.point').length)`;
    expect(await page.evaluate(counts)).to.include(14 * 4);
    expect(await page.evaluate<number>(`document.querySelectorAll('path.border').length`)).to.equal(4);
    expect(page.complaints).to.deep.equal([]);
    expect(page.requests).to.have.length(1);
  });
});

describe('fabricbench report', () => {
  it('allows its own style and script, and nothing else', async () => {
    const html = readFileSync(await reportOf(NEAR), 'utf8');
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
    expect(policy).to.match(/^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'$/); // prettier-ignore
    expect(html).to.not.match(/ style=| on\w+=|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
  });

  it('tells one-way times of a ping-pong, as its figures are', async () => {
    const { groups } = dataOf(await reportOf(latencies()));
    const points = groups[0]?.series[0]?.points ?? [];
    expect(points).to.have.length(17);
    for (const { statistics, size } of points) {
      const { distribution, course, median, min, p99 } = statistics ?? {};
      const wanted = latencyAt(size ?? 0);
      expect(median).to.be.closeTo(wanted, 0.05 * wanted);
      expect(distribution?.low).to.be.closeTo(min ?? 0, 1e-3 * wanted);
      expect(distribution?.high).to.be.within((p99 ?? 0) * 0.999, (p99 ?? 0) * 1.02);
      expect(distribution?.counts.reduce((sum, count) => sum + count, 0)).to.be.within(390, 400);
      for (const value of course?.mean ?? []) expect(value).to.be.within(0.94 * wanted, 1.06 * wanted);
    }
  });

  it('tells bandwidths of samples that are times', async () => {
    const { groups } = dataOf(await reportOf(bandwidths()));
    for (const { statistics } of groups[0]?.series[0]?.points ?? []) {
      const { distribution, median, max } = statistics ?? {};
      expect(distribution?.low).to.be.below(median ?? 0);
      expect(distribution?.high).to.be.closeTo(max ?? 0, 1e-3 * (max ?? 0));
    }
  });

  it('draws what was printed where a point has no median', async () => {
    const [record] = loadRecords(latencies()).records;
    if (!record) throw new Error('no record');
    const rows = record.rows.map((row, index) => (index === 3 ? { ...row, statistics: null } : row));
    const html = readFileSync(await reportOf(kept('gap', { ...record, rows })), 'utf8');
    expect(html).to.contain('Latency as printed in µs');
  });

  it('has a line for each label, and one page for files of several tests', async () => {
    const { runs, groups } = dataOf(await reportOf(`here=${latencies()},${bandwidths()}`, `there=${NEAR}`));
    expect(runs.map(({ label }) => label)).to.deep.equal(['here', 'there']);
    expect(groups.slice(0, 2).map(({ title }) => title)).to.deep.equal(['osu_latency', 'osu_bw']);
  });

  it('stays below 2 MB for 20 records with samples, and says what it leaves out', async () => {
    const rows = powers(23).map((size) => pingPongRow(size, latencyAt(size), size, 2000));
    const files = Array.from({ length: 20 }, (_, n) => kept(`many-${n}`, madeRecord({ rows })));
    const file = await reportOf(...files);
    expect(readFileSync(file).length).to.be.below(2e6);
    expect(dataOf(file).groups[0]?.series).to.have.length(20);
  });

  it('marks what differs between environments', async () => {
    const [a, b] = ['4.1.4', '5.0.2'].map((version) => kept(`mpi-${version}`, madeRecord({ rows: [pingPongRow(8, 1)], library: `Open MPI v${version}` }))); // prettier-ignore
    const html = readFileSync(await reportOf(a ?? '', b ?? ''), 'utf8');
    const [, differing = ''] = /In what they differ(.*?)<\/table>/s.exec(html) ?? [];
    expect(differing.match(/class="differs"/g)).to.have.length(2);
    expect(differing).to.match(/Open MPI v4\.1\.4.*Open MPI v5\.0\.2/s);
  });

  it('refuses what it can not read, and says where it can not write', async () => {
    const none = await answer(['report', join(place, 'none.json'), '-o', join(place, 'x.html')]);
    expect([none.exitCode, none.stdout]).to.deep.equal([2, '']);
    mkdirSync(join(place, 'nothing'), { recursive: true });
    for (const command of ['report', 'plot']) {
      const empty = await answer([command, join(place, 'nothing'), '-o', join(place, 'x.svg')]);
      expect([empty.exitCode, empty.stderr]).to.deep.equal([
        2,
        `fabricbench: ${join(place, 'nothing')} holds no files\n`,
      ]);
    }
    const full = await answer(['report', NEAR, '-o', join(place, 'no-such-folder', 'x.html')]);
    expect(full.exitCode).to.equal(1);
    expect(full.stderr).to.match(/^fabricbench: [^\n]*there is no folder [^\n]*\n$/);
  });
});

describe('fabricbench plot', () => {
  it('draws medians in the terminal, within 80 columns', async () => {
    const { exitCode, stdout } = await answer(['plot', latencies(), bandwidths()]);
    expect(exitCode).to.equal(0);
    expect(stdout).to.contain('osu_latency: Median of latency');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).to.be.at.most(80);
  });

  it('draws one figure alone, or says that nobody has it', async () => {
    const { stdout } = await answer(['plot', latencies(), bandwidths(), '--figure', 'bandwidth']);
    expect(stdout).to.contain('osu_bw');
    expect(stdout).to.not.contain('osu_latency');
    expect((await answer(['plot', latencies(), '--figure', 'rate'])).exitCode).to.equal(2);
  });

  it('writes an SVG with a point for each row', async () => {
    const file = join(place, 'plot.svg');
    expect((await answer(['plot', latencies(), '-o', file])).exitCode).to.equal(0);
    const svg = readFileSync(file, 'utf8');
    expect(svg).to.match(/^<\?xml/);
    expect(svg.match(/<title>/g)?.length ?? 0).to.be.at.least(1);
  });
});
