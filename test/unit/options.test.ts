import { expect } from 'chai';
import fc from 'fast-check';
import { COUNTS } from '../../src/bench/measure/counts.js';
import { WATCHDOG_LIMIT } from '../../src/engine/watchdog.js';
import type { OptionName, OsuOptions, OsuSpec } from '../../src/cli/options.js';
import { parseOsu } from '../../src/cli/osu.js';
import { formatBytes, parseBytes, parseCpuList } from '../../src/cli/values.js';
import { parsed } from './parsed.js';

const MESSAGES: readonly OptionName[] = [
  ...(['message-size', 'iterations', 'warmup', 'buffer-num', 'validation', 'validation-warmup'] as const),
  ...(['tail-lat', 'type', 'ddt', 'graph', 'papi', 'session'] as const),
  ...(['sizes', 'engine', 'stats', 'json', 'csv', 'markdown', 'samples', 'time-limit', 'target-ci'] as const),
  ...(['watchdog', 'bind', 'report-binding', 'noise'] as const),
];

const LATENCY: OsuSpec = {
  name: 'osu_latency',
  title: 'OSU MPI Latency Test',
  accepts: MESSAGES,
  defaults: { sizes: { min: 1, max: 4194304 }, counts: COUNTS.latency },
};

const RATE: OsuSpec = {
  name: 'osu_mbw_mr',
  title: 'OSU MPI Multiple Bandwidth / Message Rate Test',
  accepts: [...MESSAGES, 'window-size', 'num-pairs', 'vary-window', 'print-rate'],
  defaults: { sizes: { min: 1, max: 4194304 }, counts: COUNTS.multiBandwidth, window: 64 },
};

const BANDWIDTH: OsuSpec = {
  name: 'osu_bw',
  title: 'OSU MPI Bandwidth Test',
  accepts: [...MESSAGES, 'window-size', 'num-test-calls'],
  idle: ['num-test-calls'],
  defaults: { sizes: { min: 1, max: 4194304 }, counts: COUNTS.bandwidth, window: 64 },
};

const run = (...argv: string[]): OsuOptions => parsed('run', RATE, argv).options;
const notes = (...argv: string[]): readonly string[] => parsed('run', RATE, argv).notes;
const refused = (...argv: string[]) => parsed('refuse', RATE, argv);

