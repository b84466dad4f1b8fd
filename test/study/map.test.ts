import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { WrongUse } from '../../src/cli/commands/command.js';
import { readMap } from '../../src/study/map/options.js';
import { parseXml } from '../unit/xml.js';
import { findingsIn, runMap, simulatedHosts, type SimulatedFault } from './map-study.js';

const is =
  (...ranks: readonly number[]) =>
  (rank: number): boolean =>
    ranks.includes(rank);
const any = (): boolean => true;

/** Between two ranks, each way. */
function link(a: number, b: number, fault: Omit<SimulatedFault, 'from' | 'to'>): SimulatedFault[] {
  return [
    { ...fault, from: is(a), to: is(b) },
    { ...fault, from: is(b), to: is(a) },
  ];
}

const small = { size: '64K', window: '8' };

describe('a map of simulated hosts over the mock transport', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'fabricbench-map-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('finds exactly the faults that were planted among 64 nodes', () => {
    const faults = [
      ...link(10, 20, { slower: 2 }),
      { from: is(30), to: any, slower: 1.5 },
      { from: any, to: is(30), slower: 1.5 },
      { from: is(40), to: is(41), slower: 2.5 },
      ...link(50, 60, { loss: { share: 0.05, seconds: 400e-6 } }),
    ];
    const { study, text, code } = runMap(simulatedHosts(64, faults), small);
    const found = findingsIn(study);
    expect(found.map((one) => one.split(':')[0])).to.deep.equal([
      'direction node41-node42',
      'host node31',
      'link node11-node21',
      'link node51-node61',
    ]);
    // Half a round trip shows one slow direction too.
    expect(found[0]).to.equal('direction node41-node42: bandwidth out, latency both');
    expect(found[2]).to.equal('link node11-node21: bandwidth into, bandwidth out, latency both');
    expect(found[3]).to.match(/jitter both$/);
    expect(text).to.match(/^4 outliers /m);
    expect(text).to.match(/^ {2}host node31$/m);
    expect(code).to.equal(0);
  });

  it('tells a direction from a link where bandwidth alone is measured', () => {
    const faults = [{ from: is(4), to: is(9), slower: 2 }];
    const { study, rows } = runMap(simulatedHosts(16, faults), { ...small, mode: 'bw' });
    expect(findingsIn(study)).to.deep.equal(['direction node5-node10: bandwidth out']);
    expect(rows.map(({ parameters }) => parameters['figure'])).to.deep.equal(['bandwidth']);
  });

  it('finds a slow direction where all talk at once', () => {
    const faults = [{ from: is(4), to: is(9), slower: 2 }];
    const { study, text } = runMap(simulatedHosts(16, faults), { ...small, congested: true });
    expect(findingsIn(study)).to.deep.equal(['direction node5-node10: bandwidth out']);
    expect(text).to.contain('all nodes at once');
  });

  it('says of a clean network that it is', () => {
    const { study, text, code } = runMap(simulatedHosts(24, []), { ...small, 'fail-on-outlier': true });
    expect(findingsIn(study)).to.deep.equal([]);
    expect(text).to.contain('no outlier');
    expect(code).to.equal(0);
  });

  it('fails for an outlier where it is asked to', () => {
    const network = simulatedHosts(8, link(1, 2, { slower: 3 }));
    expect(runMap(network, { ...small, 'fail-on-outlier': true }).code).to.equal(1);
    expect(runMap(network, small).code).to.equal(0);
  });

  it('writes figures of the links that there are', () => {
    const { rows } = runMap(simulatedHosts(12, []), small);
    const [latency, , bandwidth] = rows;
    expect(latency?.figures['latency']?.value).to.be.closeTo(2e-6, 2e-7);
    expect(latency?.parameters).to.include({ size: 8, nodes: 12, links: 66 });
    expect(bandwidth?.parameters).to.include({ size: 65536, window: 8, links: 132 });
    const window = 8 * (2e-6 + 65536 / 1e10) + 2e-6;
    expect(bandwidth?.figures['bandwidth']?.value).to.be.closeTo((8 * 65536) / window, (0.1 * 8 * 65536) / window);
  });

  it('measures a sample of the pairs', () => {
    const { study, text } = runMap(simulatedHosts(40, []), { ...small, sample: '5' });
    expect(study).to.include({ pairs: 100, rounds: 5 });
    expect(text).to.contain('100 pairs in 5 rounds');
  });

  it('writes every pair to a CSV, and pictures that stand alone', () => {
    const files = { csv: join(folder, 'map.csv'), svg: join(folder, 'map.svg'), html: join(folder, 'map.html') };
    const network = simulatedHosts(10, link(1, 2, { slower: 3 }));
    runMap(network, { ...small, csv: files.csv, output: files.svg });
    runMap(network, { ...small, output: files.html });
    const lines = readFileSync(files.csv, 'utf8').trimEnd().split('\r\n');
    expect(lines).to.have.length(46);
    expect(lines[0]).to.equal('first,second,latency (s),jitter,first to second (B/s),second to first (B/s)');
    const slow = lines.find((line) => line.startsWith('node2,node3,'))?.split(',') ?? [];
    expect(Number(slow[2])).to.be.closeTo(6e-6, 6e-7);
    expect(parseXml(readFileSync(files.svg, 'utf8')).filter(({ name }) => name === 'path')).to.not.be.empty;
    const page = readFileSync(files.html, 'utf8');
    expect(page).to.contain('link node2 - node3');
    expect(page).to.not.match(/(src|href)="/);
  });

  it('refuses what makes no sense, and leaves no file behind', () => {
    const refused = (given: Record<string, unknown>): string => {
      try {
        readMap(given);
      } catch (error) {
        if (error instanceof WrongUse) return error.message;
        throw error;
      }
      return 'taken';
    };
    expect(refused({ mode: 'both ways' })).to.match(/^--mode both ways: give/);
    expect(refused({ sample: '1' })).to.match(/^--sample 1: give a whole number from 2/);
    expect(refused({ congested: true, mode: 'latency' })).to.match(/^--congested measures bandwidth/);
    expect(refused({ 'time-limit': '0' })).to.match(/^--time-limit 0/);
    expect(refused({ threshold: '120%' })).to.match(/^--threshold 120%/);
    expect(refused({ size: '0' })).to.match(/^--size 0/);
    expect(refused({ window: 'many' })).to.match(/^--window many/);
    expect(refused({ 'nodes-by': '0' })).to.match(/^--nodes-by 0/);
    const picture = join(folder, 'map.png');
    expect(refused({ output: picture })).to.match(/\.svg or \.html/);
    expect(existsSync(picture)).to.equal(false);
    expect(refused({ csv: join(folder, 'nowhere', 'map.csv') })).to.match(/CSV can't be written/);
    expect(refused({})).to.equal('taken');
  });

  it('needs two nodes, and a sample that they allow', () => {
    expect(() => runMap(simulatedHosts(1, []))).to.throw(WrongUse, /at least 2 nodes/);
    expect(() => runMap(simulatedHosts(4, []), { sample: '4' })).to.throw(WrongUse, /4 nodes has 3 others/);
  });

  it('takes the ranks of one host for nodes, and of several hosts the first of each', () => {
    const network = simulatedHosts(4, []);
    const alone = runMap({ ...network, hosts: ['a', 'a', 'a', 'a'] }, small);
    expect(alone.study['nodes']).to.deep.equal(['a:0', 'a:1', 'a:2', 'a:3']);
    expect(alone.text).to.contain('each of them counts as a node');
    const two = runMap({ ...network, hosts: ['b', 'a', 'b', 'a'] }, small);
    expect(two.study).to.deep.include({ nodes: ['a', 'b'], ranks: [1, 0] });
    expect(two.text).to.contain('2 others keep still').and.to.contain('no verdict');
    const by = runMap({ ...network, hosts: ['a', 'a', 'a', 'a'] }, { ...small, 'nodes-by': '2' });
    expect(by.study['ranks']).to.deep.equal([0, 2]);
  });
});
