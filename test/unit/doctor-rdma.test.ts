import { expect } from 'chai';
import { rdmaHere } from '../../src/doctor/rdma-here.js';
import { LoadError } from '../../src/engine/errors.js';
import type { PortAttributes, Verbs, VerbsContext } from '../../src/verbs/types.js';

const port: PortAttributes = {
  ...{
    port: 1,
    state: 'ACTIVE',
    linkLayer: 'InfiniBand',
    maxMtu: 4096,
    activeMtu: 2048,
    maxMsgSz: 1 << 30,
    lid: 1,
    smLid: 1,
  },
  ...{ gidTableLength: 8, activeWidth: 4, activeSpeed: 25 },
};

/** Two devices, of which the second can't be opened. */
function library(closed: string[]): Verbs {
  const context = {
    attributes: { ports: 2 },
    port: (number: number) => ({ ...port, port: number }),
    close: () => closed.push('mlx5_0'),
  } as unknown as VerbsContext;
  const device = (name: string) => ({ name, guid: '', transport: 'InfiniBand' }) as const;
  return {
    devices: () => [device('mlx5_0'), device('mlx5_1')],
    open: (name) => {
      if (name === 'mlx5_0') return context;
      throw new Error(`${name} can't be opened`);
    },
    hugeBuffer: () => expect.fail('no memory is asked for'),
  };
}

describe('RDMA devices that the doctor opens', () => {
  it('are closed again, and one that fails keeps no other from being seen', () => {
    const closed: string[] = [];
    const [first, second, ...more] = rdmaHere(() => library(closed));
    expect(more).to.deep.equal([]);
    expect(closed).to.deep.equal(['mlx5_0']);
    expect(first).to.deep.equal({ device: 'mlx5_0', ports: [port, { ...port, port: 2 }], problem: null });
    expect(second).to.deep.equal({ device: 'mlx5_1', ports: [], problem: "mlx5_1 can't be opened" });
  });

  it('are none where verbs are not built', () => {
    const missing = (): Verbs => {
      throw new LoadError('verbs.node is not built', 'verbs', 'not-built');
    };
    expect(rdmaHere(missing)).to.deep.equal([]);
  });
});
