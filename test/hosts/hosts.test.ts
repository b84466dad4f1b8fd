/** scripts/hosts: hosts with names and addresses of their own, and an end in which nothing of them is left. */
import { assert } from 'chai';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { testFolder } from '../launch/folder.js';
import { withVariable } from '../launch/processes.js';
import { Hosts, withHosts } from './lab.js';

const NOBODY = 65534;

describe('hosts on one machine', () => {
  const hosts = withHosts(3);
  const file = testFolder();

  it('have names, addresses and devices of their own', async () => {
    for (const [index, name] of hosts.names.entries()) {
      const look = 'hostname; ls /sys/class/net; ip -br -4 address show eth0';
      const { stdout, report } = await hosts.on(name, ['sh', '-c', look]).ended;
      const [host, ...rest] = stdout.split(/\s+/).filter(Boolean);
      assert.equal(host, name, report);
      assert.includeMembers(rest, ['eth0', 'lo', `10.77.0.${index + 1}/24`], report);
    }
    assert.notInclude(hosts.names, hostname());
  });

  it('give a command its folder, arguments and environment, and give back its exit code', async () => {
    const words = ['a b', '', "it's", '$(false)'];
    const script = 'pwd; echo "$LAB"; for word; do echo "<$word>"; done; echo wrong >&2; exit 7';
    const done = await hosts.on('node2', ['sh', '-c', script, 'sh', ...words], { env: { LAB: 'here' } }).ended;
    assert.equal(done.stdout, `${process.cwd()}\nhere\n${words.map((word) => `<${word}>\n`).join('')}`, done.report);
    assert.deepEqual([done.code, done.stderr], [7, 'wrong\n']);
  });

  it('let a signal reach the command itself', async () => {
    const running = hosts.on('node1', ['sleep', '100']);
    await running.until(() => (hosts.processes('node1').includes(running.pid) ? true : undefined));
    running.signal('SIGTERM');
    assert.equal((await running.ended).signal, 'SIGTERM');
    assert.deepEqual(await hosts.strays(), []);
  });

  it('are reached by rsh with the environment of a login', async () => {
    const script = '"$FABRICBENCH_HOSTS/rsh" -x root@node3 "hostname;" echo "[$LAB]" "[\\$LAB]"';
    const { stdout, report } = await hosts.on('node1', ['sh', '-c', script], { env: { LAB: 'here' } }).ended;
    assert.equal(stdout, 'node3\n[here] []\n', report);
  });

  it('are up beside another set, which is none of theirs', async () => {
    const other = new Hosts(file('other'), 1);
    try {
      assert.equal(other.command('up', '1').code, 0);
      const address = ['ip', '-br', '-4', 'address', 'show', 'eth0'];
      const [ours, theirs] = [await hosts.on('node1', address).ended, await other.on('node1', address).ended];
      assert.include(ours.stdout, '10.77.0.1/24', ours.report);
      assert.include(theirs.stdout, '10.77.0.1/24', theirs.report);
      const running = other.on('node1', ['sleep', '100']);
      await running.until(() => (other.processes().includes(running.pid) ? true : undefined));
      assert.notInclude(hosts.processes(), running.pid);
    } finally {
      assert.equal(other.command('down').code, 0);
    }
  });
});

