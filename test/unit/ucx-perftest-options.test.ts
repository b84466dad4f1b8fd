import { expect } from 'chai';
import fc from 'fast-check';
import type { UcxPerftestOptions, UcxTestOptions } from '../../src/cli/ucx-perftest-options.js';
import { UCX_OPTIONS } from '../../src/cli/ucx-perftest-table.js';
import { CONTEXT, messages, notes, only, parsedUcx, refused, run, TESTS } from './ucx-perftest-cases.js';

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
    [['--watchdog', '0'], { watchdog: 0 }],
    [['--watchdog', '2.5'], { watchdog: 2.5 }],
    [['--report-binding'], { reportBinding: true }],
    [['--once'], { once: true }],
    [['--bind', '0,1'], { bind: [0, 1] }],
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
    expect(refused('node1', '-t', 'am_lat').exitCode).to.equal(255);
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

describe('ucx_perftest refuses', () => {
  const wrong: readonly (readonly string[])[] = [
    ...[
      ['-s', '1.5'],
      ['-s', ''],
      ['-s', '8,'],
      ['-s', '-5'],
      ['-s', '8:0'],
      ['-s', '8:2:2'],
      ['-s', '1x'],
    ],
    ...[
      ['-n', 'abc'],
      ['-n', '-1'],
      ['-n', '1k'],
      ['-n', ''],
      ['-w', '-1'],
      ['-w', '1.5'],
      ['-O', 'abc'],
      ['-O', '-1'],
    ],
    ...[
      ['-W', '0'],
      ['-W', 'abc'],
      ['-i', 'x'],
      ['-H', '-1'],
      ['-T', '0'],
      ['-T', 'abc'],
      ['-T', '4:2'],
    ],
    ...[
      ['-R', 'abc'],
      ['-R', '100.1'],
      ['-R', ''],
      ['-p', 'abc'],
      ['-p', '0'],
      ['-p', '65536'],
      ['-c', 'abc'],
      ['-c', ''],
    ],
    ...[
      ['-D', 'contig,'],
      ['-D', 'iov,contig,iov'],
      ['-D', 'contigfoo'],
      ['-D', ''],
      ['-M', 'Single'],
      ['-E', ''],
    ],
    ...[
      ['-m', 'host,'],
      ['-m', 'HOST'],
      ['-m', 'host,host,host'],
      ['-m', ''],
      ['-P', '2'],
      ['-b', ''],
      ['-d', ''],
    ],
    ...[
      ['--json', ''],
      ['--watchdog', '-1'],
      ['--watchdog', '86401'],
      ['--bind', 'x'],
      ['-t', ''],
      ['-t', 'TAG_LAT'],
    ],
  ];
  for (const argv of wrong) {
    it(`${argv.join(' ')}, naming the option, and shows the help`, () => {
      const { exitCode, stderr, help } = refused('host', '-t', 'tag_lat', ...argv);
      expect(exitCode).to.equal(129);
      expect(stderr).to.match(new RegExp(`^Invalid option argument for ${argv[0]}: .+\\n$`));
      expect(help).to.include('Usage: ucx_perftest');
    });
  }

  it('what newer versions have for hardware that is not driven here, in one sentence each', () => {
    for (const argv of [
      ['-a', 'cuda'],
      ['-K', 'mlx5_0:1'],
      ['-g', 'x'],
      ['-G', 'x'],
      ['-L', 'warp'],
      ['-F', '4'],
      ['-Y', 'single'],
    ]) {
      const { exitCode, stderr, help } = refused('host', '-t', 'tag_lat', ...argv);
      expect(exitCode).to.equal(129);
      expect(stderr).to.match(new RegExp(`^${argv[0]} .+\\n$`));
      expect(help).to.be.undefined;
    }
  });

  it('letters that the peer has no use for, and unknown long names', () => {
    for (const letter of ['S', 'k', 'u', 'Z'])
      expect(refused(`-${letter}`)).to.include({
        exitCode: 129,
        stderr: `ucx_perftest: invalid option -- '${letter}'\n`,
      });
    expect(refused('--foo').stderr).to.equal("ucx_perftest: unrecognized option '--foo'\n");
    expect(refused('--json').stderr).to.equal("ucx_perftest: option '--json' requires an argument\n");
    expect(refused('--once=1').stderr).to.equal("ucx_perftest: option '--once' doesn't allow an argument\n");
    expect(refused('--s').stderr).to.equal(
      "ucx_perftest: option '--s' is ambiguous: write --sizes or --stats or --samples\n",
    );
    expect(refused('--test', 'tag_lat').exitCode, 'letters have no long names').to.equal(129);
  });

  const together: readonly (readonly [readonly string[], string])[] = [
    [['host', '-t', 'tag_lat', '-s', '8', '--sizes', '8'], 'leave out -s or --sizes'],
    [['host', '-t', 'tag_lat', '-b', 'b_sizes', '--sizes', '8'], 'leave out -b or --sizes'],
    [['host', '-t', 'tag_lat', '--samples'], 'add --json FILE'],
    [['host', '-t', 'tag_lat', '-c', '0', '--bind', '0'], 'leave out -c or --bind'],
    [['host', 'other', '-t', 'tag_lat'], 'leave out other'],
    [['host', '-t', 'tag_lat', '-D', 'zcopy'], 'zcopy is no layout of tag_lat, give contig or iov'],
    [['host', '-t', 'am_lat', '-D', 'iov'], 'iov is no layout of am_lat, give short, shortiov, bcopy or zcopy'],
    [['host', ...Array.from({ length: 33 }, () => '-bb_sizes')], 'At most 32 batch files'],
  ];
  for (const [argv, sentence] of together) {
    it(argv.slice(0, 6).join(' '), () => {
      const { exitCode, stderr } = refused(...argv);
      expect(exitCode).to.equal(129);
      expect(stderr).to.include(sentence);
    });
  }

  const tests: readonly (readonly [readonly string[], string | undefined])[] = [
    [['put_lat', '-D', 'shortiov'], 'UCX puts no pieces of short messages'],
    [['put_bw', '-D', 'shortiov'], 'UCX puts no pieces of short messages'],
    [['am_bw', '-o'], 'leave out -o'],
    [['put_bw', '-W', '128'], 'AM flow-control window (128) too large (should be <= 127)'],
    [['put_bw', '-H', '16'], undefined],
    [['am_bw', '-D', 'shortiov', '-s', '2,6'], undefined],
    [['am_bw', '-i', '48', '-s', '16,48'], undefined],
    [['fadd', '-s', '4'], undefined],
    [['fadd', '-s', '4,4'], undefined],
    [['stream_bw', '-s', '0'], 'Message size too small'],
    [['stream_lat', '-s', '0,0'], 'Message size too small'],
    [['tag_lat', '-s', '0'], undefined],
    [['ucp_am_bw', '-s', '0'], undefined],
    [['tag_lat', '-W', '200'], undefined],
  ];
  for (const [[test = '', ...argv], problem] of tests) {
    it(`${problem === undefined ? 'not ' : ''}-t ${test} ${argv.join(' ')}`, () => {
      const place = TESTS.find(({ name }) => name === test)?.api === 'uct' ? ['-x', 'sysv', '-d', 'memory'] : [];
      const words = ['host', ...place, '-t', test, ...argv];
      if (problem === undefined) expect(only(...words).test).to.equal(test);
      else
        expect(refused(...words)).to.satisfy(
          ({ exitCode, stderr }: { exitCode: number; stderr: string }) => exitCode === 255 && stderr.includes(problem),
        );
    });
  }
});

