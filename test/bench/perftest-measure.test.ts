/** What ib_* does at one size on either side, over queue pairs that move nothing: calls, order, figures. */
import { expect } from 'chai';
import type { Role } from '../../src/bench/perftest/types.js';
import type { PerftestName } from '../../src/cli/perftest-options.js';
import { runSide, type MockRun, type RunRequest } from './perftest-mock.js';

const N = 10;
const count = (run: MockRun, name: string): number => run.mock.journal.filter((one) => one === name).length;

/** Both sides, the server hearing what the client has said. */
function runBoth(name: PerftestName, argv: string, request: RunRequest = {}): Record<Role, MockRun> {
  const client = runSide(name, 'client', argv, request);
  // All has arrived when the client has ended.
  const arrivals = client.mock.journal.filter((one) => one === 'streamPost').length;
  return { client, server: runSide(name, 'server', argv, { arrivals, ...request, heard: client.meeting }) };
}

describe('latency of ib_*', () => {
  const turns = [
    ['ib_send_lat', '', ['post', 'complete', 'take'], ['take', 'post', 'complete']],
    ['ib_send_lat', '-c UC', ['post', 'complete', 'take'], ['take', 'post', 'complete']],
    ['ib_send_lat', '-c UD', ['post', 'complete', 'take'], ['take', 'post', 'complete']],
    ['ib_send_lat', '-c XRC', ['post', 'complete', 'take'], ['take', 'post', 'complete']],
    ['ib_send_lat', '--send_with_imm', ['post', 'complete', 'take'], ['take', 'post', 'complete']],
    ['ib_write_lat', '', ['waitByte', 'post', 'complete'], ['post', 'complete', 'waitByte']],
    ['ib_write_lat', '-c UC', ['waitByte', 'post', 'complete'], ['post', 'complete', 'waitByte']],
    ['ib_write_lat', '--write_with_imm', ['take', 'post', 'complete'], ['post', 'complete', 'take']],
    ['ib_read_lat', '', ['post', 'complete'], []],
    ['ib_atomic_lat', '', ['post', 'complete'], []],
  ] as const;
  for (const [name, options, client, server] of turns) {
    it(`${name} ${options}: each side posts and waits in its turn, as often as -n says`, () => {
      const both = runBoth(name, `-n ${N} ${options}`);
      const rounds = (turn: readonly string[]): string[] => Array.from({ length: N }, () => turn).flat();
      expect(both.client.mock.journal).to.deep.equal(rounds(client));
      expect(both.server.mock.journal).to.deep.equal(rounds(server));
    });
  }

  it('halves the iterations of sends and writes, and keeps a sample of each but the first', () => {
    const cost = (name: string): number => ({ post: 1e-6, complete: 2e-6, take: 7e-6, waitByte: 7e-6 })[name] ?? 0;
    for (const [name, time] of [
      ['ib_send_lat', 5e-6],
      ['ib_write_lat', 5e-6],
      ['ib_read_lat', 3e-6],
      ['ib_atomic_lat', 3e-6],
    ] as const) {
      const { result } = runSide(name, 'client', `-n ${N}`, { cost });
      expect(result.samples).to.have.length(N - 1);
      for (const sample of result.samples ?? []) expect(sample).to.be.closeTo(time, 1e-12);
      for (const figure of ['min', 'typical', 'average', 'max', 'p99'] as const)
        expect(result.latency?.[figure], `${name} ${figure}`).to.be.closeTo(time, 1e-12);
      expect(result.latency).to.include({ size: name === 'ib_atomic_lat' ? 8 : 2, iterations: N });
    }
  });

  it('leaves the wait for the first message out of the figures', () => {
    const cost = (name: string, { seconds }: { seconds: number }): number =>
      name === 'waitByte' && seconds < 1 ? 1 : 1e-6;
    const { result } = runSide('ib_write_lat', 'client', `-n ${N}`, { cost });
    expect(result.latency?.max).to.be.below(1e-3);
  });

  it('numbers the last byte of writes and waits for it where the peer writes, from zeroed memory', () => {
    const { mock, side } = runSide('ib_write_lat', 'server', '-s 100 -n 10', {
      side: (open) => {
        open.lanes[0]?.mr.buffer.view().fill(7);
        return open;
      },
    });
    const [lane] = side.lanes;
    expect(mock.posts.map(({ stamp }) => stamp)).to.deep.equal([true]);
    expect(mock.waits).to.deep.equal([(lane?.receiveOffset ?? 0) + 99]);
    expect(lane?.mr.buffer.view(lane.receiveOffset, lane.half).every((byte) => byte === 0)).to.equal(true);
    const plain = runSide('ib_write_lat', 'client', '-n 10 --write_with_imm');
    expect(plain.mock.posts[0]).to.deep.include({ stamp: false });
    expect(plain.mock.posts[0]?.wr.opcode).to.equal('RDMA_WRITE_WITH_IMM');
    expect(plain.mock.receivesRequests[0]?.wrs[0]?.local.length).to.equal(0);
  });

  it('binds what each connection needs', () => {
    const wr = (name: PerftestName, argv: string) => runSide(name, 'client', `-n ${N} ${argv}`).mock.posts[0]?.wr;
    expect(wr('ib_send_lat', '-c UD')).to.include({ opcode: 'SEND' }).and.not.have.property('remote');
    expect(wr('ib_send_lat', '-c UD')?.ud).to.include({ qpn: 100 });
    expect(wr('ib_send_lat', '-c XRC')).to.include({ srqn: 55 });
    expect(wr('ib_send_lat', '--send_with_imm')).to.include({ opcode: 'SEND_WITH_IMM' });
    expect(wr('ib_write_lat', '-s 64')).to.include({ opcode: 'RDMA_WRITE', inline: true });
    expect(wr('ib_write_lat', '-s 65')).to.include({ inline: false });
    expect(wr('ib_read_lat', '')).to.include({ opcode: 'RDMA_READ' }).and.not.have.property('inline');
    expect(wr('ib_atomic_lat', '')).to.include({ opcode: 'ATOMIC_FETCH_AND_ADD', compareAdd: 1n });
    expect(wr('ib_atomic_lat', '-A CMP_AND_SWAP')).to.include({ opcode: 'ATOMIC_CMP_AND_SWP', compareAdd: 0n });
    expect(wr('ib_read_lat', '')?.remote).to.deep.equal({ address: 0x1000n, rkey: 7 });
  });

  it('posts receives once, long enough for every size, to the shared queue where there is one', () => {
    const { mock, side } = runSide('ib_send_lat', 'server', `-n ${N} --sizes 8,100,5000`);
    expect(mock.fills).to.deep.equal([N]);
    expect(mock.receivesRequests.map(({ wrs }) => wrs[0]?.local.length)).to.deep.equal(
      [1, 2, 3].map(() => side.lanes[0]?.half),
    );
    const shared = runSide('ib_send_lat', 'server', `-n 1000 --use-srq -r 512`);
    expect(shared.mock.fills).to.deep.equal([300]);
    expect(shared.mock.receivesRequests[0]?.wrs[0]?.to).to.equal(shared.side.srq);
  });

  it('waits for the gap between messages outside of the figures, on both sides', () => {
    const { client, server } = runBoth('ib_send_lat', `-n ${N} --latency_gap 5`);
    for (const { programs } of [client, server]) {
      expect(programs[0]?.before).to.deep.equal(['compute']);
      expect(programs[0]?.timed).to.not.include('compute');
    }
  });

  it('sleeps for events where it is asked to', () => {
    const { mock, side } = runSide('ib_send_lat', 'client', `-n ${N} -e`);
    expect(mock.completes).to.deep.equal([{ cq: side.sendCq, events: true }]);
    expect(mock.receivesRequests[0]).to.include({ events: true, cq: side.recvCq });
  });

  it('warms up by as many messages on both sides', () => {
    const { client, server } = runBoth('ib_write_lat', `-n ${N}`, { options: { warmUp: true } });
    expect(count(client, 'post')).to.equal(2 * N);
    expect(count(server, 'post')).to.equal(2 * N);
    expect(client.result.samples).to.have.length(N - 1);
  });

  it('counts what lies between the margins of -D, and the server runs as long', () => {
    // Messages of the margins take a hundred times as long.
    const cost = (_: string, { seconds }: { seconds: number }): number =>
      seconds > 1.1 && seconds < 2.9 ? 1e-4 : 1e-2;
    for (const name of ['ib_send_lat', 'ib_read_lat'] as const) {
      const { client, server } = runBoth(name, '-D 4 -f 1.2', { cost });
      const trips =
        name === 'ib_send_lat' ? { perMessage: 1.5e-4, rate: 1 / 3e-4 } : { perMessage: 2e-4, rate: 1 / 2e-4 };
      expect(client.result.latency?.average).to.be.closeTo(trips.perMessage, 1e-9);
      expect(client.result.latency?.tps).to.be.closeTo(trips.rate, 1);
      expect(client.result.latency?.max).to.be.closeTo(trips.perMessage, 1e-9);
      expect(client.result.sampleSeconds).to.be.closeTo(1.6, 0.1);
      expect(client.result.samples?.length).to.equal(client.result.latency?.iterations);
      expect(client.mock.clock.seconds).to.be.within(4, 5);
      expect(count(server, 'post')).to.equal(name === 'ib_send_lat' ? count(client, 'post') : 0);
    }
  });

  it('refuses -D with a stock perftest where both would have to agree', () => {
    const meeting = { ...runSide('ib_send_lat', 'client', `-n ${N}`).side.options.meeting, stockPeer: true };
    for (const role of ['client', 'server'] as const)
      expect(() => runSide('ib_send_lat', role, '-D 1', { options: { meeting } })).to.throw(/stock perftest.*-n$/);
  });
});

