/** `--data_validation` of ib_*: a client runs within its server's first barrier, and its messages go to the server's memory. */
import { expect } from 'chai';
import { passesOf } from '../../src/bench/perftest/measure-checked.js';
import type { Job } from '../../src/bench/perftest/job.js';
import type { Role, Side } from '../../src/bench/perftest/types.js';
import type { PerftestName } from '../../src/cli/perftest-options.js';
import type { Operation } from '../../src/engine/types.js';
import type { SendWr } from '../../src/verbs/bind-types.js';
import { parsed, runSide, type MockRun } from './perftest-mock.js';

const GRH = 40;

/** What a message does in the server's memory. */
function mover(server: Side): (wr: SendWr, lane: number, walked: number) => void {
  return ({ opcode, local, compareAdd = 0n, swap = 0n }, number, walked) => {
    const lane = server.lanes[server.srq ? 0 : number];
    if (!lane) throw new Error(`no lane ${number}`);
    const own = local.mr.buffer.view((local.offset ?? 0) + walked, local.length);
    const begin =
      lane.receiveOffset + (opcode.startsWith('SEND') ? (server.options.connection === 'UD' ? GRH : 0) : walked);
    const there = lane.mr.buffer.view(begin, local.length);
    if (opcode === 'RDMA_READ') own.set(there);
    else if (!opcode.startsWith('ATOMIC')) there.set(own);
    else {
      const words = new DataView(there.buffer, there.byteOffset, 8);
      const before = words.getBigUint64(0, true);
      const swapped = before === compareAdd ? swap : before;
      words.setBigUint64(0, opcode === 'ATOMIC_CMP_AND_SWP' ? swapped : before + compareAdd, true);
    }
  };
}

/** Once, when the server first meets its client: of atomics at the begin, else in the first pass. */
function onMeeting(side: Side, run: () => void): Side {
  let done = false;
  const once = (): void => {
    if (!done) run();
    done = true;
  };
  const { pair } = side;
  const atomic = side.options.verb === 'atomic';
  const barrier = (progress: Operation): Operation => {
    const met = pair.progressBarrier?.(progress);
    const call = (): void => {
      once();
      met?.();
    };
    return Object.assign(call, { operationName: 'barrier' });
  };
  const begin = (): void => {
    if (atomic) once();
    pair.barrier();
  };
  return { ...side, pair: { ...pair, barrier: begin, progressBarrier: barrier } };
}

interface Checked {
  readonly client: MockRun;
  readonly server: MockRun;
}

/** One pass, or one iteration; `broken` is a byte of that side's receive half or, of reads, of its send half. */
function runChecked(name: PerftestName, argv: string, broken?: { readonly role: Role; readonly at: number }): Checked {
  const options = name.endsWith('lat') ? { iterations: 1 } : {};
  const line = `-n 8 -t 8 ${argv} --data_validation`;
  const tamper: NonNullable<Side['tamper']> = ({ role, lane }) => {
    if (role !== broken?.role) return [];
    const half = name.includes('read') ? lane.sendOffset : lane.receiveOffset;
    const flip = (): void => {
      const byte = lane.mr.buffer.view(half + broken.at, 1);
      byte[0] = (byte[0] ?? 0) ^ 1;
    };
    return [Object.assign(flip, { operationName: 'flip' })];
  };
  let client: MockRun | undefined;
  const server = runSide(name, 'server', line, {
    ...{ options, tamper, said: 1 },
    side: (side) =>
      onMeeting(side, () => {
        client = runSide(name, 'client', line, { options, tamper, move: mover(side) });
      }),
  });
  if (!client) throw new Error('the sides have not met');
  return { client, server };
}

const wrong = ({ client, server }: Checked): (number | undefined)[] => [
  client.result.wrongBytes,
  server.result.wrongBytes,
];

