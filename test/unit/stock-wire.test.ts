import { expect } from 'chai';
import {
  checkReport,
  decodeMtu,
  decodeNumber,
  decodeRecord,
  decodeReport,
  decodeVersion,
  encodeMtu,
  encodeNumber,
  encodeRecord,
  encodeReport,
  encodeVersion,
  FAREWELL,
  StockWireError,
  type StockRecord,
} from '../../src/bench/perftest/stock-wire.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

// As perftest 4.5 wrote them over a Soft-RoCE device.
const written =
  '0000:0001:000017:34b9b6:000008ba:000055b94064f000:00:00:00:00:00:00:00:00:00:00:ff:ff:7f:00:00:01:00000000:\0';
const record: StockRecord = {
  lid: 0,
  outReads: 1,
  qpn: 0x17,
  psn: 0x34b9b6,
  rkey: 0x8ba,
  address: 0x55b94064f000n,
  gid: Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1]),
  srqn: 0,
};
const report = {
  size: '00 00 00 00 00 01 00 00',
  iterations: '00 00 00 00 00 00 00 14',
  peak: '40 2b 14 93 e5 c0 52 96',
  average: '40 21 bc be 82 fb 1b 61',
  messageRate: '3f 22 99 50 bc 76 24 7a',
};

describe("a stock perftest's wire", () => {
  it('has the version in sixteen bytes', () => {
    const version = bytes('6.06\0\0\0\0\0\0\0\0\0\0\0\0');
    expect(encodeVersion('6.06')).to.deep.equal(version);
    expect(decodeVersion(version)).to.equal('6.06');
    expect(decodeVersion(bytes('6.29\0garbage\0\0\0\0'))).to.equal('6.29');
  });

  it('takes what is no version for another program', () => {
    for (const text of ['GET / HTTP/1.1\r\n', '\0'.repeat(16), '6.06 and a half!']) {
      expect(() => decodeVersion(bytes(text))).to.throw(StockWireError, /not with a version: is it a perftest/);
    }
  });

  it('has numbers most significant byte first', () => {
    expect(encodeNumber(4096)).to.deep.equal(bytes('\0\0\x10\0'));
    expect(encodeNumber(64)).to.deep.equal(bytes('\0\0\0@'));
    expect(decodeNumber(bytes('\0\0\x10\0'))).to.equal(4096);
  });

  it('has the MTU as the digit of its enum', () => {
    expect(encodeMtu(4096)).to.deep.equal(bytes('5\0'));
    expect(encodeMtu(256)).to.deep.equal(bytes('1\0'));
    expect(decodeMtu(bytes('3\0'))).to.equal(1024);
    for (const text of ['0\0', '6\0', 'x\0', '\0\0']) expect(() => decodeMtu(bytes(text))).to.throw(StockWireError);
  });

  it('has a queue pair as text, with a GID in 108 bytes', () => {
    expect(written.length).to.equal(108);
    expect(encodeRecord(record)).to.deep.equal(bytes(written));
    expect(decodeRecord(bytes(written))).to.deep.equal(record);
  });

  it('has a queue pair without a GID in 59 bytes', () => {
    const plain = '0012:0010:00abcd:ffffff:fffffffe:ffff888877776666:00000123\0';
    const other: StockRecord = {
      ...{ lid: 0x12, outReads: 16, qpn: 0xabcd, psn: 0xffffff, rkey: 0xfffffffe, address: 0xffff888877776666n },
      ...{ gid: null, srqn: 0x123 },
    };
    expect(plain.length).to.equal(59);
    expect(encodeRecord(other)).to.deep.equal(bytes(plain));
    expect(decodeRecord(bytes(plain))).to.deep.equal(other);
  });

  it('says where a queue pair is told in other words', () => {
    const wrong = ['\0'.repeat(108), written.replace('34b9b6', '34b9g6'), written.replace(':ff', ':')];
    for (const text of wrong) {
      expect(() => decodeRecord(bytes(text.padEnd(108, '\0')))).to.throw(StockWireError, /no perftest uses/);
    }
    expect(() => decodeRecord(bytes(written.slice(0, 59)))).to.throw(StockWireError, /use a GID and the other none/);
  });

  it('has figures as whole numbers and doubles, most significant byte first', () => {
    const parts = Object.values(report).map(hex);
    const decoded = decodeReport(parts);
    expect([decoded.size, decoded.iterations]).to.deep.equal([65536n, 20n]);
    // What perftest printed of them: 13.54, 8.87 and 0.000142.
    expect(decoded.peak.toFixed(2)).to.equal('13.54');
    expect(decoded.average.toFixed(2)).to.equal('8.87');
    expect(decoded.messageRate.toFixed(6)).to.equal('0.000142');
    expect(encodeReport(decoded)).to.deep.equal(parts);
    expect(checkReport(decoded)).to.equal(decoded);
    const nonsense = decodeReport(
      Array.from({ length: 5 }, (_, index) => bytes(written).subarray(8 * index, 8 * index + 8)),
    );
    expect(() => checkReport(nonsense)).to.throw(StockWireError, /figures that can't be/);
  });

  it('ends with a word', () => {
    expect(FAREWELL).to.deep.equal(bytes('done\0'));
  });
});