describe('bandwidth of ib_*', () => {
  it('streams over all queue pairs with what the options say', () => {
    const { mock, side } = runSide('ib_write_bw', 'client', '-s 100 -n 40 -q 3 -l 4 -t 16');
    const [stream] = mock.streams;
    expect(stream).to.include({ postList: 4, txDepth: 16, cqMod: 4, total: 40, events: false });
    expect(stream?.walk).to.deep.equal({ step: 128, span: 4096 });
    expect(stream?.wrs.map(({ qp }) => qp)).to.deep.equal(side.lanes.map(({ qp }) => qp));
    expect(mock.journal).to.deep.equal([...Array<string>(30).fill('streamPost'), 'streamEnd']);
  });

  it('walks by cache lines within a page, and stays in place above half of one', () => {
    const walk = (size: number) => runSide('ib_write_bw', 'client', `-n 10 -s ${size}`).mock.streams[0]?.walk;
    expect([1, 64, 65, 1500, 2048].map(walk)).to.deep.equal([
      { step: 64, span: 4096 },
      { step: 64, span: 4096 },
      { step: 128, span: 4096 },
      { step: 1536, span: 3072 },
      { step: 2048, span: 4096 },
    ]);
    expect(walk(2049)).to.equal(undefined);
  });

  it('signals each large message, and few of the small ones', () => {
    const modOf = (argv: string) => runSide('ib_write_bw', 'client', argv).mock.streams[0]?.cqMod;
    expect([modOf('-s 100 -n 1000'), modOf('-s 10000 -n 1000'), modOf('-s 10000 -Q 7 -n 1000')]).to.deep.equal([
      100, 1, 7,
    ]);
    expect(modOf('-s 100 -n 1000 -t 20')).to.equal(20);
  });

  it('counts from the first post to the last completion', () => {
    const cost = (name: string): number => (name === 'streamEnd' ? 1e-3 : 1e-5);
    const { result } = runSide('ib_read_bw', 'client', '-s 1000 -n 100 -q 2 -N', { cost });
    expect(result.bandwidth).to.include({ size: 1000, iterations: 200, peak: null });
    expect(result.bandwidth?.average).to.be.closeTo(200_000 / 3e-3, 1);
    expect(result.bandwidth?.messageRate).to.be.closeTo(200 / 3e-3, 1e-3);
  });

  it('finds the best window, and looks for none where it is not wanted', () => {
    const cost = (name: string, { seconds }: { seconds: number }): number =>
      name === 'streamPost' && seconds > 1e-3 && seconds < 2e-3 ? 1e-6 : 1e-5;
    const { result, mock } = runSide('ib_write_bw', 'client', '-s 1000 -n 2000 -Q 1', { cost });
    const { peak, average } = result.bandwidth ?? {};
    expect(average).to.be.within(1e8, 5e8);
    expect(peak).to.be.within(9e8, 1e9);
    expect(mock.streams[0]?.completions?.length).to.be.at.least(4000);
    for (const argv of ['-n 100 -N', '-n 20001', '-D 1'])
      expect(runSide('ib_write_bw', 'client', argv).mock.streams[0], argv).to.not.have.property('completions');
  });

  it('lets the server of writes, reads and atomics rest, and of both ways send as well', () => {
    for (const name of ['ib_write_bw', 'ib_read_bw', 'ib_atomic_bw'] as const) {
      const idle = runSide(name, 'server', `-n ${N}`);
      expect([idle.mock.journal, idle.result]).to.deep.equal([[], {}]);
      const busy = runSide(name, 'server', `-n ${N} -b`);
      expect(count(busy, 'streamPost')).to.equal(N);
      expect(busy.result.bandwidth?.average).to.be.above(0);
    }
  });

  it('takes all that a client sends, and counts from the first to the last', () => {
    const cost = (name: string, { seconds }: { seconds: number }): number =>
      name === 'take' && seconds < 1 ? 1 : 1e-5;
    const { result, mock } = runSide('ib_send_bw', 'server', '-s 1000 -n 100 -q 2 -r 64 --recv_post_list 4', { cost });
    expect(mock.journal).to.deep.equal(Array<string>(200).fill('take'));
    expect(result.bandwidth).to.include({ iterations: 200, peak: null });
    expect(result.bandwidth?.average).to.be.closeTo(1000 / 1e-5, 1);
    expect(mock.receivesRequests[0]).to.include({ postList: 4 });
    expect(mock.receivesRequests[0]?.wrs).to.have.length(2);
    expect(mock.fills).to.deep.equal([64]);
  });

  it('leaves no list of receives half posted between sizes', () => {
    const { mock } = runSide('ib_send_bw', 'server', '--sizes 8,64 -n 12', {
      options: { iterations: 12, recvPostList: 8 },
    });
    expect(mock.receivesRequests.map(({ postList }) => postList)).to.deep.equal([4, 4]);
  });

  it('sends and receives at once with -b, and takes what is still to come', () => {
    for (const role of ['client', 'server'] as const) {
      const { mock, result } = runSide('ib_send_bw', role, `-n ${N} -b -q 2`);
      expect(mock.bothWaysRequests).to.have.length(1);
      expect(mock.bothWaysRequests[0]).to.include({ after: false });
      const rest = Array<string>(2 * N).fill('take');
      expect(mock.journal).to.deep.equal([...Array<string>(2 * N).fill('streamPost'), 'streamEnd', ...rest]);
      expect(result.bandwidth?.iterations).to.equal(2 * N);
    }
  });

  it('warms up by one depth, drained, which leaves no trace in the figures', () => {
    const { mock, result } = runSide('ib_write_bw', 'client', '-n 100 -t 8 -l 4 -q 2 --perform_warm_up');
    expect(mock.journal.slice(0, 5)).to.deep.equal([...Array<string>(4).fill('streamPost'), 'streamEnd']);
    expect(mock.restarts).to.deep.equal([8, 100]);
    expect(result.bandwidth?.iterations).to.equal(200);
  });

  it('counts what completes between the margins of -D', () => {
    const cost = (_: string, { seconds }: { seconds: number }): number =>
      seconds > 0.9 && seconds < 3.1 ? 1e-4 : 1e-3;
    const { result, mock } = runSide('ib_write_bw', 'client', '-s 1000 -D 4 -f 1', { cost });
    expect(mock.streams[0]).to.include({ total: 0 });
    expect(result.bandwidth?.average).to.be.closeTo(1e7, 1e4);
    expect(result.sampleSeconds).to.be.closeTo(2, 0.1);
    expect(mock.journal.at(-1)).to.equal('streamEnd');
    expect(mock.clock.seconds).to.be.within(4, 4.5);
  });

  it('shows a row of an endless run every so many seconds', () => {
    const end = (seconds: number) => ({
      cost: () => 1e-3,
      at: (_: string, { clock }: MockRun['mock']) => {
        if (clock.seconds > seconds) throw new Error('cancelled');
      },
    });
    for (const [name, role, argv, factor] of [
      ['ib_write_bw', 'client', '', 1],
      ['ib_write_bw', 'server', '-b', 2],
      ['ib_send_bw', 'server', '', 1],
    ] as const) {
      const rows: number[] = [];
      const request = { ...end(10), side: (side: MockRun['side']) => side };
      let seen: MockRun | undefined;
      expect(() => {
        seen = runSide(name, role, `-s 1000 -D 2 --run_infinitely ${argv}`, {
          ...request,
          onRow: (row) => rows.push(row.average ?? 0),
        });
      }).to.throw('cancelled');
      expect(seen).to.equal(undefined);
      expect(rows).to.have.length(4);
      for (const row of rows) expect(row).to.be.closeTo(factor * 1e6, factor * 1e4);
    }
  });

  it('keeps to a rate by bursts', () => {
    const timed = (argv: string) => runSide('ib_write_bw', 'client', `-s 1000 -n 40 ${argv}`).programs[0]?.timed;
    expect(timed('--rate_limit 1e6 --rate_units p --burst_size 10'.replace('1e6', '1000000'))).to.deep.equal([
      'pace',
      'streamPost',
    ]);
    expect(timed('')).to.deep.equal(['streamPost']);
  });

  it('tells how busy the processors were, and what counters of the port counted', () => {
    let reads = 0;
    const files = (path: string): string => {
      reads += 1;
      if (path === '/proc/stat') return `cpu ${reads * 30} 0 0 ${reads * 70} 0\ncpu0 1 2 3 4\n`;
      if (path === '/sys/class/infiniband/mock0/ports/1/hw_counters/sent_pkts') return `${1000 * reads}\n`;
      throw new Error('no such file');
    };
    const { result } = runSide('ib_write_bw', 'client', `-n ${N} -W sent_pkts,hw_counters/sent_pkts --cpu_util -D 1`, {
      files,
    });
    expect(result.bandwidth?.cpuUtil).to.be.closeTo(30, 1e-9);
    expect(result.counters?.map(([name]) => name)).to.deep.equal(['sent_pkts', 'hw_counters/sent_pkts']);
    for (const [, difference] of result.counters ?? []) expect(difference > 0n).to.equal(true);
    expect(() => runSide('ib_write_bw', 'client', `-n ${N} -W nonsense`, { files })).to.throw(
      /no counter nonsense below/,
    );
  });

  it('warns of messages that UC and UD have lost, and does not wait for them', () => {
    for (const connection of ['UC', 'UD']) {
      const heard = runSide('ib_send_bw', 'client', `-n 100 -s 1000 -c ${connection}`).meeting;
      const cost = (): number => 1e-3;
      const { result } = runSide('ib_send_bw', 'server', `-n 100 -s 1000 -c ${connection}`, {
        heard,
        arrivals: 97,
        cost,
      });
      expect(result.bandwidth?.iterations).to.equal(97);
      expect(result.warnings).to.have.length(1);
      expect(result.warnings?.[0]).to.match(
        new RegExp(`^3 messages of 1000 bytes never arrived: ${connection} does not`),
      );
      const all = runSide('ib_send_bw', 'server', `-n 100 -s 1000 -c ${connection}`, {
        ...{ heard, arrivals: 100, cost },
      });
      expect(all.result).to.not.have.property('warnings');
    }
  });

  it('takes over RC what the client says it has sent in its time', () => {
    const client = runSide('ib_send_bw', 'client', '-D 1 -s 1000', { cost: () => 1e-3 });
    const sent = count(client, 'streamPost');
    const { mock, result } = runSide('ib_send_bw', 'server', '-D 1 -s 1000', {
      ...{ heard: client.meeting, arrivals: sent - 5, cost: () => 1e-3 },
    });
    expect(count({ mock } as MockRun, 'take')).to.equal(5);
    expect(result.bandwidth?.average).to.be.closeTo(1e6, 1e3);
    expect(result.sampleSeconds).to.be.closeTo(0.5, 0.01);
  });
});

