/** Options of collectives, neighbourhoods, threads and one-sided benchmarks, and of those that take hardly any. */
import { expect } from 'chai';
import fc from 'fast-check';
import { COUNTS } from '../../src/bench/measure/counts.js';
import { programs } from '../../src/bench/suites/index.js';
import { BINDING_OPTIONS } from '../../src/cli/binding-options.js';
import { REDUCTION_TYPES } from '../../src/cli/datatypes.js';
import { longNames } from '../../src/cli/getopt.js';
import type { OptionName, OsuOptions, OsuSpec } from '../../src/cli/options.js';
import { OSU_OPTIONS, rowsOf } from '../../src/cli/osu-table.js';
import { formatBytes } from '../../src/cli/values.js';
import { parsed } from './parsed.js';

const MIB = 2 ** 20;
const RUN: readonly OptionName[] = [
  ...(['engine', 'stats', 'json', 'samples', 'time-limit', 'watchdog', 'noise'] as const),
  ...BINDING_OPTIONS,
  ...(['graph', 'papi', 'session'] as const),
];
const COLLECTIVE: readonly OptionName[] = [
  ...(['message-size', 'sizes', 'iterations', 'warmup', 'full', 'mem-limit', 'array-size', 'cuda-target'] as const),
  ...(['tail-lat', 'validation', 'validation-warmup', 'type', 'ddt'] as const),
  ...(['sync', 'per-repetition', 'off-cache', 'comm-size'] as const),
  ...RUN,
];
const spec = (name: string, accepts: readonly OptionName[], more: Partial<OsuSpec> = {}): OsuSpec => ({
  name,
  title: `OSU MPI ${name} Test`,
  accepts,
  defaults: { sizes: { min: 1, max: MIB }, counts: COUNTS.collective },
  ...more,
});

const GATHER = spec('osu_gather', [...COLLECTIVE, 'root-rank', 'in-place']);
const OVERLAP = spec('osu_igather', [...GATHER.accepts, 'num-test-calls']);
const NEIGHBOUR = spec('osu_neighbor_alltoall', [...COLLECTIVE, 'nhbr']);
const REDUCE = spec('osu_reduce', [...COLLECTIVE.filter((name) => name !== 'ddt'), 'root-rank', 'in-place'], {
  defaults: { sizes: { min: 1, max: MIB }, counts: COUNTS.collective, datatypes: REDUCTION_TYPES },
});
const BARRIER = spec(
  'osu_barrier',
  COLLECTIVE.filter((name) => name !== 'validation'),
  { idle: ['message-size', 'sizes', 'mem-limit', 'validation-warmup'] },
);
const THREADS = spec('osu_latency_mt', ['message-size', 'iterations', 'warmup', 'num-threads', ...RUN]);
const FAN = spec('osu_bw_fan_in', ['message-size', 'window-size', 'nodes-by', ...RUN]);
const PUT = spec('osu_put_latency', ['message-size', 'window-option', 'sync-option', ...RUN]);
const PUT_BOTH = spec('osu_put_bibw', PUT.accepts, {
  defaults: {
    ...PUT.defaults,
    oneSided: { creation: 'allocate', synchronization: 'pscw', synchronizations: ['pscw', 'fence'] },
  },
});
const GET_ACCUMULATE = spec('osu_get_acc_latency', PUT.accepts, {
  defaults: {
    ...PUT.defaults,
    oneSided: {
      creation: 'create',
      synchronization: 'lock',
      synchronizations: ['lock', 'flush', 'flush_local', 'lock_all', 'pscw', 'fence'],
    },
  },
});
const INIT = spec('osu_init', ['session', 'json', 'watchdog', ...BINDING_OPTIONS]);
const HELLO = spec('osu_hello', []);
const SPECS = [
  ...[GATHER, OVERLAP, NEIGHBOUR, REDUCE, BARRIER, THREADS, FAN, PUT, PUT_BOTH, GET_ACCUMULATE, INIT, HELLO],
];

const run = (of: OsuSpec, ...argv: string[]): OsuOptions => parsed('run', of, argv).options;
const notes = (of: OsuSpec, ...argv: string[]): readonly string[] => parsed('run', of, argv).notes;
const refusal = (of: OsuSpec, ...argv: string[]): string => {
  const { exitCode, stderr, help } = parsed('refuse', of, argv);
  expect(exitCode).to.equal(1);
  expect(help).to.equal(parsed('help', of, ['-h']).text);
  expect(stderr).to.match(/\]\n\n$/);
  return stderr.trimEnd();
};