describe('checking what ib_* sends', () => {
  const streams: readonly (readonly [PerftestName, string])[] = [
    ['ib_send_bw', '-s 100'],
    ['ib_send_bw', '-s 100 -q 3'],
    ['ib_send_bw', '-s 5000 -c UC'],
    ['ib_send_bw', '-s 100 -c UD'],
    ['ib_send_bw', '-s 100 -q 2 --use-srq'],
    ['ib_write_bw', '-s 1 -q 2'],
    ['ib_write_bw', '-s 100 -l 4'],
    ['ib_write_bw', '-s 3000 -q 2'],
    ['ib_write_bw', '-s 512 --write_with_imm'],
  ];
  for (const [name, argv] of streams) {
    it(`${name} ${argv}: finds nothing wrong, and a byte that is`, () => {
      expect(wrong(runChecked(name, argv))).to.deep.equal([0, 0]);
      const at = argv.includes('UD') ? GRH : 0;
      const lanes = argv.includes('srq') ? 1 : parsed(name, [...argv.split(' '), '-n', '8', '-t', '8']).qps;
      const found = wrong(runChecked(name, argv, { role: 'server', at }))[1];
      // With a shared queue both lanes flip the same bit of their own memory, of which one is looked at.
      expect(found).to.equal(lanes);
    });
  }

  it('checks reads where they arrive', () => {
    for (const [name, argv] of [
      ['ib_read_lat', '-s 100'],
      ['ib_read_bw', '-s 100 -l 2'],
      ['ib_read_bw', '-s 5000'],
    ] as const) {
      expect(wrong(runChecked(name, argv)), argv).to.deep.equal([0, 0]);
      expect(wrong(runChecked(name, argv, { role: 'client', at: 0 })), argv).to.deep.equal([1, 0]);
    }
  });

  it('checks sends and writes of latency tests, but for the byte that is a number', () => {
    for (const [name, argv, last] of [
      ['ib_send_lat', '-s 100', 1],
      ['ib_send_lat', '-s 100 -c UD', 0],
      ['ib_write_lat', '-s 100', 0],
      ['ib_write_lat', '-s 100 --write_with_imm', 1],
    ] as const) {
      const expected = runChecked(name, argv);
      expect(wrong(expected)[1], argv).to.equal(0);
      expect(wrong(runChecked(name, argv, { role: 'server', at: 98 }))[1], argv).to.equal(1);
      expect(wrong(runChecked(name, argv, { role: 'server', at: 99 }))[1], argv).to.equal(
        argv.includes('UD') ? 1 : last,
      );
    }
  });

  it('counts what atomics have added or put in place, in every word', () => {
    for (const argv of ['', '-q 2', '-l 2', '-A CMP_AND_SWAP', '-A CMP_AND_SWAP -q 2']) {
      expect(wrong(runChecked('ib_atomic_bw', argv)), argv).to.deep.equal([0, 0]);
      const found = wrong(
        runChecked('ib_atomic_bw', argv, { role: 'server', at: argv.includes('-l') ? 64 : 7 * 64 }),
      )[1];
      expect(found, argv).to.equal(argv.includes('-q 2') ? 2 : 1);
    }
    for (const argv of ['', '-A CMP_AND_SWAP']) {
      expect(wrong(runChecked('ib_atomic_lat', argv)), argv).to.deep.equal([0, 0]);
      expect(wrong(runChecked('ib_atomic_lat', argv, { role: 'server', at: 0 })), argv).to.deep.equal([0, 1]);
    }
  });

  it('sees a message that never came', () => {
    const lossy = runSide('ib_write_bw', 'server', '-n 8 -t 8 -s 100 --data_validation');
    expect(lossy.result.wrongBytes).to.be.above(800 - 100);
  });

  it('cuts a stream into passes of whole chains that fill all places and the queue', () => {
    const passes = (argv: string, size: number) => {
      const options = parsed('ib_write_bw', argv.split(' '));
      return passesOf({ options, size } as Job);
    };
    expect(passes('-n 1000 -t 10', 64)).to.deep.equal({ messages: 64, whole: 14, last: 104 });
    expect(passes('-n 1000 -t 100', 64)).to.deep.equal({ messages: 100, whole: 10, last: 0 });
    expect(passes('-n 1000 -t 10', 5000)).to.deep.equal({ messages: 10, whole: 100, last: 0 });
    expect(passes('-n 1000 -t 10 -l 4', 5000)).to.deep.equal({ messages: 12, whole: 82, last: 16 });
    expect(passes('-n 8 -t 8', 64)).to.deep.equal({ messages: 8, whole: 1, last: 0 });
    expect(passes('-D 1 -t 8', 64)).to.include({ messages: 64, last: 0 });
  });

  it('signals the last of every pass, and shows the rate of the timed parts alone', () => {
    const cost = (name: string): number => (name === 'streamEnd' ? 0 : 1e-5);
    const { mock, result, programs } = runSide(
      'ib_write_bw',
      'client',
      '-n 1000 -t 100 -s 5000 -Q 64 --data_validation',
      { cost },
    );
    expect(100 % (mock.streams[0]?.cqMod ?? 0)).to.equal(0);
    expect(programs[0]?.timed).to.have.length(101);
    expect(programs[0]?.before.slice(-1)).to.deep.equal(['barrier']);
    expect(programs[0]?.after).to.deep.equal(['barrier']);
    expect(result.bandwidth?.average).to.be.closeTo(5000 / 1e-5, 1);
    expect(result.bandwidth?.iterations).to.equal(1000);
  });
});
