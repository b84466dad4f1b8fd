/** UCT's objects: what opens, what is refused, what holds what. */
import { expect } from 'chai';
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { OperationError, releaseOperation } from '../../src/engine/index.js';
import { uct, uctAtomicRefusal, uctBind, uctRefusal } from '../../src/ucx/index.js';
import type { UctResource } from '../../src/ucx/index.js';
import { runCase } from '../native/run-case.js';
import { openPair, resourceOf } from './uct-pair.js';

const caseName = (name: string) => `../../ucx/cases/${name}`;

function need(context: Mocha.Context, transport: string): UctResource {
  return resourceOf(transport) ?? context.skip();
}

describe('UCT', () => {
  it('knows the transports of this host', () => {
    const resources = uct().resources();
    const self = resources.find(({ transport }) => transport === 'self');
    expect(self).to.include({ component: 'self', md: 'self', transport: 'self', type: 'self' });
    expect(self?.device).to.match(/^memory/);
    expect(resources.filter(({ transport }) => transport === 'tcp').map(({ type }) => type)).to.include('network');
  });

  it('tells what an interface can do', function () {
    const iface = uct().open(need(this, 'posix'));
    const { attributes } = iface;
    expect(attributes.flags).to.include.members(['AM_SHORT', 'AM_BCOPY', 'PUT_SHORT', 'CONNECT_TO_IFACE', 'CB_SYNC']);
    expect(attributes.am.zcopy).to.equal(null);
    expect(attributes.am.short?.max).to.be.within(16, 4096);
    expect(attributes.atomic64.fop).to.deep.equal(['add', 'and', 'or', 'xor', 'swap', 'cswap']);
    expect(attributes.atomic64.op).to.deep.equal(['add', 'and', 'or', 'xor']);
    expect(attributes.md.keySize).to.equal(24);
    expect(attributes.md.memoryTypes).to.deep.equal(['host']);
    expect(attributes.latency).to.be.within(0, 1e-3);
    expect(attributes.bandwidth.dedicated + attributes.bandwidth.shared).to.be.above(1e6);
    iface.close();
  });

  it('takes settings, with and without the prefix of their transport', function () {
    const resource = need(this, 'posix');
    const bcopyMax = (config: Record<string, string>) => {
      const iface = uct().open(resource, { config });
      const { bcopy } = iface.attributes.am;
      iface.close();
      return bcopy?.max;
    };
    expect(bcopyMax({ POSIX_SEG_SIZE: '4096' })).to.equal(4096);
    expect(bcopyMax({ SEG_SIZE: '2048' })).to.equal(2048);
    expect(() => bcopyMax({ SEG_SIZE: 'x' })).to.throw(OperationError, 'uct_config_modify failed: Invalid parameter');
    expect(() => bcopyMax({ SEG_SIZES: '1' })).to.throw(RangeError, 'posix/memory has no setting SEG_SIZES');
  });

  it('opens with every async mode', function () {
    const resource = need(this, 'self');
    for (const asyncMode of ['thread_spinlock', 'thread_mutex', 'poll'] as const) {
      uct().open(resource, { asyncMode }).close();
    }
    expect(() => uct().open(resource, { asyncMode: 'none' as 'poll' })).to.throw(TypeError, 'asyncMode must be one of');
  });

  it('refuses resources that there are not', function () {
    const resource = need(this, 'posix');
    expect(() => uct().open({ ...resource, device: 'nix' })).to.throw(RangeError, 'UCT has no posix/nix here');
    expect(() => uct().open({ ...resource, md: 'nix' })).to.throw(RangeError, 'UCT has no memory domain nix');
    expect(() => uct().open({} as UctResource)).to.throw(TypeError, 'take one of resources()');
  });

  it('connects only what can be connected', function () {
    const posix = uct().open(need(this, 'posix'));
    const self = uct().open(need(this, 'self'));
    expect(() => posix.epCreate()).to.throw(RangeError, 'posix/memory connects to interfaces only: use connect');
    const others = [posix.deviceAddress(), posix.ifaceAddress()] as const;
    expect(posix.isReachable(...others)).to.equal(true);
    expect(self.isReachable(...others)).to.equal(false);
    expect(() => self.connect(...others))
      .to.throw(OperationError, /uct_ep_create failed: Destination is unreachable/)
      .with.property('stackName', 'uct');
    expect(() => posix.isReachable('x' as unknown as Uint8Array, new Uint8Array())).to.throw(TypeError);
    expect(() => posix.rkeyUnpack(new Uint8Array(3))).to.throw(RangeError, 'keys of posix/memory have 24');
    posix.close();
    self.close();
  });

  it('closes nothing that is in use', function () {
    const pair = openPair(need(this, 'posix'));
    const { iface, endpoint } = pair.here;
    const memory = iface.memAlloc(4096);
    const key = iface.rkeyUnpack(memory.packKey());
    const messages = iface.amMessages({ id: 1 });
    const inFlight = iface.inFlight();
    const { buffer } = memory;
    if (buffer === null) throw new Error('no buffer');
    const remote = { address: memory.address, key };
    const put = uctBind().put({ endpoint, layout: 'short', buffer, length: 8, inFlight, remote });
    const receive = uctBind().amReceive(iface, messages);
    const refused: [() => void, string][] = [
      [() => iface.close(), "posix/memory can't be closed: 4 of its endpoints, keys, memory and handlers are open"],
      [() => endpoint.destroy(), "the endpoint can't be destroyed: an operation still uses it; release first"],
      [() => key.release(), "the remote key can't be released: an operation"],
      [() => memory.free(), "the buffer can't be freed: an operation"],
      [() => messages.close(), "the handler of messages can't be closed: an operation"],
    ];
    for (const [close, text] of refused) expect(close).to.throw(text);
    put();
    releaseOperation(put);
    releaseOperation(receive);
    const flush = uctBind().flush(iface);
    const view = buffer.view();
    memory.free();
    memory.free();
    expect(view.length).to.equal(0);
    expect(() => memory.packKey()).to.throw('the memory was freed');
    key.release();
    messages.close();
    endpoint.destroy();
    expect(() => iface.close()).to.throw("posix/memory can't be closed: an operation still uses it");
    releaseOperation(flush);
    pair.close();
    expect(() => iface.progress()).to.throw('posix/memory was closed');
    expect(() => endpoint.address()).to.throw();
    expect(() => uctBind().fence(endpoint)).to.throw('the endpoint was destroyed');
  });
});

