/** The lab itself: its device, the peer on it, and MPI over UCX over verbs. Runs in the Soft-RoCE machine. */
import { assert } from 'chai';
import { readFileSync, readdirSync } from 'node:fs';
import type { NodeReport } from '../../src/doctor/types.js';
import { launch } from '../launch/mpirun.js';
import { program, rowsOf } from '../launch/output.js';
import { begin, isListening, listening, run, runPair } from './processes.js';

const port = '/sys/class/infiniband/rxe0/ports/1';
const read = (name: string): string => readFileSync(`${port}/${name}`, 'utf8').trim();

describe('the lab', () => {
  it('has one device, with a link-local GID and one of its IPv4 address', () => {
    assert.deepEqual(readdirSync('/sys/class/infiniband'), ['rxe0']);
    assert.equal(process.env['FABRICBENCH_LAB'], 'rxe0');
    assert.match(read('state'), /ACTIVE/);
    assert.equal(read('link_layer'), 'Ethernet');
    assert.match(read('gids/0'), /^fe80:/);
    assert.equal(read('gids/1'), '0000:0000:0000:0000:0000:ffff:0a09:0001');
    assert.match(read('gid_attrs/types/1'), /RoCE v2/);
  });

  it('has a device of which the doctor says what the kernel says', async () => {
    const { stdout, report } = await run([process.execPath, program('fabricbench'), 'doctor', '--json']);
    const { nodes } = JSON.parse(stdout) as { nodes: readonly NodeReport[] };
    const of = (name: string) => nodes[0]?.findings.find(({ check }) => check === name);
    assert.equal(of('rxe0/1')?.found, `ACTIVE, LinkUp, ${read('rate')}, Ethernet`, report);
    assert.equal(of('rxe0/1')?.verdict, 'good');
    const below = read('gid_attrs/ndevs/0');
    const mtu = readFileSync(`/sys/class/net/${below}/mtu`, 'utf8').trim();
    assert.equal(of(`${below} MTU`)?.found, mtu);
    assert.equal(of(`${below} MTU`)?.verdict, Number(mtu) >= 4200 ? 'good' : 'bad');
    // The kernel takes the largest packets that fit with 96 bytes of headers.
    const active = [4096, 2048, 1024, 512, 256].find((bytes) => bytes + 96 <= Number(mtu));
    const { found, wanted, verdict } = of('rxe0/1 MTU') ?? {};
    assert.equal(found, `packets of ${active} bytes`, report);
    assert.equal(wanted, '4096, which the port is able to');
    assert.equal(verdict, active === 4096 ? 'good' : active === 2048 ? 'note' : 'bad');
    // An RDMA device is here, and Debian keeps UCX out.
    assert.equal(of("Open MPI's PML")?.verdict, 'bad', report);
  });

  it('runs the peer, with an MTU of 4096', async () => {
    const side = ['ib_send_lat', '-F', '-n', '100', '-s', '8'];
    const { server, client, report } = await runPair(side, [...side, 'localhost']);
    assert.deepEqual([server.code, client.code], [0, 0], report);
    assert.match(client.stdout, /^ Mtu {13}: 4096\[B\]$/m, report);
    assert.match(client.stdout, /^ 8 +100 /m, report);
    assert.notMatch(client.stdout, /\b(inf|nan)\b/, report);
    assert.isFalse(isListening(18515));
  });

  it('runs the peer over rdma_cm', async () => {
    const side = ['ib_write_lat', '-F', '-R', '-n', '100'];
    const { server, client, report } = await runPair(side, [...side, 'rxe0'], { way: 'rdma_cm' });
    assert.deepEqual([server.code, client.code], [0, 0], report);
    assert.match(client.stdout, /^ 2 +100 /m, report);
  });

  it('lets a user who is not root lock only so much memory', async () => {
    const server = begin(['ib_send_bw', '-F'], { limit: 100 });
    await listening(server, 18515);
    const refused = await run(['ib_send_bw', '-F', 'localhost'], { user: 65534, lockable: 64 });
    server.child.kill();
    await server.ended;
    assert.notEqual(refused.code, 0, refused.report);
    assert.match(refused.stdout + refused.stderr, /Couldn't allocate MR/, refused.report);
  });

  it('carries MPI over UCX over verbs', async () => {
    const env = {
      UCX_TLS: 'rc_v,self',
      UCX_NET_DEVICES: 'rxe0:1',
      UCX_UD_VERBS_ETH_DGID_CHECK: 'n',
      UCX_LOG_LEVEL: 'info',
    };
    const launched = await launch(program('osu_latency'), ['-m', '1:4096', '-i', '20', '-x', '5', '-c'], {
      env,
      limit: 180,
    });
    assert.equal(launched.code, 0, launched.report);
    assert.equal(rowsOf(launched.stdout).length, 13, launched.report);
    assert.match(launched.stdout + launched.stderr, /tag\(rc_verbs\/rxe0:1\)/, launched.report);
  });
});
