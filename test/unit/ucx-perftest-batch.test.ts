import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readBatchText } from '../../src/cli/ucx-perftest-files.js';
import { projectRoot } from './project.js';
import { CONTEXT, parsedUcx, withFiles } from './ucx-perftest-cases.js';

const FOLDER = 'share/ucx_perftest';

const FILES = withFiles({
  types: '# two tests\n\nlat -t tag_lat\n  \t\n  # not this\nbw   -t  tag_bw -n 7\n',
  sizes: 's8 -s 8 -n 100\r\nbig -s 1K,2K -I\r\n',
  other: 'all -n 5 -E sleep\nnone',
  nothing: '# only a comment\n\n',
  flag: 'a -t tag_lat\nx -t tag_lat -f\n',
  word: 'x -t tag_lat stray\n',
  lone: 'x -t\n',
  bad: '\n\nx -t tag_lat -R 200',
  comment: 'x -t tag_lat -n 3 # and -n 4\n',
  mixed: 'uct -t am_lat -x sysv -d memory -i 4\nucp -t tag_lat\n',
});

const runs = (...argv: string[]) => parsedUcx('run', ['host', ...argv], FILES).options.runs;
const refusal = (...argv: string[]) => parsedUcx('refuse', ['host', ...argv], FILES);

describe('batch files of ucx_perftest', () => {
  it('are one test a line', () => {
    const tests = runs('-b', 'types', '-w', '1');
    expect(tests.map(({ labels }) => labels)).to.deep.equal([['lat'], ['bw']]);
    expect(tests.map(({ options }) => options.test)).to.deep.equal(['tag_lat', 'tag_bw']);
    expect(tests.map(({ options }) => options.warmup)).to.deep.equal([1, 1]);
  });

  it('multiply, the last changing fastest', () => {
    const labels = runs('-b', 'types', '-b', 'sizes', '-b', 'other').map((test) => test.labels.join('/'));
    expect(labels).to.deep.equal([
      ...['lat/s8/all', 'lat/s8/none', 'lat/big/all', 'lat/big/none'],
      ...['bw/s8/all', 'bw/s8/none', 'bw/big/all', 'bw/big/none'],
    ]);
  });

  it('win over the command line, and later ones over earlier ones', () => {
    const counts = (...argv: string[]): number[] => runs(...argv).map(({ options }) => options.iterations);
    expect(counts('-n', '9', '-b', 'types')).to.deep.equal([9, 7]);
    expect(counts('-b', 'types', '-n', '9')).to.deep.equal([9, 7]);
    expect(counts('-b', 'types', '-b', 'sizes', '-n', '9')).to.deep.equal([100, 9, 100, 7]);
    expect(counts('-b', 'sizes', '-b', 'types', '-t', 'tag_lat')).to.deep.equal([100, 7, 1000000, 7]);
  });

  it('mean the wakeup feature by -I, and -E sleep has it too', () => {
    const wakeups = (...argv: string[]): boolean[] => runs(...argv).map(({ options }) => options.wakeup);
    expect(wakeups('-b', 'types', '-b', 'sizes')).to.deep.equal([false, true, false, true]);
    expect(wakeups('-b', 'types', '-b', 'other')).to.deep.equal([true, false, true, false]);
    expect(parsedUcx('run', ['host', '-b', 'types', '-b', 'sizes'], FILES).options.extraInfo).to.be.false;
    expect(wakeups('-b', 'types', '-I')).to.deep.equal([false, false]);
  });

  it('are named without their folders', () => {
    const context = { ...FILES, readFile: () => 'a -t tag_lat\n' };
    const { options } = parsedUcx('run', ['-l', '-b', 'some/where/types', '-b', 'x'], context);
    expect(options.batchFiles).to.deep.equal(['types', 'x']);
    expect(options.testGiven).to.be.false;
  });

  it('may have a comment at the end of a line', () => expect(runs('-b', 'comment')[0]?.options.iterations).to.equal(3));

  it('are no matter of a server', () => {
    expect(parsedUcx('run', ['-b', 'sizes'], FILES).options.runs).to.be.empty;
    expect(parsedUcx('run', ['-b', 'types'], FILES).options.runs).to.have.length(2);
  });

  it('tell of a test that can not work, and keep the others', () => {
    const problems = runs('-b', 'mixed').map(({ problem }) => problem);
    expect(problems).to.deep.equal(['Buffer size 8 bigger than stride 4', undefined]);
  });

  const refusals: readonly (readonly [readonly string[], string])[] = [
    [['-b', 'missing'], "Failed to open batch file 'missing': No such file or directory"],
    [['-b', 'nothing'], "batch file 'nothing' holds no test"],
    [['-b', 'flag'], "in batch file 'flag' line 2: -f is no option of a batch file"],
    [['-b', 'word'], "in batch file 'word' line 1: stray: no option needs this"],
    [['-b', 'lone'], "in batch file 'lone' line 1: -t requires an argument"],
    [['-b', 'bad'], "in batch file 'bad' line 3: -R 200: "],
    [['-b', 'sizes'], "in batch file 'sizes' line 1: missing test name"],
    [['-b', 'sizes', '-b', 'other'], "in batch file 'sizes' line 1: missing test name"],
  ];
  for (const [argv, sentence] of refusals) {
    it(`are refused: ${argv.join(' ')}`, () => {
      const { exitCode, stderr } = refusal(...argv);
      expect(exitCode).to.equal(255);
      expect(stderr).to.satisfy((text: string) => text.startsWith(sentence));
    });
  }

  it('are not multiplied without end', () => {
    const many = { ...FILES, readFile: () => 'a -t tag_lat\n'.repeat(100) };
    const { exitCode, stderr } = parsedUcx('refuse', ['-l', '-b', 'a', '-b', 'a', '-b', 'a'], many);
    expect({ exitCode, stderr }).to.deep.equal({
      exitCode: 255,
      stderr: 'the batch files make 1000000 tests, which is more than 100000\n',
    });
  });
});

