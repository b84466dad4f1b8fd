import { expect } from 'chai';
import fc from 'fast-check';
import type { UcxPerftestOptions, UcxTestOptions } from '../../src/cli/ucx-perftest-options.js';
import { UCX_OPTIONS } from '../../src/cli/ucx-perftest-table.js';
import { CONTEXT, notes, only, parsedUcx, refused, run, TESTS } from './ucx-perftest-cases.js';

const RANKS = { ...CONTEXT, underLauncher: true };
const client = (...argv: string[]): UcxTestOptions => only('host', ...argv);
const ucp = (...argv: string[]): UcxTestOptions => client('-t', 'tag_bw', ...argv);
const uct = (...argv: string[]): UcxTestOptions => client('-x', 'sysv', '-d', 'memory', '-t', 'am_bw', ...argv);
const of = (...argv: string[]): UcxPerftestOptions => run('host', '-t', 'tag_lat', ...argv);

describe('options of ucx_perftest', () => {
  it('have the defaults of 1.13.1', () => {
    const options = run('host', '-t', 'tag_lat');
    expect(options).to.deep.include({ server: 'host', port: 13337, ipv6: false, cpus: undefined, csv: false });
    expect(options).to.deep.include({ finalOnly: false, thousands: false, extraInfo: false, batchFiles: [] });
    expect(only('host', '-t', 'tag_lat')).to.deep.equal({
      ...{ test: 'tag_lat', sizes: [8], iterations: 1000000, warmup: 10000, outstanding: undefined, stride: 0 },
      ...{ flowControlWindow: 127, layout: 'short', datatypes: ['contig', 'contig'], amHeader: undefined },
      ...{ oneSided: false, nonBlockingRegistration: false, wildcardTag: false, unexpected: false },
      ...{ streamData: false, wakeup: false, sleep: false, errorHandling: false, preregistered: false },
      ...{ amCopy: false, validate: false, loopback: false, device: undefined, transport: undefined },
      ...{ asyncMode: 'thread_spinlock', threads: 1, threadMode: 'single', memoryTypes: ['host', 'host'] },
      ...{ percentile: 50, quiet: false },
    });
  });

  const flags: readonly (readonly [string, keyof UcxTestOptions])[] = [
    ['-o', 'oneSided'],
    ['-B', 'nonBlockingRegistration'],
    ['-C', 'wildcardTag'],
    ['-U', 'unexpected'],
    ['-e', 'errorHandling'],
    ['-z', 'preregistered'],
    ['-y', 'amCopy'],
    ['-V', 'validate'],
    ['-q', 'quiet'],
  ];
  for (const [flag, name] of flags) it(`${flag} sets ${name}`, () => expect(ucp(flag)[name]).to.be.true);

  const values: readonly (readonly [readonly string[], Partial<UcxTestOptions>])[] = [
    [['-s', '64'], { sizes: [64] }],
    [['-s', '16,48,8192,8192,14'], { sizes: [16, 48, 8192, 8192, 14] }],
    [['-s', '1k,2M,1G'], { sizes: [1024, 2097152, 1073741824] }],
    [['-s', '1K:3,5'], { sizes: [1024, 1024, 1024, 5] }],
    [['-s0'], { sizes: [0] }],
    [['-n', '0'], { iterations: 0 }],
    [['-n', '1', '-n', '2'], { iterations: 2 }],
    [['-w', '0'], { warmup: 0 }],
    [['-O', '7'], { outstanding: 7 }],
    [['-O', '0'], { outstanding: undefined }],
    [['-i', '64'], { stride: 64 }],
    [['-D', 'iov'], { datatypes: ['iov', 'contig'] }],
    [['-D', 'contig,iov'], { datatypes: ['contig', 'iov'] }],
    [['-H', '16'], { amHeader: 16 }],
    [['-T', '4'], { threads: 4 }],
    [['-M', 'multi'], { threadMode: 'multi' }],
    [['-M', 'serialized'], { threadMode: 'serialized' }],
    [['-r', 'recv_data'], { streamData: true }],
    [['-r', 'recv'], { streamData: false }],
    [['-E', 'sleep'], { sleep: true, wakeup: true }],
    [['-E', 'poll'], { sleep: false, wakeup: false }],
    [['-m', 'cuda'], { memoryTypes: ['cuda', 'cuda'] }],
    [['-m', 'host,rocm-managed'], { memoryTypes: ['host', 'rocm-managed'] }],
    [['-R', '99.9'], { percentile: 99.9 }],
    [['-R', '0'], { percentile: 0 }],
    [['-R', '100'], { percentile: 100 }],
    [['-W', '200'], { flowControlWindow: 200 }],
  ];
  for (const [argv, expected] of values) it(argv.join(' '), () => expect(ucp(...argv)).to.deep.include(expected));

  const uctValues: readonly (readonly [readonly string[], Partial<UcxTestOptions>])[] = [
    [['-D', 'shortiov'], { layout: 'shortiov' }],
    [['-D', 'bcopy'], { layout: 'bcopy' }],
    [['-D', 'zcopy'], { layout: 'zcopy' }],
    [['-W', '1'], { flowControlWindow: 1 }],
    [['-W', '127'], { flowControlWindow: 127 }],
    [['-A', 'thread_mutex'], { asyncMode: 'thread_mutex' }],
    [['-A', 'signal'], { asyncMode: 'signal' }],
    [['-d', 'mlx5_0:1', '-x', 'rc_verbs'], { device: 'mlx5_0:1', transport: 'rc_verbs' }],
  ];
  for (const [argv, expected] of uctValues)
    it(`UCT ${argv.join(' ')}`, () => expect(uct(...argv)).to.deep.include(expected));

  const process: readonly (readonly [readonly string[], Partial<UcxPerftestOptions>])[] = [
    [['-p', '4711'], { port: 4711 }],
    [['-6'], { ipv6: true }],
    [['-c', '0,1'], { cpus: [0, 1] }],
    [['-c', '0-2,5'], { cpus: [0, 1, 2, 5] }],
    [['-f'], { finalOnly: true }],
    [['-v'], { csv: true }],
    [['-N'], { thousands: true }],
    [['-I'], { extraInfo: true }],
    [['-X'], { extraInfo: true }],
    [['-fvN'], { finalOnly: true, csv: true, thousands: true }],
    [['-fp4711'], { finalOnly: true, port: 4711 }],
    [['--json', '-'], { json: '-' }],
    [['--json=r.json', '--samples', '--stats'], { json: 'r.json', samples: true, stats: true }],
    [['--csv', '-', '-v', '--markdown=r.md'], { csvFile: '-', csv: true, markdown: 'r.md' }],
    [['--watchdog', '0'], { watchdog: 0 }],
    [['--watchdog', '2.5'], { watchdog: 2.5 }],
    [['--report-binding'], { reportBinding: true }],
    [['--noise'], { noise: 0.2 }],
    [['--noise=2'], { noise: 2 }],
    [['--once'], { once: true }],
    [['--bind', '0,1'], { bind: { kind: 'list', threads: [0, 1] } }],
  ];
  for (const [argv, expected] of process) it(argv.join(' '), () => expect(of(...argv)).to.deep.include(expected));

  it('-I of the command line is no wakeup feature', () => expect(ucp('-I').wakeup).to.be.false);

  it('every integer of -n and -w is kept', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (iterations, warmup) => {
        expect(ucp('-n', String(iterations), `-w${warmup}`)).to.include({ iterations, warmup });
      }),
    );
  });

  it('every list of pieces is kept', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 20 }), (sizes) => {
        expect(ucp('-s', sizes.join(',')).sizes).to.deep.equal(sizes);
      }),
    );
  });

  it('any words give a result and no exception', () => {
    const letters = UCX_OPTIONS.map(({ short, name }) => (short === undefined ? `--${name}` : `-${short}`));
    const word = fc.oneof(fc.constantFrom(...letters), fc.string(), fc.nat().map(String));
    fc.assert(
      fc.property(fc.array(word), (argv) => {
        const result = parsedAny(argv);
        if (result.kind === 'refuse') expect(result.exitCode).to.be.oneOf([129, 255]);
      }),
    );
  });
});