describe('options of collectives', () => {
  it('-f, -l and the long ones are switches', () => {
    expect(run(GATHER, '-fl', '--per-repetition', '--off-cache')).to.deep.include({
      full: true,
      inPlace: true,
      perRepetition: true,
      offCache: true,
    });
    expect(run(GATHER, '--full', '--in-place')).to.deep.include({ full: true, inPlace: true });
    expect(refusal(GATHER, '--full=1')).to.equal('Option Takes No Argument [--full]');
  });

  it('-M takes bytes, at least 1 MiB', () => {
    expect(run(GATHER, '-M', '64M').memLimit).to.equal(64 * MIB);
    expect(run(GATHER, '--mem-limit=3g').memLimit).to.equal(3 * 1024 * MIB);
    expect(notes(GATHER, '-M', '1M')).to.deep.equal([]);
    for (const text of ['0', '1048575', '1023K']) {
      expect(run(GATHER, '-M', text).memLimit).to.equal(MIB);
      expect(notes(GATHER, '-M', text)).to.deep.equal(['memory limit raised to 1 MiB']);
    }
    for (const text of ['abc', '-1', '1.5M', '', '1T', '2:3']) {
      expect(refusal(GATHER, '-M', text)).to.equal(`Invalid Memory Limit: give bytes, as in -M 64M [-M ${text}]`);
    }
  });

  it('-M is never below what it is raised to', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 40 }), (bytes) => {
        const { options, notes: said } = parsed('run', GATHER, ['-M', formatBytes(bytes)]);
        expect(options.memLimit).to.equal(Math.max(bytes, MIB));
        expect(said).to.have.lengthOf(bytes < MIB ? 1 : 0);
      }),
    );
  });

  it('-k takes a fixed root and one that moves', () => {
    expect(run(GATHER, '-k', 'fixed:3').root).to.deep.equal({ kind: 'fixed', rank: 3 });
    expect(run(GATHER, '-krotate').root).to.deep.equal({ kind: 'rotate' });
    expect(run(GATHER, '--root-rank=FIXED:0').root).to.deep.equal({ kind: 'fixed', rank: 0 });
    for (const text of [
      'fixed',
      'fixed:',
      'fixed:-1',
      'fixed:x',
      'fixed:1:2',
      'rotate:1',
      '3',
      '',
      'fixed:2147483648',
    ]) {
      expect(refusal(GATHER, '-k', text), text).to.equal(`Invalid Root: give fixed:RANK or rotate [-k ${text}]`);
    }
  });

  it('-k names a rank that each communicator of --comm-size has', () => {
    expect(run(GATHER, '-k', 'fixed:1', '--comm-size', '4,2').root).to.deep.equal({ kind: 'fixed', rank: 1 });
    expect(run(GATHER, '-k', 'rotate', '--comm-size', '1').commSizes).to.deep.equal([1]);
    expect(refusal(GATHER, '-k', 'fixed:2', '--comm-size', '4,2')).to.equal(
      'A communicator of 2 ranks has no rank 2: give -k fixed:1 or below, or rotate [-k]',
    );
    expect(refusal(GATHER, '-k', 'fixed:1', '--comm-size', '1')).to.contain('A communicator of 1 rank has no rank 1');
  });

  it('-a and -r are for GPUs, which is told', () => {
    for (const [argv, option] of [
      [['-a', '32'], '-a'],
      [['--array-size=64'], '-a'],
      [['-r', 'cpu'], '-r'],
      [['--cuda-target', 'Both'], '-r'],
    ] as const) {
      expect(notes(GATHER, ...argv)).to.deep.equal([`Ignored: ${option}, because it is for computing on GPUs`]);
      expect(run(GATHER, ...argv)).to.deep.equal(run(GATHER));
    }
    expect(refusal(GATHER, '-a', '0')).to.equal('Invalid Array Size: give an integer from 1 [-a 0]');
    expect(refusal(GATHER, '-r', 'tpu')).to.equal('Invalid Target: give cpu, gpu or both [-r tpu]');
  });

  it('-t makes test calls where there is a computation to make them in', () => {
    expect(run(OVERLAP, '-t', '100').testCalls).to.equal(100);
    expect(run(OVERLAP, '--num-test-calls=0').testCalls).to.equal(0);
    expect(notes(OVERLAP, '-t', '100')).to.deep.equal([]);
    expect(refusal(OVERLAP, '-t', '1:2')).to.equal('Invalid Number of Test Calls: give an integer from 0 [-t 1:2]');
    expect(refusal(GATHER, '-t', '1')).to.equal('Invalid option [-t]');
  });

  it('--sync says how ranks meet', () => {
    for (const how of ['barrier', 'dissemination', 'none'] as const) {
      expect(run(GATHER, '--sync', how).processSync).to.equal(how);
      expect(notes(GATHER, '--sync', how, '--per-repetition')).to.deep.equal([]);
    }
    for (const text of ['', 'window', 'true']) {
      expect(refusal(GATHER, '--sync', text)).to.contain('give barrier, dissemination or none [--sync');
    }
  });

  it('--comm-size takes numbers of ranks in any order', () => {
    expect(run(GATHER, '--comm-size', '8,2,4').commSizes).to.deep.equal([8, 2, 4]);
    expect(run(GATHER, '--comm-size=1').commSizes).to.deep.equal([1]);
    for (const text of ['', '0', '2,,4', '2,-4', '2:4', 'all', '2147483648']) {
      expect(refusal(GATHER, '--comm-size', text), text).to.contain('as in --comm-size 2,4,8 [--comm-size');
    }
  });

  it('--comm-size gives back any list', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 2 ** 31 - 1 }), { minLength: 1 }), (sizes) => {
        expect(run(GATHER, '--comm-size', sizes.join(',')).commSizes).to.deep.equal(sizes);
      }),
    );
  });

  it('-c undoes what --off-cache is for, which is told', () => {
    expect(notes(GATHER, '--off-cache', '-c')).to.deep.equal([
      'Without effect: --off-cache, because -c brings each buffer into the cache before it is used',
    ]);
    expect(notes(GATHER, '--off-cache')).to.deep.equal([]);
  });

  it('-D goes without -c, and not with reductions', () => {
    expect(refusal(GATHER, '-c', '-D', 'cont')).to.contain('leave out -c or -D [-c]');
    expect(refusal(REDUCE, '-D', 'cont')).to.equal('Invalid option [-D]');
  });

  it('reductions begin with MPI_INT', () => {
    expect(run(REDUCE).datatypes).to.deep.equal(['MPI_INT']);
    expect(run(REDUCE, '-T', 'all').datatypes).to.deep.equal(['MPI_INT', 'MPI_FLOAT']);
    expect(refusal(REDUCE, '-T', 'mpi_char')).to.match(/^Invalid Type: give all, int, int8_t, .* \[-T mpi_char\]$/);
  });

  it('of a barrier have no sizes, which is told', () => {
    const size = 'because this benchmark measures no message sizes';
    expect(notes(BARRIER, '-m', '8', '-M', '1K')).to.deep.equal([`Ignored: -m, ${size}`, `Ignored: -M, ${size}`]);
    expect(notes(BARRIER, '--sizes', '8')).to.deep.equal([`Ignored: --sizes, ${size}`]);
    expect(notes(BARRIER, '-u', '3')).to.deep.equal(['Ignored: -u, because this benchmark has no data to validate']);
    expect(run(BARRIER, '-m', '8', '-M', '1M', '-u', '3')).to.deep.equal(run(BARRIER));
    expect(refusal(BARRIER, '-m', 'abc')).to.match(/^Invalid Message Size/);
    expect(refusal(BARRIER, '-c')).to.equal('Invalid option [-c]');
  });
});

