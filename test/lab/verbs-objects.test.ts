/** Objects of verbs on a real device: made, connected, closed in order, refused with a sentence. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EngineBuffer, OperationError } from '../../src/engine/index.js';
import { chooseGid, NoRdmaDevice, verbs, VerbsUnsupported } from '../../src/verbs/index.js';
import type {
  AccessFlag,
  AddressPath,
  Cq,
  ProtectionDomain,
  QpOptions,
  QpType,
  VerbsContext,
} from '../../src/verbs/index.js';
import { run } from './processes.js';

const PORT = 1;
const NOBODY = 65534;
const memlockCase = join(dirname(fileURLToPath(import.meta.url)), 'cases', 'memlock.js');

interface Ground {
  readonly context: VerbsContext;
  readonly pd: ProtectionDomain;
  readonly cq: Cq;
  /** To this device itself. */
  readonly path: AddressPath;
  close(): void;
}

function openGround(): Ground {
  const context = verbs().open();
  const pd = context.allocPd();
  const cq = context.createCq({ entries: 64 });
  const { entry } = chooseGid(context.gids(PORT), { linkLayer: context.port(PORT).linkLayer });
  if (entry === null) throw new Error('the lab is Ethernet');
  const close = () => {
    cq.destroy();
    pd.dealloc();
    context.close();
  };
  return { context, pd, cq, path: { port: PORT, lid: 0, gid: entry }, close };
}

const qpOptions = ({ cq }: Ground, type: QpType, more: Partial<QpOptions> = {}): QpOptions => ({
  ...{ type, sendCq: cq, recvCq: cq, maxSendWr: 16, maxRecvWr: 16 },
  ...more,
});

/** What a device has no part of. */
const unsupported = (make: () => unknown, text: string | RegExp) => expect(make).to.throw(VerbsUnsupported, text);

