import { expect } from 'chai';
import fc from 'fast-check';
import type { PerftestName } from '../../src/cli/perftest-options.js';
import { parsePerftest } from '../../src/cli/perftest.js';
import { REFUSED_OPTIONS } from '../../src/cli/perftest-refused.js';
import { PERFTEST_OPTIONS } from '../../src/cli/perftest-table.js';
import { NAMES, parsedPerftest, readPerftestCaptures, refused, words } from './perftest-cases.js';

const SENTENCE = /^[^\n]{20,}\n$/;

function sentence(name: PerftestName, line: string): string {
  const { exitCode, stderr } = refused(name, line);
  expect(exitCode, line).to.equal(1);
  expect(stderr, line).to.match(SENTENCE);
  return stderr.trimEnd();
}

describe('ib_* refuses', () => {
  const wrongValues: readonly string[] = [
    ...['-n 4', '-n 0', '-n x', '-n -5', '-n 100000001', '-n 1e3', '-s 0', '-s -1', '-s x', '-s 3000000000', '-s 1.5'],
    ...['-q 0', '-q 16385', '-t 0', '-t 15001', '-r 0', '-r 16385', '-Q 0', '-Q 1025', '-l 0', '-I -1', '-I 1025'],
    ...['-m 999', '-m 64', '-S 16', '-u 32', '-u -1', '-x -1', '-x 256', '-i 0', '-p 0', '-p 65536', '-p x'],
    ...['-D 0', '-D -1', '-D x', '-D 4 -f -1', '-R -T 256', '--tclass=256', '-L 256', '--retry_count=8', '--dlid=0'],
    ...['--pkey_index=-1', '--flow_label=x', '--flow_label=1048576', '-c rc', '-c NOPE', '--output=nosuch', '-w -3'],
    ...['-y x', '--force-link=FOO', '--wait_destroy=-1', '--cqe_poll=0', '--rate_limit=0', '--rate_limit=-1'],
    ...['--rate_units=x', '--rate_limit=1 --burst_size=0', '--rate_limit_type=x', '--bind_source_ip=host', '--bind x'],
    ...['--sizes 4:2', '--sizes 0,4', '--sizes x', '-W ../x', '-W a//b', '--peer mpi', '--watchdog -1', '--cqe_poll=x'],
  ];
  for (const line of wrongValues) {
    it(`a wrong value: ${line}`, () => {
      const option = words(
        line.startsWith('-R') || line.startsWith('--rate_limit=1') ? line.slice(line.indexOf(' ')) : line,
      );
      const [given = ''] = (line.includes(' -f ') ? ['-f'] : option).map((word) => word.split('=')[0] ?? '');
      expect(sentence('ib_send_bw', line)).to.match(new RegExp(`^Invalid argument of ${given}: `));
    });
  }

  const wrongTests: Readonly<Partial<Record<PerftestName, readonly string[]>>> = {
    ib_send_lat: ['-q 2', '-b', '-l 4', '-N', '--run_infinitely', '-w 5', '-y 5', '--reversed', '--rate_limit 5'],
    ib_send_bw: ['-A FETCH_AND_ADD', '-C', '-H', '-U', '--latency_gap 4', '-o 4', '--write_with_imm'],
    ib_write_lat: ['-e', '-c UD', '--use-srq'],
    ib_write_bw: ['-e', '-c UD', '--use-srq', '-r 5', '--send_with_imm', '--recv_post_list 4'],
    ib_read_lat: ['-c UC', '-c UD', '-I 8'],
    ib_read_bw: ['-c UC', '-c UD', '-I 8', '--write_with_imm'],
    ib_atomic_lat: ['-c UC', '-c UD', '-s 16', '--sizes 8', '--odp'],
    ib_atomic_bw: ['-c UC', '-a', '--odp', '--rate_limit 4'],
  };
  for (const name of NAMES) {
    it(`what is for other tests: ${name}`, () => {
      for (const line of wrongTests[name] ?? [])
        expect(sentence(name, line), line).to.match(/: (leave it out|give -c .*)$/);
    });
  }

  it('nothing that says what holds anyway', () => {
    for (const line of ['-q 1', '-l 1', '-r 1', '--recv_post_list 1'])
      parsedPerftest('run', 'ib_write_lat', words(line));
  });

  const conflicts: readonly (readonly [PerftestName, string, RegExp])[] = [
    ['ib_send_bw', 'a b', /leave out b$/],
    ['ib_send_bw', '-s 8 --sizes 8', /-s or --sizes/],
    ['ib_send_bw', '-a --sizes 8', /-a or --sizes/],
    ['ib_send_bw', '-a -D 3', /one size: give -s/],
    ['ib_send_bw', '--sizes 8:16 -D 3', /one size: give -s/],
    ['ib_send_bw', '-D 3 -e', /leave one out/],
    ['ib_send_lat', '-D 4 -f 2', /^Nothing is left of -D 4 between two margins of 2 s/],
    ['ib_send_bw', '--run_infinitely -e', /leave out -e/],
    ['ib_send_bw', '--run_infinitely -b', /leave out -b/],
    ['ib_send_bw', '--run_infinitely -a', /give -s/],
    ['ib_send_bw', '--run_infinitely --rate_limit 1', /leave out --rate_limit/],
    ['ib_send_bw', '-X 1', /add -e/],
    ['ib_send_bw', '-R -c UC', /rdma_cm connects no UC/],
    ['ib_send_bw', '-R -c XRC', /rdma_cm connects no XRC/],
    ['ib_send_bw', '-R -c DC', /rdma_cm connects no DC/],
    ['ib_send_bw', '-T 32', /add -R/],
    ['ib_send_bw', '-T 32 -z', /add -R/],
    ['ib_send_bw', '--output=latency', /bandwidth or message_rate/],
    ['ib_send_lat', '--output=bandwidth', /give latency/],
    ['ib_send_bw', '--burst_size 4', /add --rate_limit/],
    ['ib_send_bw', '-b --rate_limit 4', /leave out --rate_limit/],
    ['ib_send_lat', '--samples', /add --json/],
    ['ib_send_lat', '--csv x --markdown x', /^--csv and --markdown can't both be written to x: give two files$/],
    ['ib_send_lat', '--json - --csv -', /^--json and --csv can't both go to stdout: give one of them a file$/],
    [
      'ib_send_lat',
      '--time-limit 3',
      /^--time-limit is for the osu_\* programs: -D measures for so many seconds here$/,
    ],
    ['ib_write_bw', '--target-ci=2%', /^--target-ci is for the osu_\* programs: give -n, /],
    ['ib_send_bw', '--incast', /mpirun/],
    ['ib_send_bw', '--serve node7', /leave it out here/],
    ['ib_send_bw', '-l 7 -n 100', /give -n 105$/],
    ['ib_send_bw', '--recv_post_list=7 -n 100', /give -n 105$/],
    ['ib_send_bw', '-l 10 -Q 3', /no multiple of -Q 3/],
    ['ib_send_bw', '-l 200', /raise -t/],
    ['ib_send_bw', '--recv_post_list 500 -r 100', /raise -r/],
    ['ib_send_bw', '--use-srq -r 2 -q 4', /give -r 4$/],
    ['ib_send_bw', '-c UD -s 4097', /one packet of UD, which has 4096/],
    ['ib_send_bw', '-c UD -s 2048 -m 1024', /one packet of UD, which has 1024/],
    ['ib_send_bw', '--peer perftest -R', /leave out -R and -z/],
    ['ib_send_bw', '--peer perftest --sizes 8', /leave out --sizes/],
    ['ib_send_bw', '--peer perftest --data_validation', /leave out --data_validation/],
    ['ib_send_bw', '--peer perftest --dont_xchg_versions', /leave out --dont_xchg_versions/],
  ];
  for (const [name, line, mend] of conflicts) {
    it(`what does not go together: ${line}`, () => {
      expect(sentence(name, line)).to.match(mend);
    });
  }

  it('ways to meet that a launcher does not have', () => {
    for (const [line, mend] of [
      ['--serve', /leave it out/],
      ['--peer perftest', /leave it out/],
    ] as const)
      expect(parsedPerftest('refuse', 'ib_send_bw', words(line), true).stderr).to.match(mend);
    parsedPerftest('run', 'ib_send_bw', ['--incast'], true);
    expect(parsedPerftest('refuse', 'ib_send_lat', ['--incast'], true).stderr).to.match(/bandwidth tests/);
  });

  it('options that perftest does not have, in the words of getopt', () => {
    expect(sentence('ib_send_lat', '--nosuch')).to.equal(
      "ib_send_lat: unrecognized option '--nosuch': see ib_send_lat --help",
    );
    expect(sentence('ib_send_lat', '-@')).to.match(/^ib_send_lat: invalid option -- '@'/);
    expect(sentence('ib_send_lat', '-n')).to.match(/^ib_send_lat: option requires an argument -- 'n'/);
    expect(sentence('ib_send_lat', '--iters')).to.match(/option '--iters' requires an argument/);
    expect(sentence('ib_send_lat', '--all=3')).to.match(/doesn't allow an argument/);
    expect(sentence('ib_send_lat', '--report')).to.match(/is ambiguous: write --report-cycles or /);
  });

  it('what needs other hardware or libraries, with exit code 77 and its name', () => {
    const needs = (line: string, word: RegExp) => {
      const { exitCode, stderr } = refused('ib_send_bw', line);
      expect([exitCode, stderr], line).to.satisfy(([code, text]: [number, string]) => code === 77 && word.test(text));
      expect(stderr).to.match(SENTENCE);
    };
    needs('--use_cuda=0', /^--use_cuda needs memory of an NVIDIA GPU/);
    needs('--use_rocm=0', /AMD/);
    needs('--aes_xts', /AES-XTS/);
    needs('--mmap=/dev/x', /maps into a file/);
    needs('--log_dci_streams=2 -c DC', /DC initiators/);
    needs('-c SRD', /EFA/);
    needs('--rate_limit 1 --rate_limit_type HW', /paces packets.*--rate_limit_type SW/);
    needs('-g', /^-g needs a multicast group/);
  });

  it('what there is another way for, with exit code 1', () => {
    expect(sentence('ib_send_bw', '-O')).to.match(/with -i$/);
    expect(sentence('ib_send_bw', '-c RawEth')).to.match(/raw_ethernet_bw/);
    expect(sentence('ib_send_bw', '--pin_cores=2')).to.match(/--bind/);
  });

  it('every option that is known and not here', () => {
    for (const row of REFUSED_OPTIONS) {
      for (const word of [`--${row.long?.[0] ?? ''}`, ...(row.short === undefined ? [] : [`-${row.short}`])]) {
        const argv = row.argument === 'required' ? [word, '1'] : [word];
        const { stderr, exitCode } = parsedPerftest('refuse', 'ib_send_bw', argv);
        expect(stderr)
          .to.match(SENTENCE)
          .and.to.match(new RegExp(`^${word} `));
        expect(exitCode).to.equal(row.exitCode);
      }
    }
  });

  /** Right here, and wrong there. */
  const better = ['send_lat_--report-histogram', 'send_lat_-L_5'];
  /** What only the device or the other side can tell. */
  const LATER = /_-d_|_-i_9|nosuch\.invalid|_localhost|_-R_rxe0|_-o_0|no_device/;

  for (const { label, name, argv, exitCode } of readPerftestCaptures()) {
    const refusal = /^refused_(.*), alone$/.exec(label)?.[1];
    if (refusal === undefined || exitCode === 124) continue;
    it(`what the peer refuses: ${name} ${argv.join(' ')}`, () => {
      const { kind } = parsePerftest(name, argv, { underLauncher: false });
      expect(kind).to.equal(better.includes(refusal) || LATER.test(refusal) ? 'run' : 'refuse');
    });
  }

  it('no name twice', () => {
    const rows = [...PERFTEST_OPTIONS, ...REFUSED_OPTIONS];
    const names = rows.flatMap(({ long = [], short }) => [...long, ...(short === undefined ? [] : [short])]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  });

  it('or runs, whatever is typed, and never throws', () => {
    const rows = [...PERFTEST_OPTIONS, ...REFUSED_OPTIONS];
    const option = fc.constantFrom(
      ...rows.flatMap(({ long = [], short }) => [...long.map((name) => `--${name}`), `-${short ?? 'F'}`]),
    );
    const value = fc.oneof(
      fc.constantFrom('1', '8', '64', '0', '-1', 'x', '', 'RC', 'UD', '8:64', '""', '='),
      fc.string(),
    );
    const argv = fc.array(fc.oneof(option, value), { maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), argv, fc.boolean(), (name, typed, underLauncher) => {
        const result = parsePerftest(name, typed, { underLauncher });
        if (result.kind === 'refuse') expect(result.stderr).to.match(/^[^\n]+[\s\S]*\n$/);
        if (result.kind !== 'run') return;
        const { sizes, txDepth, cqMod, iterations, postList } = result.options;
        expect(sizes.length).to.be.above(0);
        expect(cqMod).to.be.within(1, txDepth);
        expect(postList).to.be.within(1, txDepth);
        expect(result.options.duration ?? iterations % postList).to.not.equal(NaN);
      }),
      { numRuns: 500 },
    );
  });
});
