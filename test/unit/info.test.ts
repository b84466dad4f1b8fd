/** `fabricbench info`: what its text makes of UCX's numbers. */
import { expect } from 'chai';
import { infoText, type Info } from '../../src/cli/info.js';
import type { TransportAbilities } from '../../src/bench/ucx-perftest/abilities.js';

const limits = { short: null, bcopy: null, zcopy: null };
type Attributes = NonNullable<TransportAbilities['attributes']>;

function textOf(attributes: Partial<Record<keyof Attributes, unknown>>): string {
  const transport = {
    resource: { transport: 'posix', device: 'memory', type: 'shared-memory' },
    attributes: {
      ...{ flags: [], latency: 8e-8, bandwidth: { dedicated: 0, shared: 12e9 }, md: { memoryTypes: ['host'] } },
      ...{ am: limits, put: limits, get: limits, atomic32: { op: [], fop: [] }, atomic64: { op: [], fop: [] } },
      ...attributes,
    },
    problem: null,
    tests: [],
  } as unknown as TransportAbilities;
  const info: Info = {
    ...{ version: '0.1.0', node: 'v20', addons: ['engine', 'ucx'], problem: null },
    ucx: { version: '1.13.1', settings: [], transports: [transport] },
    topology: { topology: null, matrix: null, problem: 'topology.node is not built' },
    mpi: [],
    verbs: { devices: [], problem: 'no RDMA device: none' },
  };
  return infoText(info);
}

describe('the text of fabricbench info', () => {
  it('has limits in round numbers, also where UCX names the byte before', () => {
    const text = textOf({ put: { ...limits, short: { max: 2 ** 32 - 1, maxIov: 1 }, bcopy: { max: 8256 } } });
    expect(text).to.include('put       short below 4G, bcopy up to 8256\n');
    const others = textOf({ put: { ...limits, short: { max: 2 ** 64, maxIov: 1 }, bcopy: { max: 8192 } } });
    expect(others).to.include('put       short any size, bcopy up to 8K\n');
    expect(textOf({ am: { ...limits, short: { max: 100, maxIov: 1 } } })).to.include('am        short up to 100\n');
  });

  it('tells atomics of both widths once where they are the same', () => {
    const all = { op: ['add', 'and'], fop: ['add', 'swap'] };
    const none = { op: [], fop: [] };
    expect(textOf({ atomic32: all, atomic64: all })).to.include('of 32 and 64 bit: add, and; fetching add, swap\n');
    expect(textOf({ atomic32: none, atomic64: all })).to.include('atomics   of 64 bit: add, and; fetching add, swap\n');
    expect(textOf({ atomic32: none, atomic64: none })).not.to.include('atomics');
  });

  it('keeps within 80 columns', () => {
    const op = ['add', 'and', 'or', 'xor', 'swap', 'cswap'];
    const lines = textOf({ atomic32: { op, fop: op }, atomic64: { op, fop: [] } }).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).to.be.at.most(80);
  });
});