describe('options of the osu_* programs', () => {
  it('have the defaults of the benchmark', () => {
    expect(parsed('run', RATE, []).options).to.deep.equal({
      sizes: { kind: 'range', min: 1, max: 4194304 },
      iterations: undefined,
      warmup: undefined,
      window: 64,
      buffers: 'single',
      validation: undefined,
      validationWarmup: 5,
      percentiles: [],
      datatypes: ['MPI_CHAR'],
      ddt: undefined,
      layer: { kind: 'mpi' },
      printRate: true,
      pairs: undefined,
      varyWindow: false,
      full: false,
      memLimit: 512 * 2 ** 20,
      root: { kind: 'fixed', rank: 0 },
      inPlace: false,
      neighbours: { kind: 'cart', dims: 1, radius: 1 },
      testCalls: 0,
      workers: { send: 1, receive: 2 },
      windowCreation: 'allocate',
      synchronization: 'flush',
      graphs: [],
      papi: undefined,
      session: false,
      processSync: 'barrier',
      perRepetition: false,
      offCache: false,
      commSizes: undefined,
      nodesBy: undefined,
      engine: 'native',
      stats: false,
      statsColumns: [],
      json: undefined,
      csvFile: undefined,
      markdown: undefined,
      samples: false,
      timeLimit: undefined,
      targetCi: undefined,
      watchdog: 60,
      bind: { kind: 'keep' },
      overlap: false,
      membind: undefined,
      reportBinding: false,
      noise: undefined,
      dryRun: undefined,
    });
    expect(notes()).to.deep.equal([]);
  });

  it('can not be changed afterwards', () => {
    expect(run()).to.be.frozen;
  });

  it('-m takes MAX, MIN:MAX, MIN: and :MAX with binary suffixes', () => {
    const range = (min: number, max: number) => ({ kind: 'range', min, max });
    expect(run('-m', '64').sizes).to.deep.equal(range(1, 64));
    expect(run('-m', '3:20').sizes).to.deep.equal(range(3, 20));
    expect(run('-m', '8:').sizes).to.deep.equal(range(8, 4194304));
    expect(run('-m:32').sizes).to.deep.equal(range(1, 32));
    expect(run('--message-size=1k:2M').sizes).to.deep.equal(range(1024, 2097152));
    expect(run('-m', '3G:3g').sizes).to.deep.equal(range(3221225472, 3221225472));
    expect(run('-m', '0:8').sizes).to.deep.equal(range(0, 8));
    expect(run('-m', '0').sizes).to.deep.equal(range(0, 0));
  });

  it('-m refuses what measures nothing or means nothing', () => {
    for (const text of [
      'abc',
      '-1',
      '1:-2',
      '1:2:3',
      ':',
      '',
      '1x',
      '1.5',
      '1e3',
      '0x10',
      '9007199254740993',
      '10000000G',
    ]) {
      expect(refused('-m', text).stderr, text).to.match(/^Invalid Message Size: give MAX or MIN:MAX.* \[-m .*\]\n\n$/s);
    }
    expect(refused('-m', '8:4').stderr).to.equal(
      'Invalid Message Size: MIN (8) is above MAX (4), so nothing would be measured [-m 8:4]\n\n',
    );
    expect(refused('-m', '8M:').stderr).to.contain('MIN (8388608) is above MAX (4194304)');
  });

  it('--sizes takes any list, and not together with -m', () => {
    expect(run('--sizes', '1,3,4096,2K').sizes).to.deep.equal({ kind: 'list', sizes: [1, 3, 4096, 2048] });
    expect(run('--sizes=0').sizes).to.deep.equal({ kind: 'list', sizes: [0] });
    expect(refused('--sizes', '1,,2').stderr).to.contain('[--sizes 1,,2]');
    expect(refused('--sizes', '1', '-m', '4').stderr).to.contain('leave out -m or --sizes [--sizes]');
  });

  it('numbers are integers in their range', () => {
    expect(run('-i', '5', '-x', '0', '-W', '2000', '-u', '10', '-p', '3', '-R', '0')).to.deep.include({
      iterations: 5,
      warmup: 0,
      window: 2000,
      validationWarmup: 10,
      pairs: 3,
      printRate: false,
    });
    const wrong = [
      '-i0',
      '-i-1',
      '-iabc',
      '-i1.5',
      '-i10k',
      '-i',
      '-x-1',
      '-xabc',
      '-W0',
      '-Wabc',
      '-u11',
      '-u-1',
      '-p0',
      '-R2',
      '-Rabc',
    ];
    for (const text of wrong) expect(refused(text).exitCode, text).to.equal(1);
    expect(refused('-iabc').stderr).to.equal('Invalid Number of Iterations: give an integer from 1 [-i abc]\n\n');
    expect(refused('-R2').stderr).to.equal('Invalid Print Rate: give 0 or 1 [-R 2]\n\n');
  });

  it('the last of repeated options counts, and a wrong one is refused all the same', () => {
    expect(run('-i1', '-i2').iterations).to.equal(2);
    expect(refused('-iabc', '-i2').stderr).to.contain('[-i abc]');
    expect(refused('-i2', '-iabc').stderr).to.contain('[-i abc]');
  });

  it('the first mistake of the command line is named', () => {
    expect(refused('-Wabc', '-q', '-iabc').stderr).to.contain('[-W abc]');
    expect(refused('-q', '-Wabc').stderr).to.equal('Invalid option [-q]\n\n');
  });

  it('-b takes single and multiple', () => {
    expect(run('-b', 'multiple').buffers).to.equal('multiple');
    expect(run('-b', 'Single').buffers).to.equal('single');
    expect(refused('-b', 'both').stderr).to.equal("Please use 'single' or 'multiple' for buffer type [-b both]\n\n");
  });

  it('-c takes log and a folder, glued', () => {
    expect(run('-c').validation).to.deep.equal({ log: null });
    expect(run('-clog').validation).to.deep.equal({ log: { directory: 'validation_output' } });
    expect(run('-clog:a:b').validation).to.deep.equal({ log: { directory: 'a:b' } });
    expect(run('--validation=log:d').validation).to.deep.equal({ log: { directory: 'd' } });
    for (const text of ['-cz', '-clogs', '-clog:'])
      expect(refused(text).stderr).to.contain('give -c, -clog or -clog:DIR');
  });

  it('-z takes any number of percentiles, decimals too, glued', () => {
    expect(run('-z').percentiles).to.deep.equal([50, 90, 99]);
    expect(run('-z0,1,5,25,50,75,90,99,99.9,99.99,100').percentiles).to.deep.equal([
      0, 1, 5, 25, 50, 75, 90, 99, 99.9, 99.99, 100,
    ]);
    expect(run('--tail-lat=90,50,90').percentiles).to.deep.equal([90, 50, 90]);
    for (const text of ['-z101', '-z-1', '-zabc', '-z50,', '-z1e1']) {
      expect(refused(text).stderr).to.equal(`Percentile range must be in between 0 and 100 [-z ${text.slice(2)}]\n\n`);
    }
  });

  it('-z 50 is a bare -z, as in getopt, and says so', () => {
    expect(run('-z', '50').percentiles).to.deep.equal([50, 90, 99]);
    expect(notes('-z', '50')).to.deep.equal(['Ignored: 50 (an argument of -z must be glued to it)']);
    expect(notes('-c', 'log:d')).to.deep.equal(['Ignored: log:d (an argument of -c must be glued to it)']);
  });

  it('-T takes types in any case, lists, all, and repeats', () => {
    expect(run('-T', 'mpi_Int').datatypes).to.deep.equal(['MPI_INT']);
    expect(run('-T', 'all').datatypes).to.deep.equal(['MPI_CHAR', 'MPI_INT', 'MPI_FLOAT']);
    expect(run('-T', 'mpi_float,MPI_CHAR').datatypes).to.deep.equal(['MPI_FLOAT', 'MPI_CHAR']);
    const many = Array.from({ length: 50 }, () => ['-T', 'mpi_int', '-T', 'all']).flat();
    expect(run(...many).datatypes).to.deep.equal(['MPI_INT', 'MPI_CHAR', 'MPI_FLOAT']);
    expect(refused('-T', 'mpi_bogus').stderr).to.match(
      /^Invalid Type: give all, char, int, .*byte, with or without mpi_ before \[-T mpi_bogus\]\n\n$/,
    );
    expect(refused('-T', '').exitCode).to.equal(1);
  });

  it('-T knows the types of the benchmark', () => {
    const spec = { ...RATE, defaults: { ...RATE.defaults, datatypes: ['MPI_INT', 'MPI_DOUBLE'] } };
    expect(parsed('run', spec, []).options.datatypes).to.deep.equal(['MPI_INT']);
    expect(parsed('run', spec, ['-Tall']).options.datatypes).to.deep.equal(['MPI_INT']);
    expect(parsed('run', spec, ['-Tmpi_double']).options.datatypes).to.deep.equal(['MPI_DOUBLE']);
    expect(parsed('refuse', spec, ['-Tmpi_char']).stderr).to.contain('give all, int, double, with');
  });

  it('-D takes cont, vect and indx, and not together with -c', () => {
    expect(run('-D', 'cont').ddt).to.deep.equal({ kind: 'cont' });
    expect(run('-D', 'VECT:8:4').ddt).to.deep.equal({ kind: 'vect', stride: 8, block: 4 });
    expect(run('-D', 'vect').ddt).to.deep.equal({ kind: 'vect', stride: 8, block: 4 });
    expect(run('-D', 'indx:a:b.txt').ddt).to.deep.equal({ kind: 'indx', file: 'a:b.txt' });
    for (const text of [
      'vect:8',
      'vect:4:8',
      'vect:8:0',
      'vect:a:b',
      'vect:8:4:2',
      'indx',
      'indx:',
      'cont:1',
      'other',
    ]) {
      expect(refused('-D', text).stderr, text).to.match(/^Invalid ddt type: give /);
    }
    expect(refused('-D', 'cont', '-c').stderr).to.contain('Derived data type does not support validation');
  });

  it('extras have long names', () => {
    const argv = [
      '--engine',
      'js',
      '--stats',
      '--json',
      '-',
      '--samples',
      '--time-limit',
      '2.5',
      '--watchdog=0',
      '--bind',
      '0,2-3',
    ];
    expect(run(...argv, '--report-binding')).to.deep.include({
      engine: 'js',
      stats: true,
      json: '-',
      samples: true,
      timeLimit: 2.5,
      watchdog: 0,
      bind: { kind: 'list', threads: [0, 2, 3] },
      reportBinding: true,
    });
    const wrong = [
      '--engine=c',
      '--json=',
      '--time-limit=0',
      '--time-limit=-1',
      '--time-limit=x',
      '--watchdog=x',
      '--bind=',
      '--bind=0,x',
    ];
    for (const text of [...wrong, '--bind=3-1', '--stats=1']) expect(refused(text).exitCode, text).to.equal(1);
    expect(refused('--samples').stderr).to.equal('Samples are kept in the record: add --json FILE [--samples]\n\n');
  });

  it('--stats takes names, in the order in which columns are to stand', () => {
    expect(run('--stats').statsColumns).to.deep.equal(['min', 'median', 'p90', 'p99', 'max', 'sd', 'ci', 'n']);
    expect(run('--stats=verdict,p1,ci,p1')).to.deep.include({ stats: true, statsColumns: ['verdict', 'p1', 'ci'] });
    for (const text of ['--stats=p2', '--stats=min,', '--stats=Min'])
      expect(refused(text).stderr).to.match(/^Invalid Statistics: give names with commas between, of min, p1, /);
  });

  it('--target-ci takes a percentage', () => {
    for (const text of ['2%', '2', '2.0%']) expect(run('--target-ci', text).targetCi, text).to.equal(0.02);
    expect(run('--target-ci=.5%').targetCi).to.equal(0.005);
    for (const text of ['0', '100%', '-1', 'x', '', '1e1', '%'])
      expect(refused(`--target-ci=${text}`).stderr, text).to.match(/^Invalid Target: give a percentage above 0 /);
  });

  it('--csv and --markdown take files, each another one', () => {
    expect(run('--csv', 'r.csv', '--markdown', '-')).to.deep.include({ csvFile: 'r.csv', markdown: '-' });
    expect(refused('--csv=').stderr).to.contain('Invalid File');
    expect(refused('--csv', 'r', '--json', 'r').stderr).to.equal(
      "--json and --csv can't both be written to r: give two files [--csv]\n\n",
    );
    expect(refused('--markdown=-', '--json=-').stderr).to.equal(
      "--json and --markdown can't both go to stdout: give one of them a file [--markdown]\n\n",
    );
    expect(refused('-P', 'A:x', '--csv', 'x').stderr).to.contain("The CSV and the counts of events can't both");
  });

  it('values keep quotes, equals signs and newlines', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (file) => {
        expect(run('--json', file).json).to.equal(file);
      }),
    );
    for (const file of ['"a"', "'a'", '""', '"', 'a=b', 'a\nb', '[x]', 'true', '007'])
      expect(run('--json', file).json).to.equal(file);
  });

  it('--vary-window takes no argument, as its short form', () => {
    expect(run('--vary-window').varyWindow).to.be.true;
    expect(run('-V').varyWindow).to.be.true;
    expect(refused('--vary-window=1').stderr).to.equal('Option Takes No Argument [--vary-window]\n\n');
    expect(notes('-V', '-W', '8')).to.deep.equal(['Ignored: -W, because -V varies the window']);
  });

  it('-V says which columns its matrices have no room for', () => {
    const note = (options: string) =>
      `Not shown: the matrices of -V have no room for the columns of ${options}; --json FILE records them`;
    expect(notes('-V', '-z')).to.deep.equal([note('-z')]);
    expect(notes('-V', '-c', '-z', '--stats', '--time-limit', '9')).to.deep.equal([
      note('-c, -z, --stats, --time-limit'),
    ]);
    expect(notes('--stats', '-V', '-D', 'cont')).to.deep.equal([note('-D, --stats')]);
    expect(notes('-V')).to.deep.equal([]);
  });

  it('-t is taken by osu_bw, without effect and with a word', () => {
    for (const argv of [['-t', '5'], ['-t0'], ['--num-test-calls=5']]) {
      const { options, notes: said } = parsed('run', BANDWIDTH, argv);
      expect(options).to.deep.equal(parsed('run', BANDWIDTH, []).options);
      expect(said).to.deep.equal(['Ignored: -t, because this benchmark makes no test calls']);
    }
    for (const text of ['abc', '-1', '1.5', '']) {
      expect(parsed('refuse', BANDWIDTH, ['-t', text]).stderr, text).to.equal(
        `Invalid Number of Test Calls: give an integer from 0 [-t ${text}]\n\n`,
      );
    }
    expect(parsed('refuse', LATENCY, ['-t', '5']).stderr).to.equal('Invalid option [-t]\n\n');
  });

  it('--watchdog takes what the engine takes', () => {
    expect(run('--watchdog', String(WATCHDOG_LIMIT)).watchdog).to.equal(WATCHDOG_LIMIT);
    for (const seconds of [WATCHDOG_LIMIT + 1, WATCHDOG_LIMIT + 0.5]) {
      expect(refused('--watchdog', String(seconds)).stderr).to.equal(
        `Invalid Watchdog: give seconds, at most 86400, 0 = off [--watchdog ${seconds}]\n\n`,
      );
    }
  });

  it('extra words are ignored with a word', () => {
    expect(notes('D', 'D')).to.deep.equal(['Ignored: D D']);
    expect(notes('-c', 'D', '-i1', 'D')).to.deep.equal(['Ignored: D D']);
    expect(notes('-u', '3')).to.deep.equal(['Ignored: -u, because it needs -c']);
  });

  it('-G takes the plots that are made here, each once, and names them for those of the peer', () => {
    expect(run('-G', 'tty').graphs).to.deep.equal(['tty']);
    expect(run('--graph=HTML, svg,tty,svg').graphs).to.deep.equal(['html', 'svg', 'tty']);
    for (const other of ['png', 'pdf']) {
      expect(refused('-G', `tty,${other}`)).to.deep.include({
        exitCode: 1,
        stderr: `Invalid Graph: ${other} is not made here, give svg or html instead [-G tty,${other}]\n\n`,
      });
    }
    for (const text of ['', 'tty,', 'gif', 'tty svg', '__proto__']) {
      expect(refused('-G', text).stderr, text).to.equal(
        `Invalid Graph: give tty, svg or html, with commas between [-G ${text}]\n\n`,
      );
    }
  });

  it('-P takes events and a file after a single colon', () => {
    const papi = (text: string) => run('-P', text).papi;
    expect(papi('PAPI_TOT_CYC')).to.deep.equal({ events: ['PAPI_TOT_CYC'], file: undefined });
    expect(papi('PAPI_TOT_CYC,PAPI_TOT_INS:out/x.txt')).to.deep.equal({
      events: ['PAPI_TOT_CYC', 'PAPI_TOT_INS'],
      file: 'out/x.txt',
    });
    expect(papi('perf::CYCLES,perf::TASK-CLOCK:a:b')).to.deep.equal({
      events: ['perf::CYCLES', 'perf::TASK-CLOCK'],
      file: 'a:b',
    });
    for (const text of ['', 'A,', ',A', 'A:', ':file', 'A,:file', 'perf:::']) {
      expect(refused('-P', text).stderr, text).to.match(/^Invalid Events: give names with commas between/);
    }
  });

  it('-P finds any events and file again', () => {
    const event = fc.stringMatching(/^[A-Z]+(_[A-Z]+)*(::[A-Z]+)?$/);
    const file = fc.option(fc.stringMatching(/^[^:][^]*$/), { nil: undefined });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1 }), file, (events, name) => {
        const text = `${events.join(',')}${name === undefined ? '' : `:${name}`}`;
        expect(run('-P', text).papi).to.deep.equal({ events, file: name });
      }),
    );
  });

  it('-P and --json do not write one file', () => {
    expect(refused('-P', 'A:out', '--json', 'out').stderr).to.equal(
      "The record and the counts of events can't both be written to out: give two files [-P]\n\n",
    );
    expect(run('-P', 'A:out', '--json', 'other').papi?.file).to.equal('out');
    expect(run('-P', 'A', '--json', '-').papi?.file).to.equal(undefined);
  });

  it('-I asks for a session', () => {
    expect(run('-I').session).to.be.true;
    expect(run('--session').session).to.be.true;
    expect(refused('--session=1').stderr).to.equal('Option Takes No Argument [--session]\n\n');
  });

  it('options that the benchmark does not take are refused with its help', () => {
    const { stderr, exitCode, help } = parsed('refuse', LATENCY, ['-W', '8']);
    expect(stderr).to.equal('Invalid option [-W]\n\n');
    expect(exitCode).to.equal(1);
    expect(help).to.equal(parsed('help', LATENCY, ['-h']).text);
    expect(parsed('refuse', LATENCY, ['--window-size=8']).stderr).to.equal('Invalid option [--window-size]\n\n');
    expect(refused('-i').stderr).to.equal('Option Missing Required Argument [-i]\n\n');
    expect(refused('--v').stderr).to.match(/^Ambiguous option: write --.* or --.* \[--v\]\n\n$/);
  });

  it('-v prints the title and the OMB version', () => {
    expect(parsed('version', LATENCY, ['-v']).text).to.equal('# OSU MPI Latency Test v7.4\n');
    expect(parsed('version', LATENCY, ['--version', '-q']).text).to.equal('# OSU MPI Latency Test v7.4\n');
  });

  it('what comes before -h is looked at, what comes after is not', () => {
    expect(parseOsu(['-i3', '-h', '-q'], LATENCY).kind).to.equal('help');
    expect(parseOsu(['-q', '-h'], LATENCY).kind).to.equal('refuse');
    expect(parseOsu(['-h', '-v'], LATENCY).kind).to.equal('help');
    expect(parseOsu(['-v', '-h'], LATENCY).kind).to.equal('version');
  });
});

