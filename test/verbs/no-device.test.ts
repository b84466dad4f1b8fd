/** Verbs where there is no RDMA device: said in a sentence. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { NoRdmaDevice, verbs } from '../../src/verbs/index.js';
import { projectRoot } from '../unit/project.js';

const folder = '/sys/class/infiniband';
const none = 'no RDMA device: /sys/class/infiniband is empty; scripts/softroce gives one without hardware';

/** On a machine with devices the machine's own are what is named. */
const devices = existsSync(folder) ? readdirSync(folder) : [];

describe('verbs on this machine', () => {
  it('has the devices of the kernel', () => {
    assert.sameMembers(
      verbs()
        .devices()
        .map(({ name }) => name),
      devices,
    );
  });

  it('says what it looked for where it can open none', () => {
    const wanted = devices.length === 0 ? undefined : 'nix';
    const text = devices.length === 0 ? none : /^there is no RDMA device nix: there (is|are) /;
    assert.throws(() => verbs().open(wanted), NoRdmaDevice, text);
    assert.throws(() => verbs().open(3 as unknown as string), TypeError, "the device's name must be a string");
  });

  it('says in fabricbench info what there is', () => {
    const info = (...args: string[]) =>
      spawnSync(process.execPath, [join(projectRoot, 'dist/fabricbench.js'), 'info', ...args], { encoding: 'utf8' });
    const text = info();
    assert.deepEqual([text.status, text.stderr], [0, '']);
    const written = text.stdout.replace(/\s+/g, ' ');
    for (const name of devices.length === 0 ? [none] : devices) assert.include(written, name);
    const { verbs: told } = JSON.parse(info('--json').stdout) as {
      verbs: { devices: { name: string }[]; problem: string | null };
    };
    assert.sameMembers(
      told.devices.map(({ name }) => name),
      devices,
    );
    assert.equal(told.problem, devices.length === 0 ? none : null);
  });

  it('refuses huge pages that there are not, naming the setting', () => {
    assert.throws(
      () => verbs().hugeBuffer(2 ** 45),
      /mmap failed: Cannot allocate memory: \d+ huge pages of \d+ KiB are needed and \d+ are free: raise vm\.nr_hugepages \(as root: sysctl -w vm\.nr_hugepages=\d+\)/,
    );
    assert.throws(() => verbs().hugeBuffer(0), RangeError, 'byteLength must be a whole number of at least 1, not 0');
  });
});
