import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { mergeHosts, readHost, readSettings } from '../../src/results/environment.js';
import { RESULT_SCHEMA } from '../../src/results/types.js';
import { withFolder } from './project.js';
import { exampleHead } from './records.js';
import { strictSchemaErrors } from './schema.js';

/** A /proc and /sys made of a few files. */
function withRoot<T>(files: Readonly<Record<string, string>>, use: (root: string) => T): T {
  return withFolder((root) => {
    for (const [name, text] of Object.entries(files)) {
      const file = join(root, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return use(root);
  });
}

const read = (files: Readonly<Record<string, string>>) =>
  withRoot(files, (root) => readHost({ root, name: 'n', kernel: '6.1' }));

describe('environment of a run', () => {
  it('tells processor, governor, NUMA nodes and network devices', () => {
    expect(
      read({
        'proc/cpuinfo': `processor\t: 0\nmodel name\t: A Processor @ 2.5 GHz\n${'flags : x\n'.repeat(5000)}`,
        'sys/devices/system/cpu/online': '0-3\n',
        'sys/devices/system/cpu/cpu0/cpufreq/scaling_governor': 'performance\n',
        'sys/devices/system/node/online': '0-1\n',
        'sys/devices/system/node/node0/cpulist': '0,2\n',
        'sys/devices/system/node/node1/cpulist': '1,3\n',
        'sys/class/infiniband/mlx5_0/ports/1/state': '4: ACTIVE\n',
        'sys/class/infiniband/mlx5_0/ports/1/rate': '100 Gb/sec (4X EDR)\n',
        'sys/class/infiniband/mlx5_0/ports/1/link_layer': 'InfiniBand\n',
        'sys/class/infiniband/mlx5_0/device/numa_node': '1\n',
        'sys/class/net/eth0/operstate': 'up\n',
        'sys/class/net/eth0/speed': '25000\n',
        'sys/class/net/eth0/device/numa_node': '-1\n',
        'sys/class/net/wlan0/operstate': 'down\n',
        'sys/class/net/wlan0/speed': '-1\n',
        'sys/class/net/lo/operstate': 'unknown\n',
      }),
    ).to.deep.equal({
      name: 'n',
      cpuModel: 'A Processor @ 2.5 GHz',
      cpus: 4,
      governor: 'performance',
      kernel: '6.1',
      numaNodes: [
        { id: 0, cpus: [0, 2] },
        { id: 1, cpus: [1, 3] },
      ],
      nics: [
        { name: 'mlx5_0', kind: 'infiniband', state: 'ACTIVE', rate: 1e11, linkLayer: 'InfiniBand', numaNode: 1 },
        { name: 'eth0', kind: 'net', state: 'up', rate: 2.5e10, linkLayer: null, numaNode: null },
        { name: 'wlan0', kind: 'net', state: 'down', rate: null, linkLayer: null, numaNode: null },
      ],
    });
  });

  it('is null where the kernel tells nothing', () => {
    expect(read({})).to.deep.equal({
      name: 'n', cpuModel: null, cpus: null, governor: null, kernel: '6.1', numaNodes: [], nics: [],
    }); // prettier-ignore
  });

  it('knows processors of other makers', () => {
    const model = (text: string) => read({ 'proc/cpuinfo': text }).cpuModel;
    expect(model('CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n')).to.equal('Arm implementer 0x41 part 0xd0c');
    expect(model('cpu\t\t: POWER9, altivec supported\n')).to.equal('POWER9, altivec supported');
  });

  it('of this machine fits the schema', () => {
    const host = readHost();
    expect(host.name).to.equal(hostname());
    expect(host.cpus).to.be.at.least(1);
    const { environment, ...head } = exampleHead();
    const record = { schema: RESULT_SCHEMA, ...head, rows: [], warnings: [], status: { state: 'done' } };
    expect(strictSchemaErrors({ ...record, environment: { ...environment, hosts: [host] } })).to.deep.equal([]);
  });

  it('has every host once', () => {
    const [a, b] = ['a', 'b'].map((name) => ({ ...readHost(), name }));
    if (!a || !b) throw new Error('two hosts were made');
    expect(mergeHosts([a, b, { ...a }, b]).map(({ name }) => name)).to.deep.equal(['a', 'b']);
  });

  it('has the settings that change what is measured, and no secrets', () => {
    const settings = readSettings({
      UCX_TLS: 'sysv',
      OMPI_MCA_pml: 'ucx',
      OMPI_MCA_orte_hnp_uri: 'internal',
      OMPI_MCA_orte_precondition_transports: 'a key',
      MPIR_CVAR_CH3_INTERFACE_HOSTNAME: 'internal',
      SLURM_NTASKS: '2',
      SLURM_JWT: 'secret',
      MPIR_CVAR_DEBUG: '1',
      HOME: '/root',
      AWS_SECRET: 'secret',
      UCX_UNSET: undefined,
    });
    expect(settings).to.deep.equal({ MPIR_CVAR_DEBUG: '1', OMPI_MCA_pml: 'ucx', SLURM_NTASKS: '2', UCX_TLS: 'sysv' });
    expect(Object.keys(settings)).to.deep.equal(Object.keys(settings).sort());
  });
});