describe('options of neighbourhoods', () => {
  it('-N takes a grid or a file of edges', () => {
    expect(run(NEIGHBOUR).neighbours).to.deep.equal({ kind: 'cart', dims: 1, radius: 1 });
    expect(run(NEIGHBOUR, '-N', 'cart:3:2').neighbours).to.deep.equal({ kind: 'cart', dims: 3, radius: 2 });
    expect(run(NEIGHBOUR, '--nhbr=CART:2:1').neighbours).to.deep.equal({ kind: 'cart', dims: 2, radius: 1 });
    expect(run(NEIGHBOUR, '-N', 'graph:a:b.txt').neighbours).to.deep.equal({ kind: 'graph', file: 'a:b.txt' });
    for (const text of ['cart', 'cart:', 'cart:1', 'cart:0:1', 'cart:1:0', 'cart:1:1:1', 'cart:a:b', 'cart:1:-1']) {
      expect(refusal(NEIGHBOUR, '-N', text), text).to.equal(
        `Invalid Neighbourhood: give cart:DIMENSIONS:RADIUS, both from 1, or graph:FILE [-N ${text}]`,
      );
    }
    for (const text of ['graph', 'graph:', 'ring', '', ':1:1']) {
      expect(refusal(NEIGHBOUR, '-N', text), text).to.contain('Invalid Neighbourhood');
    }
  });

  it('-N keeps any name of a file', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (file) => {
        expect(run(NEIGHBOUR, '-N', `graph:${file}`).neighbours).to.deep.equal({ kind: 'graph', file });
      }),
    );
  });
});