/** Here the UCX that runs says which types of memory there are. */
const isLater = (argv: readonly string[]): boolean => argv.includes('cuda');

/** What of the peer's words ours must hold: not its own `-? (null)`, and in batch files one sentence of its two. */
function sharedWords(argv: readonly string[], sentences: readonly string[]): readonly string[] {
  return sentences
    .filter((text) => !/substring|-\?|^ucx_perftest/.test(text))
    .filter((text) => !(argv.includes('-b') && text.startsWith('Invalid option argument')))
    .map((text) => text.replace(/Invalid parameter$/, ''));
}

describe('what ucx_perftest 1.13.1 refuses', () => {
  const refusals = messages.filter(({ argv, exitCode }) => exitCode !== 0 && !isLater(argv));
  for (const { argv, exitCode, sentences, help } of refusals) {
    it(`${argv.join(' ')} is refused in the same words`, () => {
      const ours = refused(...argv);
      // A crash of the peer is a refusal here.
      expect(ours.exitCode).to.equal(exitCode === 139 ? 129 : exitCode);
      expect(ours.help !== undefined).to.equal(help);
      for (const sentence of sharedWords(argv, sentences)) expect(ours.stderr).to.include(sentence);
      const getopt = sentences.find((text) => text.startsWith('ucx_perftest') && !argv.includes('--bogus'));
      if (getopt !== undefined) expect(ours.stderr).to.equal(`${getopt}\n`);
    });
  }
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
    expect(notes('host', '-t', 'tag_lat', '--bind', '0')).to.have.length(1);
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
