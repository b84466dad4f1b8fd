/** What `fabricbench info` shows of machines that are not at hand, letter by letter, and of this one. */
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer } from '../../src/cli/fabricbench.js';
import { topologyText } from '../../src/cli/info.js';
import { topologyInfo, type TopologyInfo } from '../../src/cli/info-topology.js';
import type { MpiInfo } from '../../src/cli/info-mpi.js';
import { readTopology } from '../../src/topology/index.js';
import { projectRoot, readFixture } from '../unit/project.js';

const folder = join(projectRoot, 'test/fixtures/topologies');

const machines = [
  '24em64t-2n6c2t-pci',
  '32em64t-2n8c2t-pci-normalio',
  'power8gpudistances',
  'eight-packages',
  'sub-numa',
  'hybrid',
  'one-core',
];

describe('fabricbench info of another machine', () => {
  for (const name of machines) {
    it(`${name} is as in its golden text`, () => {
      const topology = readTopology({ xml: join(folder, `${name}.xml`) });
      const shown = { ...topology, source: { kind: 'xml', name: `${name}.xml` }, hwloc: 'VERSION' } as const;
      const text = topologyText(topologyInfo(shown));
      expect(text).to.equal(readFixture(`topologies/golden/${name}.txt`));
      for (const line of text.split('\n')) expect(line.length, line).to.be.at.most(80);
    });
  }

  it('shows the topology alone, as text and as JSON', async () => {
    const file = join(folder, '32em64t-2n8c2t-pci-normalio.xml');
    const { exitCode, stdout, stderr } = await answer(['info', '--topology', file]);
    expect([exitCode, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.equal(topologyText(topologyInfo(readTopology({ xml: file }))));
    const json = JSON.parse((await answer(['info', '--json', '--topology', file])).stdout) as { topology: TopologyInfo };
    expect(Object.keys(json)).to.deep.equal(['topology']);
    const { topology, matrix } = json.topology;
    expect(topology?.devices.find(({ name }) => name === 'mlx5_0')).to.deep.include({ numaNode: 1, package: 1 });
    const row = matrix?.devices.findIndex(({ name }) => name === 'mlx5_0') ?? NaN;
    const column = matrix?.devices.findIndex(({ name }) => name === 'cuda0') ?? NaN;
    expect(matrix?.relations[row]?.[column]).to.equal('PIX');
  });

  it('shows what is described', async () => {
    const { exitCode, stdout } = await answer(['info', '--synthetic', 'package:8 core:4 pu:2']);
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^topology {2}package:8 core:4 pu:2, by hwloc [\d.]+\n {2}has {7}8 packages, 1 NUMA node, /);
    expect(stdout).to.include('\n  package 7 processors 56-63\n  NUMA 0    1 GiB, 32 cores, processors 0-63\n');
    expect(stdout).to.include('\n  devices   no network adapter and no GPU\n');
  });

  it('refuses what is none in one sentence', async () => {
    const cases: [string[], string][] = [
      [['--topology', '/nowhere.xml'], "the topology /nowhere.xml can't be read: there is no such file"],
      [['--synthetic', 'x'], 'hwloc does not understand the topology "x": describe one as "package:2 numa:1 core:4 pu:2"'],
      [['--topology', 'a', '--synthetic', 'pu:1'], '--topology and --synthetic both name a topology: name one of them'],
      [['--topology', 'a', '--topology', 'b'], '--topology takes one value: name it once'],
      [['--topology', ''], '--topology takes one value: name it once'],
      [['--topology'], 'not enough arguments following: topology; fabricbench --help names what there is'],
    ];
    for (const [options, problem] of cases) {
      expect(await answer(['info', ...options]), options.join(' ')).to.deep.equal({
        exitCode: 2,
        stdout: '',
        stderr: `fabricbench: ${problem}\n`,
      });
    }
  });
});

describe('fabricbench info of this machine', () => {
  it('shows its topology and its MPIs before the rest', async () => {
    const { exitCode, stdout } = await answer(['info']);
    expect(exitCode).to.equal(0);
    const parts = stdout.split('\n').filter((line) => /^\w/.test(line));
    expect(parts.map((line) => line.split(' ')[0])).to.deep.equal(['fabricbench', 'addons', 'topology', 'MPI', 'UCX', 'verbs']);
    expect(parts[2]).to.match(/^topology {2}this machine \(/);
  });

  it('has the library of each MPI, and what it calls itself', async () => {
    const { mpi } = JSON.parse((await answer(['info', '--json'])).stdout) as { mpi: MpiInfo[] };
    expect(mpi.map(({ family }) => family)).to.include('openmpi');
    for (const { family, version, standard, library, problem } of mpi) {
      expect(problem).to.equal(null);
      expect(version).to.match(family === 'openmpi' ? /^Open MPI v\d/ : /^MPICH Version: \d/);
      expect(standard).to.match(/^\d\.\d$/);
      // Null where another test has loaded it before.
      if (library !== null) expect(existsSync(library) && readFileSync(library).includes('MPI_Init')).to.equal(true);
    }
  });
});
