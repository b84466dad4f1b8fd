/** What the ib_* programs say without RDMA, and of a command line that they don't understand. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { perftestNames } from '../../src/bench/suites/perftest.js';
import { projectRoot } from '../unit/project.js';

const DEVICES = '/sys/class/infiniband';

function run(name: string, ...args: readonly string[]) {
  const env = { ...process.env };
  for (const variable of Object.keys(env)) if (/^(OMPI|PMI|PMIX|SLURM)_/.test(variable)) delete env[variable];
  const script = join(projectRoot, 'dist', `${name}.js`);
  return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env, timeout: 60_000 });
}

describe('the ib_* programs', () => {
  for (const name of perftestNames) {
    it(`${name} says that there is no RDMA device, as server and as client`, function () {
      if (existsSync(DEVICES) && readdirSync(DEVICES).length > 0) this.skip();
      for (const args of [[], ['127.0.0.1']]) {
        const { status, stdout, stderr } = run(name, ...args);
        assert.deepEqual([status, stdout], [77, ''], stderr);
        assert.match(stderr, new RegExp(`^${name}: no RDMA device: .*scripts/softroce.*\\n$`));
      }
    });

    it(`${name} refuses what it does not know, and shows its help`, () => {
      const { status, stdout, stderr } = run(name, '--no-such-option');
      assert.deepEqual([status, stdout], [1, '']);
      assert.match(stderr, new RegExp(`^${name}: unrecognized option '--no-such-option'.*\\n$`));
      const help = run(name, '--help');
      assert.equal(help.status, 0, help.stderr);
      assert.include(help.stdout, name);
    });
  }
});