describe('help of the osu_* programs', () => {
  const latency = parsed('help', LATENCY, ['--help']).text;
  const rate = parsed('help', RATE, ['-h']).text;

  it('fits into 80 columns and ends with one newline', () => {
    for (const line of `${latency}${rate}`.split('\n')) expect(line.length, line).to.be.at.most(80);
    expect(latency).to.match(/[^\n]\n$/);
  });

  it('shows the options of this benchmark only', () => {
    expect(rate).to.contain('-W, --window-size SIZE').and.to.contain('-V, --vary-window');
    expect(latency).not.to.contain('window-size');
    for (const name of [...LATENCY.accepts, 'help', 'version']) expect(latency).to.contain(`--${name}`);
  });

  it('shows the true defaults', () => {
    const flat = (text: string) => text.replace(/\s+/g, ' ');
    expect(flat(latency)).to.contain('(default 10000, above 8K 1000)').and.to.contain('(default 100, above 8K 10)');
    expect(flat(rate)).to.contain('per message size (default 100)').and.to.contain('(default 64)');
    expect(flat(latency)).to.contain('(default 1:4M)');
    expect(flat(latency)).to.contain('at least 8000 iterations up to 8K unless -x is given');
  });
});

describe('option values', () => {
  it('bytes survive being shown and read', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (bytes) => {
        expect(parseBytes(formatBytes(bytes))).to.equal(bytes);
      }),
    );
    expect([0, 1, 1023, 1024, 1536, 4194304, 2 ** 31, 3 * 2 ** 30].map(formatBytes)).to.deep.equal(
      ['0', '1', '1023', '1K', '1536', '4M', '2G', '3G'], // prettier-ignore
    );
  });

  it('processor lists are the kernel’s', () => {
    expect(parseCpuList('0')).to.deep.equal([0]);
    expect(parseCpuList('0-3,8')).to.deep.equal([0, 1, 2, 3, 8]);
    for (const text of ['', '-', '1-', '3-1', '1-2-3', 'a']) expect(parseCpuList(text), text).to.be.undefined;
  });
});