describe('scripts/hosts', () => {
  withHosts(1); // where hosts can't be had none of these can be seen
  const file = testFolder();
  const sets: Hosts[] = [];
  const set = (): Hosts => {
    const hosts = new Hosts(file(`set-${sets.length}`), 2);
    sets.push(hosts);
    return hosts;
  };
  afterEach(() => {
    for (const hosts of sets.splice(0)) hosts.command('down');
  });

  it('takes hosts down with all that runs on them, twice if asked', async () => {
    const hosts = set();
    assert.equal(hosts.command('up', '2', '--delay', '1ms').code, 0);
    const mark = { LAB_MARK: hosts.state };
    const deaf = hosts.on('node2', ['sh', '-c', 'trap "" TERM; sleep 100; sleep 100'], { env: mark });
    await deaf.until(() => (withVariable('LAB_MARK', hosts.state).length === 2 ? true : undefined));
    assert.deepEqual(hosts.command('down'), { code: 0, stdout: '', stderr: '' });
    assert.equal((await deaf.ended).signal, 'SIGKILL');
    assert.deepEqual(withVariable('LAB_MARK', hosts.state), []);
    assert.isFalse(existsSync(hosts.state));
    assert.deepEqual(hosts.command('down'), { code: 0, stdout: '', stderr: '' });
  });

  it('leaves nothing of an up that fails half-way', () => {
    const hosts = set();
    const env = { ...process.env, CC: 'false' };
    const { code, stderr } = hosts.commandWith({ env }, 'up', '2', '--delay', '1ms');
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^hosts: the relay can't be compiled/);
    assert.isFalse(existsSync(hosts.state));
  });

  it('keeps nothing open that its caller has', () => {
    const hosts = set();
    const lock = openSync(file('lock'), 'w');
    assert.equal(hosts.commandWith({ stdio: ['ignore', 'pipe', 'pipe', lock] }, 'up', '1', '--delay', '1ms').code, 0);
    closeSync(lock);
    const keepers = readdirSync(join(hosts.state, 'pids')).map((name) =>
      readFileSync(join(hosts.state, 'pids', name), 'utf8'),
    );
    assert.lengthOf(keepers, 3);
    for (const [pid] of keepers.map((text) => text.split(' '))) {
      const open = readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`));
      assert.notInclude(open, file('lock'));
      assert.isEmpty(open.filter((path) => path.startsWith('pipe:')));
    }
  });

  it('refuses a second up, and a folder that is none of its own', () => {
    const hosts = set();
    assert.equal(hosts.command('up', '1').code, 0);
    assert.match(hosts.command('up', '1').stderr, /^hosts: hosts are up already in .*: take them down first/);
    const foreign = new Hosts(file('foreign'), 1);
    mkdirSync(foreign.state);
    writeFileSync(join(foreign.state, 'hosts'), 'mine');
    for (const words of [['up', '1'], ['down']]) {
      const { code, stderr } = foreign.command(...words);
      assert.equal(code, 1);
      assert.match(stderr, /is no folder of scripts\/hosts/);
    }
    assert.isTrue(existsSync(join(foreign.state, 'hosts')));
  });

  it('says in one sentence what is wrong', () => {
    const hosts = set();
    assert.equal(hosts.command('up', '2').code, 0);
    const wrong: readonly [readonly string[], RegExp][] = [
      [['up'], /up needs a number of hosts/],
      [['up', '999'], /up makes 250 hosts at most/],
      [['up', '2', '--rate', '1'], /--rate needs a rate as 1gbit/],
      [['up', '2', '--delay', '5'], /--delay needs a time as 5ms/],
      [['up', '2', '--loss', '200%'], /--loss needs a percentage/],
      [['up', '2', '3'], /takes a number and a shape, and no '3'/],
      [['run'], /no command given/],
      [['run', '--on', 'node9', 'true'], /there is no host node9 \(there is node1 node2\)/],
      [['link', 'node1'], /link needs a host, and up or down/],
      [['shape', 'node1'], /shape needs --rate, --delay or --loss/],
      [['nothing'], /don't know 'nothing'/],
    ];
    for (const [words, message] of wrong) {
      const { code, stderr } = hosts.command(...words);
      assert.equal(code, 1, words.join(' '));
      assert.match(stderr, message);
      assert.match(stderr, /^hosts: [^\n]+; `scripts\/hosts --help` explains\n$/);
    }
    assert.match(
      new Hosts(join(dirname(hosts.state), 'none'), 1).command('status').stderr,
      /^hosts: no hosts are up in/,
    );
  });

  it('refuses with 77 what is no root', () => {
    const hosts = set();
    const { code, stderr } = hosts.commandWith({ uid: NOBODY, gid: NOBODY }, 'up', '1');
    assert.equal(code, 77, stderr);
    assert.match(stderr, /^hosts: hosts on one machine need root[^\n]*\n$/);
  });
});