describe('objects of verbs', () => {
  let ground: Ground;
  beforeEach(() => {
    ground = openGround();
  });
  afterEach(() => {
    ground.close();
  });

  it('tell the device, its port and its GIDs', () => {
    const { context } = ground;
    expect(verbs().devices()).to.deep.equal([context.device]);
    expect(context.device).to.include({ name: 'rxe0', transport: 'InfiniBand' });
    expect(context.device.guid).to.match(/^[0-9a-f]{4}(:[0-9a-f]{4}){3}$/);
    expect(context.attributes).to.include({ ports: 1, atomicCap: 'HCA', maxQpRdAtom: 128, xrc: false, odp: false });
    const port = context.port(PORT);
    expect(port).to.include({
      port: 1,
      state: 'ACTIVE',
      linkLayer: 'Ethernet',
      activeMtu: 4096,
      maxMtu: 4096,
      maxMsgSz: 1 << 23,
    });
    const [local, mapped] = context.gids(PORT);
    expect(local?.text).to.match(/^fe80::/);
    expect(local).to.include({ index: 0, type: 'RoCE v2', ipv4: false });
    expect(mapped).to.include({ index: 1, type: 'RoCE v2', ipv4: true, netdev: local?.netdev });
    expect(mapped?.gid).to.have.length(16);
  });

  it('refuse devices and ports that there are not', () => {
    expect(() => verbs().open('mlx5_9')).to.throw(NoRdmaDevice, 'there is no RDMA device mlx5_9: there is rxe0');
    expect(() => ground.context.port(2)).to.throw(RangeError, 'rxe0 has no port 2: it has port 1 only');
    expect(() => ground.context.gids(0)).to.throw(RangeError, 'rxe0 has no port 0');
  });

  it('tell what the device says of its own accord', async () => {
    const { context } = ground;
    const netdev = context.gids(PORT)[0]?.netdev ?? '';
    const ip = (verb: string) => spawnSync('ip', ['addr', verb, '10.77.0.1/32', 'dev', netdev]).status;
    const texts = () => context.gids(PORT).map(({ text }) => text);
    context.asyncEvents();
    expect(ip('add')).to.equal(0);
    const events: string[] = [];
    for (let turn = 0; turn < 200 && events.length === 0; turn += 1) {
      await sleep(50);
      events.push(...context.asyncEvents());
    }
    expect(events).to.include('GID table change (port 1)');
    expect(texts()).to.include('::ffff:10.77.0.1');
    expect(ip('del')).to.equal(0);
  });

  it('register memory, which can not be freed meanwhile', () => {
    const buffer = EngineBuffer.allocate(10_000);
    const rights: AccessFlag[] = ['LOCAL_WRITE', 'REMOTE_WRITE', 'REMOTE_READ', 'REMOTE_ATOMIC', 'RELAXED_ORDERING'];
    const mr = ground.pd.regMr(buffer, rights);
    const again = ground.pd.regMr(buffer, ['LOCAL_WRITE']);
    expect(mr.address).to.equal(buffer.address);
    expect([mr.rkey, mr.lkey].every((key) => Number.isInteger(key) && key > 0)).to.equal(true);
    expect(again.rkey).not.to.equal(mr.rkey);
    expect(() => {
      buffer.free();
    }).to.throw("can't be freed: 2 operations or memory regions still hold it");
    mr.dereg();
    again.dereg();
    mr.dereg();
    buffer.free();
    expect(() => ground.pd.regMr(buffer, [])).to.throw('the buffer was freed: allocate a new one');
  });

  it('refuse to register what makes no sense', () => {
    const buffer = EngineBuffer.allocate(100);
    const register = (value: unknown, rights: unknown) => () => ground.pd.regMr(value as EngineBuffer, rights as []);
    expect(register(new Uint8Array(5), [])).to.throw(TypeError, 'the buffer must be an EngineBuffer');
    expect(register(EngineBuffer.allocate(0), [])).to.throw(RangeError, 'the buffer is empty');
    expect(register(buffer, 'LOCAL_WRITE')).to.throw(TypeError, 'access must be a list of LOCAL_WRITE, REMOTE_WRITE');
    expect(register(buffer, ['WRITE'])).to.throw(RangeError, 'access must be one of LOCAL_WRITE');
    expect(register(buffer, ['REMOTE_WRITE'])).to.throw(RangeError, 'REMOTE_WRITE needs LOCAL_WRITE');
    unsupported(register(buffer, ['ON_DEMAND']), 'rxe0 has no on-demand paging (ODP)');
  });

  it('register huge pages', () => {
    writeFileSync('/proc/sys/vm/nr_hugepages', '4');
    const buffer = verbs().hugeBuffer(3 << 20);
    const view = buffer.view(1 << 20, 4);
    const mr = ground.pd.regMr(buffer, ['LOCAL_WRITE']);
    expect(buffer.address % (2n << 20n)).to.equal(0n);
    expect(view).to.deep.equal(new Uint8Array(4));
    mr.dereg();
    buffer.free();
    expect(view).to.have.length(0);
    expect(() => verbs().hugeBuffer(9 << 20)).to.throw(
      OperationError,
      '5 huge pages of 2048 KiB are needed and 4 are free: raise vm.nr_hugepages (as root: sysctl -w vm.nr_hugepages=5)',
    );
  });

  it('are closed in order only', () => {
    const { context, pd } = ground;
    const channel = context.createCompChannel();
    const cq = context.createCq({ entries: 10, channel, vector: context.attributes.completionVectors - 1 });
    expect(cq.channel).to.equal(channel);
    expect(cq.entries).to.be.at.least(10);
    const srq = pd.createSrq({ maxWr: 10 });
    const qp = pd.createQp({ ...qpOptions(ground, 'RC'), recvCq: cq, srq });
    const refused = (close: () => void, text: string) => expect(close).to.throw(Error, text);
    refused(() => cq.destroy(), "the completion queue can't be destroyed: one object of it is open; close them first");
    refused(() => ground.cq.destroy(), "the completion queue can't be destroyed");
    refused(() => srq.destroy(), "the shared receive queue can't be destroyed: one object of it is open");
    refused(() => channel.destroy(), "the completion channel can't be destroyed: one object of it is open");
    refused(() => pd.dealloc(), "the protection domain can't be deallocated: 2 objects of it are open");
    refused(() => context.close(), "rxe0 can't be closed: 6 objects of it are open");
    for (const each of [qp, srq, cq, channel]) each.destroy();
  });

  it('refuse use once they are closed', () => {
    const { context, pd, path } = ground;
    const qp = pd.createQp(qpOptions(ground, 'RC'));
    qp.destroy();
    qp.destroy();
    expect(() => qp.state()).to.throw('the queue pair was destroyed');
    const cq = context.createCq({ entries: 4 });
    cq.destroy();
    expect(() => pd.createQp({ ...qpOptions(ground, 'RC'), sendCq: cq })).to.throw(
      'the completion queue was destroyed',
    );
    const other = openGround();
    other.close();
    expect(() => other.pd.createAh(path)).to.throw(/^(rxe0 was closed|the protection domain was deallocated)$/);
    expect(() => other.context.asyncEvents()).to.throw('rxe0 was closed');
  });

  it('refuse arguments that make no sense', () => {
    const { context, pd } = ground;
    expect(() => context.createCq({ entries: 0 })).to.throw(
      RangeError,
      'entries must be a whole number from 1 to 32767',
    );
    expect(() => context.createCq({ entries: 1, vector: 99 })).to.throw(
      RangeError,
      'vector must be a whole number from',
    );
    expect(() => pd.createSrq({ maxWr: -1 })).to.throw(RangeError, 'maxWr must be');
    const create = (more: object) => () => pd.createQp({ ...qpOptions(ground, 'RC'), ...more });
    expect(create({ type: 'XY' })).to.throw(RangeError, 'type must be one of RC, UC, UD, XRC_SEND, XRC_RECV, DCI, DCT');
    expect(create({ sendCq: {} })).to.throw(TypeError, 'sendCq must be what fabricbench/verbs made, not object');
    expect(create({ maxSendWr: 2 ** 21 })).to.throw(RangeError, 'maxSendWr must be a whole number from 0 to 1048576');
    const other = openGround();
    expect(create({ recvCq: other.cq })).to.throw(RangeError, 'recvCq belongs to another opening of a device');
    other.close();
  });

  it('refuse what the device does not have', () => {
    const { context, pd, cq } = ground;
    unsupported(() => context.openXrcd(), 'rxe0 has no XRC');
    unsupported(() => pd.createQp(qpOptions(ground, 'XRC_SEND')), 'rxe0 has no XRC');
    unsupported(() => pd.createQp(qpOptions(ground, 'DCI')), 'rxe0 has no DC: that needs a device of mlx5');
    const srq = pd.createSrq({ maxWr: 10 });
    unsupported(() => pd.createQp(qpOptions(ground, 'DCT', { srq })), 'rxe0 has no DC');
    expect(() => pd.createQp(qpOptions(ground, 'DCT'))).to.throw(TypeError, 'DCT needs a shared receive queue (srq)');
    srq.destroy();
    expect(cq.channel).to.equal(null);
  });

  it('carry as much inline as the device can', () => {
    const make = (more: Partial<QpOptions>) => {
      const qp = ground.pd.createQp(qpOptions(ground, 'RC', more));
      qp.destroy();
      return qp.maxInline;
    };
    expect(make({ maxInline: 100 })).to.be.at.least(100);
    let most = 0;
    unsupported(
      () => make({ maxInline: 60_000 }),
      /^rxe0 carries at most \d+ bytes inline with RC, not 60000: ask for less$/,
    );
    most = make({ maxInline: 60_000, inlineIfPossible: true });
    expect(make({ maxInline: most })).to.equal(most);
    unsupported(() => make({ maxInline: most + 1 }), `at most ${most} bytes inline`);
  });

  for (const type of ['RC', 'UC', 'UD'] as const) {
    it(`connect two queue pairs of ${type}, by either way to post`, () => {
      for (const wrApi of [true, false]) {
        const [here, there] = [0, 1].map(() => ground.pd.createQp(qpOptions(ground, type, { wrApi }))) as [
          ReturnType<ProtectionDomain['createQp']>,
          ReturnType<ProtectionDomain['createQp']>,
        ];
        expect(here).to.include({ type, wrApi, srq: null });
        expect(here.number).not.to.equal(there.number);
        expect(here.state()).to.equal('RESET');
        here.prepare({ port: PORT });
        expect(here.state()).to.equal('INIT');
        const common = { path: ground.path, mtu: 4096 } as const;
        here.connect({ ...common, destQpn: there.number, rqPsn: 0xabcdef, sqPsn: 5, maxRdAtomic: 128, timeout: 18 });
        there.connect({ ...common, destQpn: here.number, rqPsn: 5, sqPsn: 0xabcdef, retryCount: 1, rnrRetry: 0 });
        expect([here.state(), there.state()]).to.deep.equal(['RTS', 'RTS']);
        here.fail();
        expect(here.state()).to.equal('ERR');
        here.destroy();
        there.destroy();
      }
    });
  }

  it('refuse connections that can not be', () => {
    const { path, pd } = ground;
    const qp = pd.createQp(qpOptions(ground, 'RC'));
    const connect = (more: object) => () => {
      qp.connect({ path, mtu: 1024, destQpn: 1, rqPsn: 0, sqPsn: 0, ...more });
    };
    expect(connect({ mtu: 1500 })).to.throw(RangeError, 'mtu must be one of 256, 512, 1024, 2048, 4096, not 1500');
    expect(connect({ destQpn: 2 ** 24 })).to.throw(RangeError, 'destQpn must be a whole number from 0 to 16777215');
    expect(connect({ retryCount: 8 })).to.throw(RangeError, 'retryCount must be');
    expect(connect({ maxRdAtomic: 129 })).to.throw(RangeError, 'maxRdAtomic must be a whole number from 0 to 128');
    expect(connect({ path: { port: PORT, lid: 1 } })).to.throw(
      RangeError,
      'port 1 of rxe0 is Ethernet: its paths need',
    );
    expect(connect({ path: { ...path, sl: 16 } })).to.throw(RangeError, 'sl must be a whole number from 0 to 15');
    const nowhere = { port: PORT, lid: 0, gid: { gid: new Uint8Array(16).fill(0x20), index: 0 } };
    expect(connect({ path: nowhere }))
      .to.throw(
        OperationError,
        /^ibv_modify_qp to RTR failed: .*: no way to GID 2020(:2020){7} from GID index 0 of port 1/,
      )
      .with.property('stackName', 'verbs');
    qp.destroy();
  });

  it('make address handles, and say where there is no way', () => {
    const { pd, path } = ground;
    const ah = pd.createAh({ ...path, trafficClass: 3, hopLimit: 64, flowLabel: 0xfffff });
    ah.destroy();
    expect(() => pd.createAh({ ...path, gid: { gid: new Uint8Array(15), index: 0 } })).to.throw(
      TypeError,
      'a GID must be a Uint8Array of 16 bytes',
    );
    expect(() => pd.createAh({ ...path, gid: { gid: new Uint8Array(16).fill(0x20), index: 0 } })).to.throw(
      OperationError,
      /^ibv_create_ah failed: .*: no way to GID 2020/,
    );
  });
});

