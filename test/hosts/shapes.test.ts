/** Shaped cables: what comes late, what is lost, and how much passes, as programs on the hosts see it. */
import { assert } from 'chai';
import type { ResultRecord } from '../../src/results/types.js';
import { testFolder } from '../launch/folder.js';
import { program, readRecord } from '../launch/output.js';
import { withHosts, type Hosts, type MpirunOptions } from './lab.js';

const PORT = 4000;
const DATAGRAMS = 200;

/** Counts datagrams until none has come for half a second, and says how many. */
const COUNTS = `
  const socket = require('node:dgram').createSocket('udp4');
  let count = 0, timer;
  const over = () => { process.stdout.write(count + '\\n'); socket.close(); };
  socket.on('message', () => { count++; clearTimeout(timer); timer = setTimeout(over, 500); });
  socket.bind(${PORT}, () => { process.stdout.write('bound\\n'); timer = setTimeout(over, 3000); });`;
const SENDS = `
  const socket = require('node:dgram').createSocket('udp4');
  let left = ${DATAGRAMS};
  const next = () => (left-- > 0 ? socket.send('x', ${PORT}, process.argv[1], next) : socket.close());
  next();`;

/** How many datagrams of DATAGRAMS arrive. */
async function arriving(hosts: Hosts, from: string, to: string): Promise<number> {
  const receiver = hosts.on(to, [process.execPath, '-e', COUNTS]);
  await receiver.until(() => (receiver.stdout.startsWith('bound\n') ? true : undefined));
  const sent = await hosts.on(from, [process.execPath, '-e', SENDS, to]).ended;
  assert.equal(sent.code, 0, sent.report);
  const { stdout, report } = await receiver.ended;
  const [, count] = stdout.split('\n');
  assert.match(count ?? '', /^\d+$/, report);
  return Number(count);
}

describe('shaped cables', () => {
  const hosts = withHosts(2);
  const file = testFolder();
  const [first, second] = ['node1', 'node2'];
  afterEach(() => {
    hosts.shape({ rate: 'none', delay: '0', loss: '0' });
  });

  async function measured(name: string, args: readonly string[], options: MpirunOptions = {}): Promise<ResultRecord> {
    const json = file();
    const done = await hosts.mpirun([program(name), ...args, '--json', json], options).ended;
    assert.equal(done.code, 0, done.report);
    return readRecord(json);
  }

  /** Seconds of the fastest message of 8 bytes. */
  async function fastest(pml: 'ob1' | 'ucx'): Promise<number> {
    const { rows } = await measured('osu_latency', ['-m', '8:8', '-i', '10', '-x', '2'], { pml });
    const least = rows[0]?.statistics?.min;
    assert.isNumber(least);
    return least ?? NaN;
  }

  for (const pml of ['ob1', 'ucx'] as const) {
    it(`raise latency by their delay at least (${pml})`, async () => {
      const before = await fastest(pml);
      hosts.shape({ delay: '20ms' });
      assert.isAtLeast((await fastest(pml)) - before, 0.02);
    });

    it(`let no more through than their rate (${pml})`, async () => {
      hosts.shape({ rate: '100mbit' });
      const args = ['-m', '64K:64K', '-i', '4', '-x', '1'];
      const { rows } = await measured('osu_bw', args, { pml });
      const figure = rows[0]?.figures['bandwidth']?.value ?? NaN;
      assert.isAbove(figure, 0);
      assert.isAtMost(figure, 100e6 / 8);
    });
  }

  it('delay one direction alone, and change while connections go on', async () => {
    const args = [program('osu_latency'), '-m', '8:8', '-i', '100', '-x', '0', '--json', file('both')];
    hosts.shape({ delay: '5ms' }, first);
    const running = hosts.mpirun(args, { pml: 'ob1' });
    await running.until(() => (running.stdout.includes('# Size') ? true : undefined));
    hosts.shape({ delay: '20ms' }, second);
    const done = await running.ended;
    assert.equal(done.code, 0, done.report);
    const { min, max } = readRecord(file('both')).rows[0]?.statistics ?? {};
    // A sample is half a way there and back.
    assert.isAtLeast(min ?? NaN, 0.0025);
    assert.isAtLeast(max ?? NaN, 0.0125);
  });

  it('lose what they should, of that host alone', async () => {
    hosts.shape({ loss: '50%' }, first);
    const [there, back] = [await arriving(hosts, first, second), await arriving(hosts, second, first)];
    assert.isAbove(there, 0);
    assert.isBelow(there, DATAGRAMS);
    assert.equal(back, DATAGRAMS);
    hosts.shape({ loss: '100%' }, first);
    assert.equal(await arriving(hosts, first, second), 0);
  });

  it('are out and in again', async () => {
    hosts.link(second, 'down');
    assert.match(hosts.command('status').stdout, /^node1 .* link up .*\nnode2 .* link down /);
    assert.equal(await arriving(hosts, first, second), 0);
    hosts.link(second, 'up');
    assert.equal(await arriving(hosts, first, second), DATAGRAMS);
  });

  it('are shown as they were given', () => {
    hosts.shape({ rate: '2.5mbit', delay: '250us', loss: '0.5%' }, second);
    hosts.shape({ delay: '0.01s' }, first);
    assert.equal(
      hosts.command('status').stdout,
      'node1 10.77.0.1 link up rate none delay 10ms loss 0% cpus all\n' +
        'node2 10.77.0.2 link up rate 2500kbit delay 250us loss 0.5% cpus all\n',
    );
  });
});