describe('options of threads', () => {
  it('-t takes receivers, or senders and receivers, by each of its names', () => {
    expect(run(THREADS).workers).to.deep.equal({ send: 1, receive: 2 });
    expect(run(THREADS, '-t', '4').workers).to.deep.equal({ send: 1, receive: 4 });
    expect(run(THREADS, '-t4:6').workers).to.deep.equal({ send: 4, receive: 6 });
    for (const name of ['num-threads', 'num_threads', 'num-test-calls', 'num']) {
      expect(run(THREADS, `--${name}=127:1`).workers, name).to.deep.equal({ send: 127, receive: 1 });
    }
    expect(run(THREADS, '-t4').testCalls).to.equal(0);
    expect(notes(THREADS, '-t4')).to.deep.equal([]);
  });

  it('-t refuses what names no number of threads', () => {
    for (const text of ['2:', ':2', ':', '', '0', '128', '1:0', '0:1', '1:128', '1:2:3', 'a', '1.5', '-1']) {
      expect(refusal(THREADS, '-t', text), text).to.equal(
        `Invalid Number of Threads: give RECEIVERS or SENDERS:RECEIVERS, each from 1 to 127 [-t ${text}]`,
      );
    }
  });

  it('--nodes-by takes ranks per node', () => {
    expect(run(FAN, '--nodes-by', '2').nodesBy).to.equal(2);
    for (const text of ['0', '-1', 'x', '', '2,2']) {
      expect(refusal(FAN, '--nodes-by', text)).to.contain('give an integer from 1 [--nodes-by');
    }
  });
});

describe('options of one-sided benchmarks', () => {
  it('have the defaults of the benchmark', () => {
    const defaults = (of: OsuSpec) => [run(of).windowCreation, run(of).synchronization];
    expect(defaults(PUT)).to.deep.equal(['allocate', 'flush']);
    expect(defaults(PUT_BOTH)).to.deep.equal(['allocate', 'pscw']);
    expect(defaults(GET_ACCUMULATE)).to.deep.equal(['create', 'lock']);
  });

  it('-w and -s take their words, by the long names of the peer too', () => {
    for (const how of ['create', 'allocate', 'dynamic'] as const) {
      for (const given of ['-w', '--win-option', '--win-options']) {
        expect(run(PUT, given, how).windowCreation).to.equal(how);
      }
    }
    for (const how of ['lock', 'flush', 'flush_local', 'lock_all', 'pscw', 'fence'] as const) {
      expect(run(PUT, '-s', how).synchronization).to.equal(how);
      expect(run(PUT, `--sync-option=${how.toUpperCase()}`).synchronization).to.equal(how);
    }
    expect(refusal(PUT, '-w', 'shared')).to.equal(
      'Invalid Window Creation: give create, allocate or dynamic [-w shared]',
    );
    for (const text of ['', 'flush-local', 'locks', 'lock,fence']) {
      expect(refusal(PUT, '-s', text)).to.equal(
        `Invalid Synchronization: this benchmark takes lock, flush, flush_local, lock_all, pscw, fence [-s ${text}]`,
      );
    }
  });

  it('-s takes what the benchmark can do', () => {
    expect(run(PUT_BOTH, '-s', 'fence').synchronization).to.equal('fence');
    expect(refusal(PUT_BOTH, '-s', 'flush')).to.equal(
      'Invalid Synchronization: this benchmark takes pscw, fence [-s flush]',
    );
  });
});

