import { expect } from 'chai';
import fc from 'fast-check';
import { perftests } from '../../src/bench/suites/perftest.js';
import { cqModFor, sizesFor } from '../../src/cli/perftest-depths.js';
import { isFor } from '../../src/cli/perftest-row.js';
import { PERFTEST_OPTIONS } from '../../src/cli/perftest-table.js';
import { REFUSED_OPTIONS } from '../../src/cli/perftest-refused.js';
import { NAMES, notes, parsedPerftest, readPerftestCaptures, run, words } from './perftest-cases.js';

const EVERY_SIZE = Array.from({ length: 23 }, (_, index) => 2 ** (index + 1));

describe('options of ib_*', () => {
  it('have the defaults of each test', () => {
    const facts = NAMES.map((name) => {
      const { verb, kind, sizes, iterations, txDepth, rxDepth, cqMod } = run(name);
      return [`ib_${verb}_${kind}`, ...sizes, iterations, txDepth, rxDepth, cqMod].join(' ');
    });
    expect(facts).to.deep.equal([
      'ib_send_bw 65536 1000 128 512 100',
      'ib_send_lat 2 1000 1 512 1',
      'ib_write_bw 65536 5000 128 1 100',
      'ib_write_lat 2 1000 1 1 1',
      'ib_read_bw 65536 1000 128 1 100',
      'ib_read_lat 2 1000 1 1 1',
      'ib_atomic_bw 8 1000 128 1 100',
      'ib_atomic_lat 8 1000 1 1 1',
    ]);
  });

  it('have the same defaults of all tests', () => {
    const { path, meeting, ...others } = run('ib_send_bw');
    expect(path).to.deep.equal({
      ...{ port: 1, sl: 0, trafficClass: 0, hopLimit: 255, flowLabels: [], pkeyIndex: 0 },
      ...{ qpTimeout: 14, retryCount: 7, ipv6Gid: false },
    });
    expect(meeting).to.deep.equal({
      ...{ port: 18515, ipv6Socket: false, rdmaCm: false, rdmaCmExchange: false },
      ...{ stockPeer: false, serve: false, incast: false },
    });
    expect(others).to.include({ connection: 'RC', qps: 1, postList: 1, recvPostList: 1, cqePoll: 16, watchdog: 60 });
    expect(others).to.include({ gbits: false, noPeak: false, events: false, vector: 0, atomicType: 'FETCH_AND_ADD' });
    expect(others).to.not.have.any.keys('duration', 'inlineSize', 'outs', 'outJson', 'json', 'rateLimit', 'output');
  });

  it('are understood by every name that perftest has for them', () => {
    const same = (name: (typeof NAMES)[number], ...lines: string[]) => {
      const [first, ...others] = lines.map((line) => run(name, line));
      for (const other of others) expect(other).to.deep.equal(first);
      expect(first).to.not.deep.equal(run(name));
    };
    same('ib_send_lat', '-H', '--report-histogram', '--report-histogrm', '--report-histog');
    same('ib_send_bw', '-z', '--comm_rdma_cm', '--com_rdma_cm');
    same('ib_send_bw', '--source_ip 10.0.0.1', '--bind_source_ip=10.0.0.1');
    same('ib_send_bw', '-s 1K', '-s 1024', '-s1k', '--size=1024');
    same('ib_send_bw', '-Q 4 -t 8', '--cq-mod=4 --tx-depth=8', '-t8 -Q4');
    same('ib_write_lat', '-UC', '-U -C', '--report-unsorted --report-cycles');
    same('ib_write_bw', '-bN', '--bidirectional --noPeak');
  });

  it('can all be given to the tests that they are for', () => {
    const values: Readonly<Record<string, string>> = {
      ...{ 'atomic-type': 'CMP_AND_SWAP', connection: 'RC', mtu: '1024', peer: 'perftest', 'rate-units': 'M' },
      ...{ 'rate-limit-type': 'SW', counters: 'hw_counters/a,counters/b', source: '::1', 'force-link': 'IB' },
      ...{ device: 'rxe0', json: '-', 'out-json-file': 'x.json', bind: '0,2-3', sizes: '8:64', size: '64K' },
      ...{ iterations: '1000', 'post-list': '4', 'recv-post-list': '4', 'cq-mod': '4', 'rx-depth': '64' },
    };
    const company: Readonly<Record<string, string>> = {
      ...{ margin: '-D 400', vector: '-e', tos: '-R', samples: '--json x', 'burst-size': '--rate_limit 1' },
      ...{ 'report-both': '-b', 'cpu-util': '-D 5', 'rate-units': '--rate_limit 1' },
      ...{ 'rate-limit-type': '--rate_limit 1', overlap: '--bind 0', topology: '--dry-run', ranks: '--dry-run' },
    };
    let parsed = 0;
    for (const test of perftests) {
      for (const row of PERFTEST_OPTIONS) {
        if (!isFor(row, test) || ['help', 'version', 'incast', 'no-versions', 'output'].includes(row.name)) continue;
        for (const word of [...(row.long ?? []).map((long) => `--${long}`), ...(row.short ? [`-${row.short}`] : [])]) {
          const argument = row.argument === 'none' ? [] : [values[row.name] ?? '4'];
          // An optional argument is glued to its option.
          const given = row.argument === 'optional' ? [`${word}=${argument[0]}`] : [word, ...argument];
          const argv = [...given, ...words(company[row.name] ?? '')];
          const result = parsedPerftest('run', test.name, argv);
          const quiet = ['samples', 'stats', 'cq-mod'].includes(row.name) && test.kind === 'bw';
          expect(quiet ? [] : result.notes, `${test.name} ${argv.join(' ')}`).to.deep.equal([]);
          ++parsed;
        }
      }
    }
    expect(parsed).to.be.above(500);
  });

  it('make a client of a process with a host name, and a server without', () => {
    expect(run('ib_send_bw', 'node7 -n 10').meeting.server).to.equal('node7');
    expect(run('ib_send_bw', '-n 10').meeting).to.not.have.property('server');
  });

  it('take no host name from ranks of a launcher, and say so', () => {
    const result = parsedPerftest('run', 'ib_send_bw', ['node7'], true);
    expect(result.options.meeting).to.not.have.property('server');
    expect(result.notes).to.deep.equal(['Ignored: node7, because ranks of a launcher know each other']);
  });

  it('choose sizes', () => {
    expect(run('ib_send_bw', '-a').sizes).to.deep.equal(EVERY_SIZE);
    expect(run('ib_send_bw', '-a -c UD').sizes).to.deep.equal(EVERY_SIZE.slice(0, 12));
    expect(run('ib_send_bw', '-a -c UD -m 1024').sizes).to.deep.equal(EVERY_SIZE.slice(0, 10));
    expect(run('ib_send_bw', '-c UD').sizes).to.deep.equal([4096]);
    expect(run('ib_send_bw', '-c UD -m 512').sizes).to.deep.equal([512]);
    expect(run('ib_send_lat', '-c UD').sizes).to.deep.equal([2]);
    expect(run('ib_read_bw', '--sizes 8:64').sizes).to.deep.equal([8, 16, 32, 64]);
    expect(run('ib_read_bw', '--sizes 8,3,1M').sizes).to.deep.equal([8, 3, 2 ** 20]);
  });

  it('know the sizes of a path once it is there', () => {
    const at = (line: string, mtu: number) => sizesFor(run('ib_send_bw', line), mtu);
    expect(at('-c UD -a', 1024)).to.deep.equal({ ok: true, value: EVERY_SIZE.slice(0, 10) });
    expect(at('-c UD', 1024)).to.deep.equal({ ok: true, value: [1024] });
    expect(at('-c UD -s 1024', 1024)).to.deep.equal({ ok: true, value: [1024] });
    expect(at('-c UD -s 2048', 1024)).to.deep.equal({
      ok: false,
      reason:
        'A message of 2048 bytes does not fit in one packet of UD, which has 1024: give a smaller -s, or another -c',
    });
    expect(at('-s 1M', 1024)).to.deep.equal({ ok: true, value: [2 ** 20] });
  });

  it('make no queue deeper than there are messages', () => {
    expect(run('ib_send_bw', '-n 50')).to.include({ txDepth: 50, rxDepth: 50, cqMod: 50 });
    expect(run('ib_send_bw', '-n 50 -t 20 -r 30')).to.include({ txDepth: 20, rxDepth: 30, cqMod: 20 });
    expect(run('ib_send_lat', '-c UD -n 101')).to.include({ txDepth: 1, rxDepth: 102 });
    expect(run('ib_send_lat', '-n 5')).to.include({ rxDepth: 6 });
    expect(run('ib_send_lat', '-n 5 -a')).to.include({ rxDepth: 5 });
    expect(run('ib_send_bw', '-c UC -n 30000')).to.include({ rxDepth: 16000 });
    expect(run('ib_send_bw', '-c UC -n 30000 -r 77')).to.include({ rxDepth: 78 });
    expect(run('ib_send_bw', '-D 4')).to.include({ txDepth: 128, rxDepth: 512 });
    expect(run('ib_write_bw', '--write_with_imm -n 100')).to.include({ rxDepth: 100, withImm: true });
  });

  it('take the post list for the moderation of completions', () => {
    expect(run('ib_write_bw', '-l 16 -n 320')).to.include({ cqMod: 16, postList: 16, cqModGiven: false });
    expect(run('ib_write_bw', '-l 16 -n 320 -Q 4')).to.include({ cqMod: 4, cqModGiven: true });
  });

  it('moderate completions of large messages only where something says so', () => {
    const mod = (line: string, size: number) => cqModFor(run('ib_send_bw', line), size);
    expect([mod('', 8192), mod('', 8193), mod('-Q 100', 65536), mod('-Q 7', 8)]).to.deep.equal([100, 1, 100, 7]);
    expect([mod('-a', 65536), mod('-e', 65536), mod('-c UD', 4096), mod('-l 10', 65536)]).to.deep.equal([
      ...[100, 100, 100, 10],
    ]);
    expect(mod('--sizes 8,64K', 65536)).to.equal(1);
  });

  it('never moderate above the depth of the queue', () => {
    const values = fc.record({ q: fc.integer({ min: 1, max: 1024 }), t: fc.integer({ min: 1, max: 15000 }) });
    fc.assert(
      fc.property(
        values,
        fc.integer({ min: 5, max: 20000 }),
        fc.integer({ min: 1, max: 2 ** 23 }),
        ({ q, t }, n, size) => {
          const options = run('ib_write_bw', `-Q ${q} -t ${t} -n ${n}`);
          expect(options.txDepth).to.equal(Math.min(t, n));
          expect(cqModFor(options, size)).to.equal(Math.min(q, t, n));
        },
      ),
    );
  });

  it('have no peak where it is not asked for, in timed runs and above 20000 messages', () => {
    const off = ['-N', '-D 4', '-n 20001', '--run_infinitely'];
    for (const line of off) expect(run('ib_write_bw', line).noPeak, line).to.equal(true);
    expect(run('ib_write_bw', '-n 20000').noPeak).to.equal(false);
  });

  it('leave out a quarter at either end of a timed run', () => {
    expect(run('ib_write_bw', '-D 10').duration).to.deep.equal({ seconds: 10, margin: 2.5 });
    expect(run('ib_write_bw', '-D 10 -f 4').duration).to.deep.equal({ seconds: 10, margin: 4 });
    expect(run('ib_write_bw', '-D 1 -f 0').duration).to.deep.equal({ seconds: 1, margin: 0 });
    expect(run('ib_write_bw', '--run_infinitely').duration).to.deep.equal({ seconds: 5, margin: 0 });
    expect(run('ib_write_bw', '--run_infinitely -D 2').duration).to.deep.equal({ seconds: 2, margin: 0 });
  });

  it('keep the order of written bytes in write latency', () => {
    expect(run('ib_write_lat').relaxedOrdering).to.equal(false);
    expect(run('ib_write_bw').relaxedOrdering).to.equal(true);
    expect(run('ib_write_bw', '--disable_pcie_relaxed').relaxedOrdering).to.equal(false);
  });

  it('share a receive queue with XRC and DC', () => {
    const shared = ['-c XRC', '-c DC', '--use-srq', ''].map((line) => run('ib_send_bw', line).useSrq);
    expect(shared).to.deep.equal([true, true, true, false]);
  });

  it('limit the rate by software', () => {
    expect(run('ib_write_bw', '--rate_limit 2.5').rateLimit).to.deep.equal({ limit: 2.5, units: 'g', burstSize: 128 });
    const line = '--rate_limit=1 --rate_units=M --rate_limit_type=SW --burst_size=8';
    expect(run('ib_write_bw', line).rateLimit).to.deep.equal({ limit: 1, units: 'M', burstSize: 8 });
  });

  it('name the file of a report', () => {
    expect(run('ib_send_lat', '--out_json').outJson).to.equal('perftest_out.json');
    expect(run('ib_send_lat', '--out_json_file x.json').outJson).to.equal('x.json');
  });

  it('hold what perftest leaves to chance', () => {
    expect(run('ib_send_lat', '--retry_count 3').path.retryCount).to.equal(3);
    expect(run('ib_send_lat', '-L 5').path.hopLimit).to.equal(5);
    expect(run('ib_send_lat', '--flow_label 1,2').path.flowLabels).to.deep.equal([1, 2]);
    expect(run('ib_send_lat', '-R -T 32').path.tos).to.equal(32);
  });

  it('are noted where they do nothing', () => {
    const ignored = (name: (typeof NAMES)[number], line: string) => notes(name, line).map((note) => note.split(',')[0]);
    expect(ignored('ib_send_lat', '-t 10 -Q 4 --report_gbits --mr_per_qp --wait_destroy 1')).to.deep.equal([
      ...['Ignored: -t', 'Ignored: -Q', 'Ignored: --mr_per_qp', 'Ignored: --wait_destroy', 'Ignored: --report_gbits'],
    ]);
    expect(ignored('ib_send_bw', '--perform_warm_up --report-both')).to.deep.equal([
      ...['Ignored: --perform_warm_up', 'Ignored: --report-both'],
    ]);
    expect(ignored('ib_write_bw', '-f 2 --cpu_util --rate_units M')).to.deep.equal([
      ...['Ignored: -f', 'Ignored: --cpu_util', 'Ignored: --rate_units'],
    ]);
    expect(ignored('ib_write_lat', '-D 4 -n 100 -H')).to.deep.equal(['Ignored: -n', 'Ignored: -H']);
    expect(notes('ib_write_bw', '-s 64K -Q 8')).to.have.lengthOf(1);
    expect(notes('ib_write_bw', '-F -s 8 -Q 8')).to.deep.equal([]);
  });

  it('do nothing in a test that notes them', () => {
    const line = '-t 10 -Q 4 --report_gbits --mr_per_qp --wait_destroy 1';
    expect(run('ib_send_lat', line)).to.deep.equal(run('ib_send_lat'));
    expect(run('ib_send_bw', '--perform_warm_up --report-both')).to.deep.equal(run('ib_send_bw'));
  });

  it('show a help with the options and defaults of this test alone', () => {
    for (const test of perftests) {
      const { text } = parsedPerftest('help', test.name, ['-n', '10', '--help', '--nosuch']);
      expect(text, test.name).to.match(new RegExp(`^${test.name}: `));
      for (const row of PERFTEST_OPTIONS) {
        const long = `--${row.long?.[0] ?? ''}`;
        const shown = text.split('\n').some((line) =>
          line
            .trim()
            .split(/[ ,[]+/)
            .slice(0, 2)
            .includes(long),
        );
        expect(shown, `${test.name} ${long}`).to.equal(isFor(row, test));
      }
      expect(Math.max(...text.split('\n').map((line) => line.length)), test.name).to.be.at.most(96);
    }
    expect(parsedPerftest('help', 'ib_write_bw', ['-h']).text).to.include('(default 5000)');
  });

  it('are all that the help of the peer names, by the same letters', () => {
    const helps = readPerftestCaptures().filter(({ argv, side }) => side === 'alone' && argv.includes('--help'));
    expect(helps).to.have.lengthOf(8);
    const known = [...PERFTEST_OPTIONS, ...REFUSED_OPTIONS];
    for (const { name, text } of helps) {
      const named = [...text.matchAll(/^\s+(?:-(\w), )?--([\w-]+)/gm)].map(([, short, long]) => ({ short, long }));
      expect(named.length).to.be.above(40);
      for (const { short, long } of named) {
        const row = known.find((option) => option.long?.includes(long ?? ''));
        expect(row?.short, `${name} --${long}`).to.equal(short);
        expect(row, `${name} --${long}`).to.not.equal(undefined);
      }
    }
  });

  it('tell the version', () => {
    expect(parsedPerftest('version', 'ib_send_bw', ['-V']).text).to.match(/^Version: fabricbench \d+\.\d+\.\d+\n$/);
  });
});
