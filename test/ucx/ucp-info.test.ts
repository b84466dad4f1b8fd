import { expect } from 'chai';
import { parseLanes, parseResources } from '../../src/ucx/ucp-info.js';

const endpoint = `#
# UCP endpoint
#
#               peer: node7:1234
#                 lane[0]:  5:rc_mlx5/mlx5_0:1.0 md[4]      -> md[4]/ib/sysdev[1] rma_bw#0 am am_bw#0
#                 lane[1]:  0:sysv/memory.0 md[0]           -> md[0]/sysv/sysdev[255] amo#0
#                 lane[2]:  9:cma/memory.0 md[6]            -> md[6]/cma/sysdev[255] rma_bw#1
#
#                tag_send: 0..<egr/short>..93..<egr/bcopy>..8256..<rndv>..(inf)
`;

const context = `#
#     component 2  :  sysv
#
#            md 0  :  component 0  self
#
#      resource 0  :  md 0  dev 0  flags -- self/memory0
#      resource 1  :  md 1  dev 1  flags a- rc_verbs/mlx5_0:1
#
`;

describe('what UCX prints', () => {
  it('tells lanes and their uses', () => {
    expect(parseLanes(endpoint)).to.deep.equal([
      { name: 'rc_mlx5/mlx5_0:1', uses: ['rma_bw#0', 'am', 'am_bw#0'] },
      { name: 'sysv/memory', uses: ['amo#0'] },
      { name: 'cma/memory', uses: ['rma_bw#1'] },
    ]);
    expect(parseLanes('# no lanes here')).to.be.empty;
  });

  it('tells transports and devices', () => {
    expect(parseResources(context)).to.deep.equal(['self/memory0', 'rc_verbs/mlx5_0:1']);
  });
});