describe('a benchmark that takes hardly any options', () => {
  it('has help and version', () => {
    for (const of of [INIT, HELLO]) {
      expect(parsed('help', of, ['-h']).text).to.match(/^Usage: osu_/);
      expect(parsed('version', of, ['-v']).text).to.equal(`# ${of.title} v7.4\n`);
    }
    expect(parsed('help', HELLO, ['-h']).text.split('\n').slice(3)).to.deep.equal([
      'Options:',
      '  -h, --help                    print this help',
      '  -v, --version                 print the version',
      '',
    ]);
  });

  it('takes those and refuses all others', () => {
    expect(run(INIT, '-I', '--json', '-')).to.deep.include({ session: true, json: '-' });
    expect(run(HELLO)).to.deep.equal(run(INIT));
    expect(refusal(INIT, '-m', '8')).to.equal('Invalid option [-m]');
    expect(refusal(HELLO, '-I')).to.equal('Invalid option [-I]');
    expect(notes(HELLO, 'word')).to.deep.equal(['Ignored: word']);
  });
});

describe('the table of options', () => {
  const all = [...SPECS, ...programs.values()];

  it('gives each letter and long name one meaning in a benchmark', () => {
    for (const of of all) {
      const rows = rowsOf(of);
      const letters = rows.flatMap(({ short }) => short ?? []);
      const names = rows.flatMap(longNames);
      expect(new Set(letters), of.name).to.have.lengthOf(letters.length);
      expect(new Set(names), of.name).to.have.lengthOf(names.length);
    }
  });

  it('has a help of 80 columns for each benchmark, which names its options alone', () => {
    for (const of of all) {
      const { text } = parsed('help', of, ['-h']);
      for (const line of text.split('\n')) expect(line.length, line).to.be.at.most(80);
      const shown = [...text.matchAll(/^ {2}(?:-.,| {3}) --([\w-]+)/gm)].map(([, name]) => name);
      expect(shown, of.name).to.deep.equal(rowsOf(of).map((row) => longNames(row)[0]));
    }
  });

  it('refuses each option that a benchmark does not take, by letter and by name', () => {
    for (const of of all) {
      const taken = rowsOf(of);
      const letters = new Set(taken.map(({ short }) => short));
      for (const { short, long, name } of OSU_OPTIONS.filter((row) => !taken.includes(row))) {
        if (short !== undefined && !letters.has(short)) expect(refusal(of, `-${short}`)).to.contain('Invalid option');
        for (const whole of long ?? [name]) {
          if (taken.some((row) => longNames(row).some((other) => other.startsWith(whole)))) continue;
          expect(refusal(of, `--${whole}=1`), of.name).to.equal(`Invalid option [--${whole}]`);
        }
      }
    }
  });

  it('shows the true defaults in the help', () => {
    const help = (of: OsuSpec) => parsed('help', of, ['-h']).text.replace(/\s+/g, ' ');
    expect(help(GATHER)).to.contain('(default 512M)').and.to.contain('(default fixed:0)');
    expect(help(GATHER)).to.contain('(default 1:1M)').and.to.contain('(default 1000, above 8K 100)');
    expect(help(NEIGHBOUR)).to.contain('(default cart:1:1)');
    expect(help(THREADS)).to.contain('-t, --num-threads [SEND:]RECV').and.to.contain('(default 1:2)');
    expect(help(OVERLAP)).to.contain('-t, --num-test-calls CALLS').and.to.contain('(default 0)');
    expect(help(PUT)).to.contain('dynamic (default allocate)').and.to.contain('fence (default flush)');
    expect(help(PUT_BOTH)).to.contain('synchronize: pscw, fence (default pscw)');
    expect(help(GET_ACCUMULATE)).to.contain('(default create)').and.to.contain('(default lock)');
    expect(help(REDUCE)).to.contain('all (int, float) or any of int, int8_t').and.to.contain('(default int)');
    expect(help(GATHER)).to.contain('all (char, int, float) or any of char, int').and.to.contain('(default char)');
  });

  it('says which options are without effect in a benchmark', () => {
    const help = parsed('help', BARRIER, ['-h']).text.replace(/\s+/g, ' ');
    expect(help).to.contain('--message-size [MIN:]MAX taken as the peer takes it, and without effect');
    const osuBw = programs.get('osu_bw');
    if (!osuBw) throw new Error('there is no osu_bw');
    expect(notes(osuBw, '-t', '5')).to.deep.equal(['Ignored: -t, because this benchmark makes no test calls']);
  });
});
