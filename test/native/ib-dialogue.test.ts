/** What two ib_* programs say to each other and show, with devices and measurements that are made up. */
import { assert } from 'chai';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect as rawConnect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getAffinity } from '../../src/engine/affinity.js';
import { connect, listen } from '../../src/engine/control.js';
import { perftestNames } from '../../src/bench/suites/perftest.js';
import type { RankRecord, ResultRecord } from '../../src/results/types.js';
import { freePort, Run, type Ended } from '../ucx/perftest.js';
import { schemaErrors } from '../unit/schema.js';
import type { Faults } from './cases/ib-dialogue.js';

const script = join(import.meta.dirname, 'cases', 'ib-dialogue.js');
const runs: Run[] = [];

interface Ask {
  readonly name?: string;
  readonly faults?: Faults;
}

function start(args: readonly string[], { name = 'ib_send_bw', faults = {} }: Ask = {}): Run {
  const run = new Run(args, { script, before: [name, JSON.stringify(faults)] });
  runs.push(run);
  return run;
}

async function serving(args: readonly string[] = [], ask: Ask = {}): Promise<{ run: Run; port: number }> {
  const port = await freePort();
  const run = start(['-p', String(port), ...args], ask);
  await run.until(/Waiting for client to connect/);
  return { run, port };
}

async function both(
  args: { readonly server?: readonly string[]; readonly client?: readonly string[] },
  ask: { readonly server?: Ask; readonly client?: Ask } = {},
): Promise<{ server: Ended; client: Ended }> {
  const { run, port } = await serving(args.server, ask.server);
  const client = await start(['127.0.0.1', '-p', String(port), ...(args.client ?? [])], ask.client).ended;
  const server = await run.ended;
  for (const { hung, report } of [server, client]) assert.isFalse(hung, report);
  return { server, client };
}

/** Sentences on stderr without the program's name. */
const told = ({ stderr }: Ended): string[] =>
  stderr.split('\n').flatMap((line) => (/^ib_\w+: /.test(line) ? [line.replace(/^ib_\w+: /, '')] : []));
const rows = ({ stdout }: Ended): string[] => stdout.split('\n').filter((line) => /^ \d+ +\d+ /.test(line));
const codes = ({ server, client }: { server: Ended; client: Ended }) => [server.code, client.code];

afterEach(async () => {
  for (const run of runs.splice(0)) {
    run.kill('SIGKILL');
    await run.ended;
  }
});