describe('the limit of locked memory', () => {
  const outcomes = (stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as string);

  it('is named with what is needed and how to raise it', async () => {
    const command = [process.execPath, memlockCase, '16', '1024'];
    const { stdout, report } = await run(command, { user: NOBODY, lockable: 64 });
    const [small, large = ''] = outcomes(stdout);
    expect(small, report).to.equal('registered');
    expect(large, report).to.match(
      /^OperationError: ibv_reg_mr failed: Cannot allocate memory: it needs 1024 KiB of locked memory besides \d+ KiB that are locked already, and this process may lock 64 KiB: raise the limit with ulimit -l, in \/etc\/security\/limits\.conf \(memlock\), for services with LimitMEMLOCK \(systemd: DefaultLimitMEMLOCK\), under Slurm with PropagateResourceLimitsExcept=MEMLOCK as well \(verbs code 12\)$/,
    );
  });

  it('is raised as far as the hard one allows', async () => {
    const limits = ['prlimit', `--memlock=${64 * 1024}:${2048 * 1024}`];
    const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
    const { stdout, report } = await run([...limits, ...asNobody, process.execPath, memlockCase, '1024', '4096']);
    const [large, larger] = outcomes(stdout);
    expect(large, report).to.equal('registered');
    expect(larger, report).to.include('and this process may lock 2048 KiB');
  });
});
