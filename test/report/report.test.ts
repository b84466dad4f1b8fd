import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answer } from '../../src/cli/fabricbench.js';
import { loadRecords } from '../../src/results/load.js';
import type { ResultRecord } from '../../src/results/types.js';
import { projectRoot } from '../unit/project.js';
import { findChromium, Page } from './chromium.js';

const captured = (name: string): string => join(projectRoot, 'test/fixtures/captured', name);
const NEAR = captured('edr-ib.ucp.bw.near.txt');
const FAR = captured('edr-ib.ucp.bw.far.txt');
const place = mkdtempSync(join(tmpdir(), 'fabricbench-report-'));
after(() => rmSync(place, { recursive: true }));

async function reportOf(...files: string[]): Promise<string> {
  const output = join(place, 'report.html');
  const { exitCode, stderr } = await answer(['report', ...files, '-o', output]);
  expect(exitCode, stderr).to.equal(0);
  return output;
}

/** A record with samples, whose texts would be markup. */
function hostile(): string {
  const [record] = loadRecords(captured('edr-ib.ucp.lat.near.txt')).records;
  if (!record) throw new Error('no record');
  const evil = '</script><script>throw new Error("run")</script><img src="http://example.invalid/x" onerror="throw 1">';
  const seconds = Array.from({ length: 2000 }, (_, index) => 1e-6 * (1 + (index % 97) / 300));
  const made: ResultRecord = {
    ...record,
    run: { ...record.run, label: evil, commandLine: [evil] },
    warnings: [evil],
    rows: record.rows.map((row) => ({ ...row, samples: [{ rank: 0, seconds }] })),
  };
  const file = join(place, 'hostile.json');
  writeFileSync(file, JSON.stringify(made));
  return file;
}

describe('a report in a browser', function () {
  this.timeout(60_000);
  const program = findChromium();
  let page: Page | undefined;
  before(function () {
    if (program === undefined) this.skip();
  });
  afterEach(() => page?.close());
  const open = async (file: string): Promise<Page> => (page = await Page.open(program ?? '', pathToFileURL(file).href));

  it('draws as many points as the records have, and asks for nothing', async () => {
    const file = await reportOf(NEAR, FAR);
    const shown = await open(file);
    const rows = [NEAR, FAR].flatMap((name) => loadRecords(name).records.flatMap((record) => [...record.rows]));
    const drawn = await shown.evaluate(`[...document.querySelectorAll('section.panel')].map((panel) => ({
      title: panel.querySelector('h2').textContent,
      lines: [...panel.querySelectorAll('.chart path[fill="none"]')].map((path) => (path.getAttribute('d').match(/[ML]/g) ?? []).length).filter((n) => n > 2),
    }))`);
    const panels = drawn as { title: string; lines: number[] }[];
    const main = panels.filter(({ title }) => title !== 'Message rate').flatMap(({ lines }) => lines);
    expect(main.reduce((sum, n) => sum + n, 0)).to.equal(rows.length);
    expect(panels.map(({ title }) => title)).to.include('Message rate');
    expect(shown.problems).to.deep.equal([]);
    expect(shown.requests).to.deep.equal([pathToFileURL(file).href]);
  });

  it('changes between light and dark', async () => {
    const shown = await open(await reportOf(captured('edr-ib.perftest.bw.near.txt')));
    const theme = `[document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor]`;
    expect(await shown.evaluate(theme)).to.deep.equal(['light', 'rgb(255, 255, 255)']);
    await shown.evaluate(`document.querySelector('header button').click()`);
    expect(await shown.evaluate(theme)).to.deep.equal(['dark', 'rgb(22, 23, 27)']);
    expect(shown.problems).to.deep.equal([]);
  });

  it('shows the distribution of a point that is clicked, and texts as they are', async () => {
    const shown = await open(await reportOf(hostile()));
    const middle =
      await shown.evaluate(`(() => { const { x, y, width, height } = [...document.querySelectorAll('section.panel .chart path')]
      .find((path) => path.getAttribute('transform')).getBoundingClientRect(); return [x + width / 2, y + height / 2]; })()`);
    const [x = 0, y = 0] = middle as number[];
    await shown.click(x, y);
    expect(await shown.evaluate(`document.querySelector('.detail h3')?.textContent`)).to.match(/^Distribution: /);
    expect(await shown.evaluate(`document.querySelectorAll('.detail svg path').length`)).to.be.above(20);
    expect(await shown.evaluate(`document.querySelectorAll('img').length`)).to.equal(0);
    expect(await shown.evaluate(`document.querySelector('.warnings').textContent`)).to.contain('<img src=');
    expect(shown.problems).to.deep.equal([]);
    expect(shown.requests).to.have.length(1);
  });

  it('takes a series away, and brings it back', async () => {
    const shown = await open(await reportOf(NEAR, FAR));
    const count = `document.querySelectorAll('section.panel .chart path').length`;
    const before = (await shown.evaluate(count)) as number;
    const press = `document.querySelector('.legend button').click()`;
    await shown.evaluate(press);
    const wait = `new Promise((resolve) => setTimeout(resolve, 100))`;
    await shown.send('Runtime.evaluate', { expression: wait, awaitPromise: true });
    expect(await shown.evaluate(count)).to.be.below(before);
    await shown.evaluate(press);
    await shown.send('Runtime.evaluate', { expression: wait, awaitPromise: true });
    expect(await shown.evaluate(count)).to.equal(before);
  });
});

describe('fabricbench report', () => {
  it('stays below 2 MB for 20 records with samples', async () => {
    const file = await reportOf(...Array.from({ length: 20 }, hostile));
    expect(readFileSync(file).length).to.be.below(2 * 2 ** 20);
  });

  it('marks what differs between environments, first', async () => {
    const html = readFileSync(
      await reportOf(captured('edr-ib.uct.bw.near.txt'), captured('edr-ib.uct.bw.far.txt')),
      'utf8',
    );
    const [, embedded = ''] = /<script type="application\/json" id="report">(.*)<\/script>\n<script>/.exec(html) ?? [];
    const { facts } = JSON.parse(embedded) as { facts: { differs: boolean }[] };
    expect(facts.map(({ differs }) => differs)).to.deep.equal([...facts].map(({ differs }) => differs).sort((a, b) => Number(b) - Number(a))); // prettier-ignore
  });

  it('refuses what it can not read, and says where it can not write', async () => {
    const none = await answer(['report', join(place, 'none.json')]);
    expect([none.exitCode, none.stdout]).to.deep.equal([2, '']);
    const full = await answer(['report', NEAR, '-o', join(place, 'no-such-folder', 'x.html')]);
    expect(full.exitCode).to.equal(1);
    expect(full.stderr).to.contain("can't be written");
  });
});