describe('UCT refuses when bound', () => {
  const bind = uctBind();

  it('what the interface does not have, and more than it takes', function () {
    const pair = openPair(need(this, 'posix'));
    const { iface, endpoint } = pair.here;
    const inFlight = iface.inFlight();
    const max = iface.attributes.am.short?.max ?? 0;
    const buffer = new Uint8Array(1 << 16);
    const am = (layout: 'short' | 'shortiov' | 'bcopy' | 'zcopy', length: number, more = {}) =>
      bind.am({ endpoint, layout, buffer, length, inFlight, id: 1, ...more });
    expect(() => am('zcopy', 8)).to.throw(RangeError, /^posix\/memory has no am zcopy$/);
    const most = `${max + 1} bytes are more than posix/memory's am short takes (at most ${max})`;
    expect(() => am('short', max + 1)).to.throw(RangeError, most);
    expect(uctRefusal(iface, 'am', 'short', { length: max + 1 })).to.equal(most);
    expect(uctRefusal(iface, 'am', 'short', { length: max })).to.equal(undefined);
    expect(() => am('short', 7)).to.throw(RangeError, "fewer than the header of posix/memory's am short (8)");
    expect(() => am('bcopy', 0)).to.throw(RangeError, '0 bytes are fewer than');
    expect(() => am('bcopy', 8, { buffer: new Uint8Array(7) })).to.throw(RangeError, 'the buffer has 7 bytes');
    expect(() => am('bcopy', 8, { buffer: 'text' })).to.throw(TypeError);
    expect(() => am('bcopy', 8, { id: 32 })).to.throw(RangeError, 'from 0 to 31');
    expect(() => am('short', 16, { pieces: { lengths: [8, 8], stride: 0 } })).to.throw(RangeError, 'takes no pieces');
    expect(() => am('shortiov', 16, { pieces: { lengths: [8, 9], stride: 0 } })).to.throw(
      RangeError,
      '17 bytes together',
    );
    expect(() => am('shortiov', 16, { pieces: { lengths: [8, 8], stride: 4 } })).to.throw(RangeError, 'stride of 4');
    expect(() => am('bcopy', 8, { inFlight: pair.there.iface.inFlight() })).to.throw(TypeError, 'another interface');
    expect(() => am('bcopy', 8, { endpoint: {} })).to.throw(TypeError, "endpoint is not one of UCT's");
    expect(() => am('long' as 'bcopy', 8)).to.throw(TypeError, 'layout must be one of');
    expect(() => iface.inFlight(0)).to.throw(RangeError, 'limit');
    pair.close();
  });

  it('puts and gets by shortiov, and what lies outside its memory', function () {
    const pair = openPair(need(this, 'posix'));
    const { iface, endpoint } = pair.here;
    const memory = iface.memAlloc(64);
    const key = iface.rkeyUnpack(memory.packKey());
    const remote = { address: memory.address, key };
    const request = { endpoint, buffer: new Uint8Array(64), length: 64, inFlight: iface.inFlight(), remote };
    expect(() => bind.put({ ...request, layout: 'shortiov' })).to.throw(RangeError, 'posix/memory has no put shortiov');
    expect(() => bind.get({ ...request, layout: 'shortiov' })).to.throw(RangeError, 'posix/memory has no get shortiov');
    expect(() => bind.get({ ...request, layout: 'short' })).to.throw(RangeError, 'posix/memory has no get short');
    const address = 5 as unknown as bigint;
    expect(() => bind.put({ ...request, layout: 'short', remote: { address, key } })).to.throw(TypeError, 'a bigint');
    expect(() => bind.waitByte(iface, { buffer: new Uint8Array(4), offset: 4 })).to.throw(RangeError);
    key.release();
    memory.free();
    pair.close();
  });

  it('atomics that there are not', function () {
    const pair = openPair(need(this, 'tcp'));
    const { iface, endpoint } = pair.here;
    const key = iface.rkeyUnpack(new Uint8Array());
    const remote = { address: 8n, key };
    const request = { endpoint, remote, inFlight: iface.inFlight(), size: 8, value: 1n } as const;
    expect(() => bind.atomic({ ...request, name: 'add' })).to.throw(RangeError, 'tcp/lo has no 64-bit atomic add');
    expect(uctAtomicRefusal(iface, 'add', 4, true)).to.equal('tcp/lo has no 32-bit atomic fetching add');
    expect(() => bind.atomic({ ...request, name: 'swap' })).to.throw(TypeError, 'swap needs a place for its result');
    expect(() => bind.atomic({ ...request, size: 2 as 4, name: 'add' })).to.throw(RangeError, 'on 4 or 8 bytes');
    key.release();
    pair.close();
  });

  it('zcopy with a buffer outside the registered memory', function () {
    const pair = openPair(need(this, 'cma'));
    const { iface, endpoint } = pair.here;
    const memory = iface.memAlloc(4096);
    const key = iface.rkeyUnpack(memory.packKey());
    const remote = { address: memory.address, key };
    const request = { endpoint, layout: 'zcopy', length: 64, memory, inFlight: iface.inFlight(), remote } as const;
    expect(() => bind.put({ ...request, buffer: new Uint8Array(64) })).to.throw(RangeError, 'outside the memory');
    key.release();
    memory.free();
    pair.close();
  });
});