describe('two sides of an ib_* test', () => {
  for (const name of perftestNames) {
    it(`${name}: run, close, and show what each has to show`, async () => {
      const ends = await both({}, { server: { name }, client: { name } });
      assert.deepEqual(codes(ends), [0, 0], ends.client.report + ends.server.report);
      const silent = name === 'ib_read_lat' || name === 'ib_atomic_lat';
      assert.lengthOf(rows(ends.client), 1, ends.client.report);
      assert.lengthOf(rows(ends.server), silent ? 0 : 1, ends.server.report);
      for (const { stderr } of [ends.server, ends.client]) assert.include(stderr, 'closed');
      assert.include(ends.client.stdout, ' local address: LID 0000 QPN 0x0011');
    });
  }

  it('look at the noise of their cores, each that is asked to', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fabricbench-noise-'));
    const json = join(folder, 'record.json');
    const ends = await both({ server: ['--noise=0.02'], client: ['--json', json, '--noise=0.03'] });
    assert.deepEqual(codes(ends), [0, 0], ends.client.report + ends.server.report);
    const record = JSON.parse(readFileSync(json, 'utf8')) as ResultRecord;
    rmSync(folder, { recursive: true, force: true });
    assert.deepEqual(schemaErrors(record), []);
    const [client, server] = record.ranks.map(({ noise }) => noise?.seconds ?? 0);
    assert.isAtLeast(client ?? 0, 0.03);
    assert.isAtLeast(server ?? 0, 0.02);
    assert.lengthOf(ends.client.stderr.match(/^rank \d on \S+: noise: lost /gm) ?? [], 2, ends.client.report);
  });

  it('name all that they were told differently, each as it sees it', async () => {
    const ends = await both({ server: ['-s', '8', '-q', '4'], client: ['-n', '50', '-s', '8'] });
    assert.deepEqual(codes(ends), [1, 1]);
    const text = (there: string, here: string, more: string, less: string) =>
      `the two sides differ: iterations (-n) is ${here} here and ${there} there, queue pairs (-q) is ${more} here and ${less} there; give both the same options`;
    assert.deepEqual(told(ends.client), [text('1000', '50', '1', '4')]);
    assert.deepEqual(told(ends.server), [text('50', '1000', '4', '1')]);
    assert.deepEqual(rows(ends.client), []);
  });

  it('name their tests where those differ', async () => {
    const ends = await both({}, { server: { name: 'ib_read_bw' }, client: { name: 'ib_write_bw' } });
    assert.deepEqual(codes(ends), [1, 1]);
    assert.match(told(ends.client)[0] ?? '', /test is ib_write_bw here and ib_read_bw there, iterations \(-n\)/);
  });

  for (const side of ['server', 'client'] as const) {
    const other = side === 'server' ? 'client' : 'server';
    it(`both end with what the ${side} could not open`, async () => {
      const ends = await both({}, { [side]: { faults: { refuses: 77 } } });
      assert.deepEqual(codes(ends), [77, 77]);
      assert.deepEqual(told(ends[side]), ['the device is made up']);
      assert.deepEqual(told(ends[other]), ['the other side: the device is made up']);
    });

    it(`keep the rows before what fails on the ${side}, and both say it`, async () => {
      const sizes = ['--sizes', '2,4,8'];
      const ends = await both({ server: sizes, client: sizes }, { [side]: { faults: { failsAt: 8 } } });
      assert.deepEqual(codes(ends), [1, 1]);
      assert.lengthOf(rows(ends.client), 2, ends.client.report);
      assert.match(told(ends[side])[0] ?? '', /^ibv_poll_cq failed: the link is down/);
      assert.include(told(ends[other])[0] ?? '', `the ${side} failed: ibv_poll_cq failed: the link is down`);
      for (const { stderr } of [ends.server, ends.client]) assert.include(stderr, 'closed');
    });

    it(`the other one says that the ${side} has died`, async () => {
      const sizes = ['--sizes', '2,4'];
      const ends = await both({ server: sizes, client: sizes }, { [side]: { faults: { diesAt: 4 } } });
      assert.equal(ends[side].signal, 'SIGKILL');
      assert.equal(ends[other].code, 1, ends[other].report);
      assert.lengthOf(told(ends[other]), 1, ends[other].report);
      assert.lengthOf(rows(ends[other]), 1, ends[other].report);
    });
  }

  it('both refuse a size that can not be measured, and end in good order', async () => {
    const faults = { impossibleAt: 4 };
    const sizes = ['--sizes', '2,4'];
    const ends = await both({ server: sizes, client: sizes }, { server: { faults }, client: { faults } });
    assert.deepEqual(codes(ends), [1, 1]);
    for (const end of [ends.server, ends.client]) {
      assert.deepEqual(told(end), ['4 bytes can not be measured']);
      assert.lengthOf(rows(end), 1);
    }
  });

  it('fail below -y, which perftest ignores, and below -w', async () => {
    const slow = { each: 1 };
    for (const limit of [
      ['-y', '1'],
      ['-w', '5'],
    ]) {
      const ends = await both(
        { client: ['-s', '1024', ...limit], server: ['-s', '1024'] },
        { client: { faults: slow } },
      );
      assert.deepEqual(codes(ends), [0, 1], ends.client.report);
      assert.match(told(ends.client)[0] ?? '', /below the limit of/);
    }
    const fast = await both({ client: ['-y', '0.5', '-w', '5'] });
    assert.deepEqual(codes(fast), [0, 0], fast.client.report);
  });

  it('add up both directions', async () => {
    const ends = await both({ server: ['-b', '-s', '1048576'], client: ['-b', '--report-both', '-s', '1048576'] });
    assert.deepEqual(codes(ends), [0, 0]);
    assert.match(rows(ends.client)[0] ?? '', /^ 1048576 +1000 +0\.00 +2000000\.00\s+2\.000000$/);
    assert.match(ends.client.stdout, /Local results:[^]*1000000\.00[^]*Remote results:[^]*1000000\.00/);
  });

  it('swap their roles by --reversed: the server sends', async () => {
    const args = ['--reversed', '-s', '1048576'];
    const ask = { name: 'ib_read_bw' };
    const ends = await both({ server: args, client: args }, { server: { ...ask, faults: { each: 1 } }, client: ask });
    assert.deepEqual(codes(ends), [0, 0], ends.client.report);
    for (const end of [ends.server, ends.client]) assert.match(rows(end)[0] ?? '', / 1\.00\s+0\.000001$/, end.report);
  });
});

