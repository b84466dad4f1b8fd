import { expect } from 'chai';
import { messages, only, refused, TESTS } from './ucx-perftest-cases.js';

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
    for (const argv of [['--time-limit', '3'], ['--target-ci=2%']])
      expect(refused('host', '-t', 'tag_lat', ...argv).stderr).to.match(
        /^--t\S+ is for the osu_\* programs: give -n, [^\n]+\n$/,
      );
    expect(refused('host', '-t', 'tag_lat', '--json', 'x', '--csv', 'x').stderr).to.equal(
      "--json and --csv can't both be written to x: give two files\n",
    );
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
