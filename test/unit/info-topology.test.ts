import { expect } from 'chai';
import { join } from 'node:path';
import { answer } from '../../src/cli/fabricbench.js';
import { projectRoot, readFixture } from './project.js';

const folder = join(projectRoot, 'test/fixtures/topologies');
const machines = [
  ...['24em64t-2n6c2t-pci', '32em64t-2n8c2t-pci-normalio', 'power8gpudistances'],
  ...['eight-packages', 'sub-numa', 'hybrid', 'one-core'],
];

interface Shown {
  readonly topology: {
    readonly matrix: {
      readonly devices: readonly { readonly name: string }[];
      readonly relations: readonly (readonly string[])[];
    };
  };
}

describe('fabricbench info of a topology', () => {
  for (const name of machines) {
    it(`shows ${name} with its matrix of devices, in 80 columns`, async () => {
      const { exitCode, stdout, stderr } = await answer(['info', '--topology', join(folder, `${name}.xml`)]);
      expect([exitCode, stderr]).to.deep.equal([0, '']);
      // The path is broken into lines by its length.
      const after = (text: string): string => text.slice(text.indexOf('\n  has '));
      expect(after(stdout)).to.equal(after(readFixture(`topologies/info/${name}.txt`)));
      const lines = after(stdout).split('\n');
      for (const line of lines) expect(line.length, line).to.be.at.most(80);
    });
  }

  it('has the same matrix read from either side', async () => {
    for (const name of machines) {
      const { stdout } = await answer(['info', '--json', '--topology', join(folder, `${name}.xml`)]);
      const { matrix } = (JSON.parse(stdout) as Shown).topology;
      expect(matrix.devices).to.not.have.length(0);
      for (const [row, cells] of matrix.relations.entries())
        for (const [column, cell] of cells.entries())
          expect(matrix.relations[column]?.[row], `${name} ${row} ${column}`).to.equal(cell);
    }
  });

  it('shows machines of many packages, and of one core without devices', async () => {
    const many = await answer(['info', '--synthetic', 'package:8 numa:1 core:2 pu:1']);
    expect(many.stdout).to.contain('8 packages, 8 NUMA nodes, 16 cores');
    expect(await answer(['info', '--topology', 'package:8 numa:1 core:2 pu:1'])).to.deep.equal(many);
    const one = await answer(['info', '--synthetic', 'core:1 pu:1']);
    expect(one.stdout).to.contain('1 core, 1 processor');
    expect(one.stdout).to.not.contain('NIC0');
  });

  it('refuses files and descriptions that are none', async () => {
    for (const argv of [
      ['--topology', join(projectRoot, 'package.json')],
      ['--topology', '/nowhere.xml'],
      ['--synthetic', 'package:x'],
      ['--synthetic', 'pu:1', '--topology', join(folder, 'one-core.xml')],
      ['--topology', join(folder, 'one-core.xml'), '--topology', join(folder, 'hybrid.xml')],
      ['--topology', ''],
      ['--topology'],
    ]) {
      const { exitCode, stdout, stderr } = await answer(['info', ...argv]);
      expect([exitCode, stdout], argv.join(' ')).to.deep.equal([2, '']);
      expect(stderr).to.match(/^fabricbench: [^\n]+\n$/);
    }
  });
});