describe('both sides of ib_*', () => {
  const tests = ['send', 'write', 'read', 'atomic'].flatMap((verb) => [
    `ib_${verb}_lat`,
    `ib_${verb}_bw`,
  ]) as PerftestName[];
  const lines = [
    '',
    '-D 1',
    '-b',
    '-b -D 1',
    '-q 2',
    '-e',
    '--perform_warm_up',
    '-c UC',
    '-c UD',
    '-c UD -D 1',
    '-c XRC',
  ];
  const checked = [...lines, '-A CMP_AND_SWAP', '--write_with_imm', '--send_with_imm', '--latency_gap 1'].flatMap(
    (line) => [line, `${line} --data_validation`],
  );
  const runnable = (name: PerftestName, argv: string): Record<Role, MockRun> | undefined => {
    const steps = argv.includes('-D') ? '' : `-n ${N}`;
    const request = { cost: () => 1e-3, said: 0 };
    try {
      return runBoth(name, `${steps} ${argv}`, request);
    } catch (error) {
      if (error instanceof Error && error.message.includes('"refuse"')) return undefined;
      throw error;
    }
  };
  for (const name of tests) {
    it(`${name} meets as often on one as on the other, and lets go of all operations`, () => {
      const ran = checked.filter((argv) => {
        const both = runnable(name, argv);
        if (!both) return false;
        expect(both.server.meeting.calls, argv).to.deep.equal(both.client.meeting.calls);
        expect([...both.client.mock.alive, ...both.server.mock.alive], argv).to.deep.equal([]);
        return true;
      });
      expect(ran.length).to.be.above(6);
    });
  }

  it('meet a stock perftest at the begin and at the end alone', () => {
    for (const name of tests)
      for (const argv of name.endsWith('bw') ? ['', '-b'] : [''])
        for (const role of ['client', 'server'] as const) {
          const plain = runSide(name, role, `-n ${N} ${argv}`);
          const meeting = { ...plain.side.options.meeting, stockPeer: true };
          const { meeting: met } = runSide(name, role, `-n ${N} ${argv}`, { options: { meeting } });
          expect(met.calls, `${name} ${argv} ${role}`).to.deep.equal(['barrier', 'barrier']);
        }
  });

  it('begin together where there are several pairs', () => {
    const met: string[] = [];
    const { meeting } = runSide('ib_write_bw', 'client', `-n ${N}`, {
      side: (side) => ({
        ...side,
        world: { ...side.world, barrier: () => met.push('world') },
        pair: { ...side.pair, barrier: () => met.push('pair') },
      }),
    });
    expect(met).to.deep.equal(['world', 'pair', 'pair']);
    expect(meeting.calls).to.deep.equal([]);
  });

  it('let go of their operations after a failure, which is told as it is', () => {
    let seen: MockRun['mock'] | undefined;
    const fail = (name: string, mock: MockRun['mock']): void => {
      seen = mock;
      if (name === 'complete') throw new Error('the link is down');
    };
    expect(() => runSide('ib_send_lat', 'client', `-n ${N}`, { at: fail })).to.throw('the link is down');
    expect([...(seen?.alive ?? [0])]).to.deep.equal([]);
  });
});