function parsedAny(argv: readonly string[]) {
  for (const kind of ['run', 'help'] as const) {
    try {
      return parsedUcx(kind, argv);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('expected'))) throw error;
    }
  }
  return parsedUcx('refuse', argv);
}

describe('what ucx_perftest is', () => {
  it('is a server without a host, and takes any test from its client', () => {
    expect(run()).to.deep.include({ server: undefined, runs: [] });
    expect(run('-p', '4711').runs).to.be.empty;
    expect(run('-t', 'tag_lat').runs).to.have.length(1);
  });

  it('is a client with a host, wherever it stands', () => {
    expect(run('-t', 'tag_lat', 'node1').server).to.equal('node1');
    expect(run('node1', '-t', 'tag_lat').server).to.equal('node1');
  });

  it('needs a test, but for a server', () => {
    for (const argv of [['node1'], ['-l']]) {
      expect(refused(...argv)).to.deep.equal({
        ...{ kind: 'refuse', exitCode: 255, stderr: 'command line: missing test name\n' },
      });
    }
    expect(parsedUcx('refuse', [], RANKS)).to.include({ exitCode: 255 });
  });

  it('needs no server with -l and under a launcher', () => {
    const { options, notes: told } = parsedUcx('run', ['-t', 'tag_lat', 'node1'], RANKS);
    expect(options.server).to.be.undefined;
    expect(options.runs).to.have.length(1);
    expect(told).to.deep.equal(['Ignored: node1, because ranks of a launcher know each other']);
    expect(run('-l', '-t', 'tag_lat').server).to.be.undefined;
  });

  it('checks tests only where it says what to run', () => {
    expect(run('-t', 'am_lat').runs[0]?.problem).to.include('-d flag');
    expect(run('node1', '-t', 'am_lat').runs[0]?.problem).to.include('-d flag');
    expect(refused('-l', '-t', 'am_lat').exitCode).to.equal(255);
  });
});