describe('the record of an ib_* test', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ib-dialogue-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const read = (file: string) =>
    JSON.parse(readFileSync(file, 'utf8')) as {
      environment: { verbs: unknown };
      ranks: RankRecord[];
      rows: {
        parameters: Record<string, unknown>;
        figures: Record<string, unknown>;
        samples?: { seconds: number[] }[];
      }[];
      status: { state: string; message?: string };
    };

  it('is valid, with base units, samples and the path', async () => {
    const json = join(folder, 'lat.json');
    const ask = { name: 'ib_write_lat' };
    const ends = await both(
      { server: ['-n', '20'], client: ['-n', '20', '--json', json, '--samples'] },
      { server: ask, client: ask },
    );
    assert.deepEqual(codes(ends), [0, 0], ends.client.report);
    const record = read(json);
    assert.deepEqual(schemaErrors(record), []);
    assert.deepInclude(record.environment.verbs as object, { device: 'fake0', mtu: 4096 });
    assert.deepInclude(record.rows[0]?.parameters, { size: 2, qps: 1, connection: 'RC', pairs: 1 });
    assert.deepEqual(record.rows[0]?.figures['latency'], { value: 1e-6, unit: 's' });
    assert.lengthOf(record.rows[0]?.samples?.[0]?.seconds ?? [], 20);
    assert.equal(record.status.state, 'done');
  });

  it('says where both sides are, and records it', async () => {
    const json = join(folder, 'places.json');
    const [first = 0] = getAffinity();
    const ends = await both({ server: ['--bind', `core:${first}`], client: ['--report-binding', '--json', json] });
    assert.deepEqual(codes(ends), [0, 0], ends.client.report);
    const record = read(json);
    assert.deepEqual(schemaErrors(record), []);
    const bindings = record.ranks.map(({ binding }) => ({ asked: binding?.asked, by: binding?.by }));
    assert.deepEqual(bindings, [
      { asked: 'keep', by: 'inherited' },
      { asked: String(first), by: 'fabricbench' },
    ]);
    assert.deepEqual(record.ranks[1]?.hardwareThreads, [first]);
    const lines = ends.client.stderr.split('\n').filter((line) => line.startsWith('rank '));
    assert.lengthOf(lines, 2, ends.client.report);
    assert.include(lines[1], `hardware thread ${first}, `);
    assert.include(lines[1], `, bound by --bind ${first}, `);
  });

  it('keeps the rows before a failure, and says why it ended', async () => {
    const json = join(folder, 'failed.json');
    const sizes = ['--sizes', '2,4,8'];
    await both({ server: sizes, client: [...sizes, '--json', json] }, { server: { faults: { failsAt: 8 } } });
    const record = read(json);
    assert.deepEqual(schemaErrors(record), []);
    assert.lengthOf(record.rows, 2);
    assert.equal(record.status.state, 'failed');
    assert.isNotEmpty(record.status.message);
  });

  it('has all rows in the form of perftest too', async () => {
    const file = join(folder, 'perftest.json');
    const sizes = ['--sizes', '2,4'];
    await both({ server: sizes, client: [...sizes, `--out_json_file=${file}`, '--out_json'] });
    const { results } = JSON.parse(readFileSync(file, 'utf8')) as { results: { MsgSize: number }[] };
    assert.deepEqual(
      results.map(({ MsgSize }) => MsgSize),
      [2, 4],
    );
  });

  it('tells of bytes that arrived wrong', async () => {
    const args = ['--data_validation', '-t', '32'];
    const ends = await both({ server: args, client: args }, { server: { faults: { wrongBytes: 3 } } });
    assert.deepEqual(codes(ends), [1, 1], ends.client.report);
    assert.deepEqual(told(ends.client), ['3 bytes arrived wrong']);
  });
});

describe('an ib_* program that meets a stranger', () => {
  it('says that nobody listens', async () => {
    const port = await freePort();
    const ended = await start(['127.0.0.1', '-p', String(port)]).ended;
    assert.equal(ended.code, 1, ended.report);
    assert.deepEqual(told(ended), [`nobody listens at 127.0.0.1 port ${port}: start the server there first`]);
  });

  it('as a client names a server of another version', async () => {
    const listener = listen({ port: 0 });
    const run = start(['127.0.0.1', '-p', String(listener.port)]);
    const peer = listener.accept({ timeout: 30 });
    peer?.send(JSON.stringify({ program: 'ib_perftest', protocol: 999, version: '99.0.0' }));
    const ended = await run.ended;
    peer?.close();
    listener.close();
    assert.equal(ended.code, 1, ended.report);
    assert.match(told(ended)[0] ?? '', /^the other side is ib_perftest of fabricbench 99\.0\.0 with protocol 999/);
  });

  it('as a server goes on waiting after it, and serves a client', async () => {
    const { run, port } = await serving();
    const socket = rawConnect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('6.06\0\0\0\0\0\0\0\0\0\0\0\0');
    await run.until(/--peer perftest/);
    socket.destroy();
    const peer = connect({ host: '127.0.0.1', port });
    peer.send('"hello"');
    await run.until(/(?:Waiting for client[^]*){3}/);
    peer.close();
    const ended = await start(['127.0.0.1', '-p', String(port)]).ended;
    assert.equal(ended.code, 0, ended.report);
    assert.equal((await run.ended).code, 0);
  });

  it('with --serve serves one client after the other', async () => {
    const { run, port } = await serving(['--serve']);
    for (let client = 0; client < 2; client++) {
      const ended = await start(['127.0.0.1', '-p', String(port)]).ended;
      assert.equal(ended.code, 0, ended.report);
    }
    await run.until(/(?:Waiting for client[^]*){3}/);
  });
});