describe('UCT objects', () => {
  it('survive the garbage collector in any order', () => {
    const { code, signal, stdout, stderr } = runCase(caseName('uct-garbage'), { node: ['--expose-gc'] });
    expect({ code, signal }, stderr).to.deep.equal({ code: 0, signal: null });
    expect(stdout).to.equal('bytes in flight: true\nmemory stays: true\nmessages came: true\nnothing crashed\n');
  });

  it('may all be open when the process ends', () => {
    for (const transport of ['posix', 'tcp']) {
      if (resourceOf(transport) === undefined) continue;
      const { code, signal, stderr } = runCase(caseName('uct-exit'), { args: [transport] });
      expect({ code, signal }, stderr).to.deep.equal({ code: 0, signal: null });
    }
  });
});

describe('two processes', () => {
  interface Hello {
    readonly device: Uint8Array;
    readonly iface: Uint8Array;
  }

  const child = (transport: string): ChildProcess =>
    fork(fileURLToPath(new URL('./cases/uct-ping-pong.js', import.meta.url)), [transport], {
      serialization: 'advanced',
    });

  for (const transport of ['posix', 'sysv', 'tcp']) {
    it(`play ping-pong over ${transport}`, async function () {
      need(this, transport);
      const players = [child(transport), child(transport)] as const;
      const exits = players.map(
        (player) => new Promise<number | null>((done) => player.once('exit', (code) => done(code))),
      );
      // What one says, the other hears: addresses first, then that it is ready.
      players[0].on('message', (message: Hello) => players[1].send(message));
      players[1].on('message', (message: Hello) => players[0].send(message));
      expect(await Promise.all(exits)).to.deep.equal([0, 0]);
    });
  }
});
