import { expect } from 'chai';
import { verbsVersion } from '../../src/verbs/version.js';

const line = (file: string): string => `7f0c5a000000-7f0c5a01d000 r-xp 00005000 fe:00 12345    ${file}\n`;

describe('the version of libibverbs', () => {
  it('is that of rdma-core, at the end of the name of its file', () => {
    const maps =
      line('/usr/lib/x86_64-linux-gnu/libc.so.6') + line('/usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0');
    expect(verbsVersion(maps)).to.equal('44.0');
    expect(verbsVersion(line('/opt/lib/libibverbs.so.1.14.2404mlnx51.0'))).to.be.null;
  });

  it('is null where it is not loaded, or its file says none', () => {
    expect(verbsVersion('')).to.be.null;
    expect(verbsVersion(line('/usr/lib64/libibverbs.so.1'))).to.be.null;
    expect(verbsVersion(line('/usr/lib/libibverbs/librxe-rdmav34.so'))).to.be.null;
  });
});