describe('batch files that come with fabricbench', () => {
  const names = readdirSync(join(projectRoot, FOLDER));
  const context = { ...CONTEXT, readFile: (name: string) => readBatchText(name, projectRoot) };
  const product = (...argv: string[]) => parsedUcx('run', ['host', ...argv], context).options.runs;

  it('are those that people know', () => {
    expect(names.sort()).to.deep.equal([
      ...['msg_pow2', 'msg_pow2_iov', 'msg_pow2_large', 'test_types_ucp', 'test_types_ucp_amo'],
      ...['test_types_ucp_rma', 'test_types_uct', 'transports'],
    ]);
  });

  it('are named in the help', () => {
    const { text } = parsedUcx('help', ['-h']);
    for (const name of names) expect(text.split(/[\s,]+/)).to.include(name);
  });

  for (const name of ['test_types_ucp', 'test_types_ucp_amo', 'test_types_ucp_rma']) {
    it(`${name} can be run as it is`, () => {
      for (const { problem, labels } of product('-b', name)) expect(problem, labels.join()).to.be.undefined;
    });
  }

  it('test_types_uct covers every call of UCT by every transport', () => {
    const tests = product('-b', 'transports', '-b', 'test_types_uct', '-d', 'mlx5_0:1');
    for (const { problem, labels } of tests) expect(problem, labels.join()).to.be.undefined;
    expect(new Set(tests.map(({ options }) => options.test)).size).to.equal(11);
    expect(new Set(tests.map(({ labels }) => labels.join('/'))).size).to.equal(tests.length);
  });

  it('those of sizes are powers of 2, in each form', () => {
    const total = (name: string): number[] =>
      product('-b', name, '-t', 'tag_bw').map(({ options }) => options.sizes.reduce((sum, size) => sum + size));
    const powers = (from: number, to: number): number[] =>
      Array.from({ length: to - from + 1 }, (_, index) => 2 ** (from + index));
    expect(total('msg_pow2')).to.deep.equal(powers(3, 21));
    expect(total('msg_pow2_iov')).to.deep.equal(powers(3, 21));
    expect(total('msg_pow2_large')).to.deep.equal(powers(22, 31));
  });

  it('are found from a folder below, and not by a path', () => {
    expect(readBatchText('transports', join(projectRoot, 'dist'))).to.include('-x posix');
    expect(() => readBatchText('./transports', projectRoot)).to.throw(/ENOENT/);
    expect(() => readBatchText('no_such_file', projectRoot)).to.throw(/ENOENT/);
  });
});