describe('--sizes', () => {
  const sizes = (text: string): unknown[] => of('--sizes', text).runs.map(({ options }) => options.sizes);

  it('makes one test of each size, labelled by it', () => {
    const options = of('--sizes', '1,3,4K');
    expect(options.runs.map(({ labels }) => labels)).to.deep.equal([['1'], ['3'], ['4096']]);
    expect(sizes('1,3,4K')).to.deep.equal([[1], [3], [4096]]);
    expect(options).to.deep.include({ batchFiles: ['size'], testGiven: true });
  });

  it('doubles from MIN to MAX', () => {
    expect(sizes('1:8')).to.deep.equal([[1], [2], [4], [8]]);
    expect(sizes('3:13')).to.deep.equal([[3], [6], [12]]);
    expect(sizes('0:2')).to.deep.equal([[0], [1], [2]]);
    expect(sizes('0:0')).to.deep.equal([[0]]);
    expect(sizes('1K:2k')).to.deep.equal([[1024], [2048]]);
  });

  it('tells of the sizes that a test does not take, and keeps the others', () => {
    const { runs } = run('host', '-t', 'ucp_get', '--sizes', '0:1');
    expect(runs.map(({ problem }) => problem)).to.deep.equal([
      'Message size too small, need to be at least 1',
      undefined,
    ]);
  });

  for (const text of ['', ':', '1:', '8:4', '1:2:3', 'a', '1,', '-1'])
    it(`is refused as "${text}"`, () =>
      expect(refused('host', '-t', 'tag_lat', '--sizes', text).exitCode).to.equal(129));
});

describe('notes of ucx_perftest', () => {
  it('tell what does nothing', () => {
    expect(notes('host', '-t', 'tag_lat', '-P', '1')).to.deep.equal([
      'Ignored: -P, because a launcher is noticed without it',
    ]);
    expect(notes('host', '-t', 'tag_lat', '-x', 'tcp', '-W', '3')).to.deep.equal([
      'Ignored: -x, because it is for UCT tests; UCX_TLS and UCX_NET_DEVICES choose transports and devices of UCP',
      'Ignored: -W, because it is for UCT tests',
    ]);
    expect(notes('host', '-x', 'tcp', '-d', 'lo', '-t', 'am_lat', '-Ce')).to.deep.equal([
      'Ignored: -C, because it is for UCP tests',
      'Ignored: -e, because it is for UCP tests',
    ]);
    expect(notes('host', '-t', 'tag_lat', '--bind', '0')).to.be.empty;
    expect(notes('host', '-t', 'tag_lat', '--overlap')).to.have.length(1);
    expect(notes('host', '-t', 'tag_lat', '--once')).to.have.length(1);
    expect(notes('--once')).to.be.empty;
  });

  it('tell that -e takes no argument', () => {
    expect(notes('-t', 'tag_lat', '-e', 'peer')).to.deep.equal([
      '-e takes no argument, so that peer is the name of the server',
    ]);
  });
});

describe('help of ucx_perftest', () => {
  const { text } = parsedUcx('help', ['-h']);

  it('comes with -h and --help, and answers before what stands after it', () => {
    expect(parsedUcx('help', ['--help']).text).to.equal(text);
    expect(parsedUcx('help', ['-h', '-Z', '-n', 'abc']).text).to.equal(text);
    expect(refused('-n', 'abc', '-h').exitCode).to.equal(129);
  });

  it('has every option and every test, in 96 columns', () => {
    for (const { short, name } of UCX_OPTIONS)
      expect(text).to.match(new RegExp(`^  ${short === undefined ? `--${name}` : `-${short}`}\\b`, 'm'));
    for (const { name, description } of TESTS) expect(text).to.match(new RegExp(`^  ${name} +${description}$`, 'm'));
    for (const line of text.split('\n')) expect(line.length, line).to.be.at.most(96);
    expect(text).to.match(/[^\n]\n$/);
  });
});
