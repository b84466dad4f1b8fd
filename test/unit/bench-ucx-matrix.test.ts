/** scripts/bench/ucx: the cells, what a run came to, and what is said of it. */
import { expect } from 'chai';
import { bench } from './bench.js';

interface Figures {
  readonly iterations: number;
  readonly p50: number;
  readonly overall: number;
  readonly bandwidth: number;
  readonly rate: number;
}
interface Outcome {
  readonly kind: string;
  readonly figures?: Figures;
  readonly sentences?: readonly string[];
  readonly about?: string;
}
interface Row {
  readonly name?: string;
  readonly unit?: string;
  readonly verdict: string;
  readonly figure?: { readonly median: number };
}
interface Cell {
  readonly id: string;
  readonly size: number;
  readonly peerHangs: boolean;
  readonly latency: boolean;
  readonly pingPong: boolean;
  readonly rated: boolean;
}

const { outcomeOf, compareReasons } = await bench<{
  outcomeOf: (ended: object, asked: number) => Outcome;
  compareReasons: (ours: readonly string[], theirs: readonly string[]) => string;
}>('ucx/outcome');
const { judgeMeasured, asBound, words } = await bench<{
  judgeMeasured: (measured: object) => readonly Row[];
  asBound: (verdict: string) => string;
  words: Readonly<Record<string, string>>;
}>('ucx/verdict');
const { matrix, SIZES } = await bench<{
  matrix: (sizes: readonly number[], wanted?: (cell: Cell) => boolean) => readonly (readonly Cell[])[];
  SIZES: readonly number[];
}>('ucx/cells');
const { verdicts, exitCode } = await bench<{
  verdicts: Readonly<Record<string, string>>;
  exitCode: (all: readonly string[]) => number;
}>('statistics');

const HEAD = 'iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr\n';
const ended = { code: 0, signal: null, stdout: '', stderr: '' };
const refusal = (sentences: readonly string[]): string =>
  sentences.map((text) => `[1796062416.149284] [vm:12307:0]   libperf.c:519  UCX  ERROR ${text}\n`).join('');
const NO_GET = 'posix/memory does not support operation get short';
const NO_TEST = 'Failed to run test: Unsupported operation';

describe('the outcome of a run of ucx_perftest', () => {
  it('is the last row of CSV', () => {
    const rows = '[thread 0] 900,3.0,3.1,3.1,1.00,1.00,900,900\n100000,0.269,1.145,1.146,6.66,6.65,873289,872600\n';
    const { kind, figures } = outcomeOf({ ...ended, stdout: HEAD + rows }, 100000);
    expect(kind).to.equal('figures');
    expect(figures).to.include({ iterations: 100000, p50: 0.269, bandwidth: 6.65, rate: 872600 });
  });

  it('takes the digits that three decimals lack from the rate, where both say the same', () => {
    const overall = (row: string): number | undefined =>
      outcomeOf({ ...ended, stdout: `${HEAD}1000,0.010,0.009,${row}\n` }, 1000).figures?.overall;
    expect(overall('0.009,1.00,1.00,110000000,110000000')).to.equal(1e6 / 110000000);
    expect(overall('0.009,1.00,1.00,55000000,55000000')).to.equal(0.009);
  });

  it('counts the one message more of a stream, and no other', () => {
    const run = (asked: number): Outcome =>
      outcomeOf({ ...ended, stdout: `${HEAD}1001,0.1,0.1,0.1,1.00,1.00,10000000,10000000\n` }, asked);
    expect(run(1000).kind).to.equal('figures');
    expect(run(1001).kind).to.equal('figures');
    expect(run(2000)).to.deep.equal({ kind: 'failed', about: 'counted 1001 iterations, not 2000' });
  });

  it('is a refusal with the sentences of either program, each once', () => {
    const theirs = outcomeOf({ ...ended, code: 255, stdout: HEAD + refusal([NO_GET, NO_GET, NO_TEST]) }, 1);
    expect(theirs).to.deep.equal({ kind: 'refused', sentences: [NO_GET, NO_TEST] });
    const ours = outcomeOf({ ...ended, code: 255, stderr: `a note\nucx_perftest: ${NO_GET}\n` }, 1);
    expect(ours).to.deep.equal({ kind: 'refused', sentences: [NO_GET] });
  });

  const row = '10,0.492,0.596,0.596,12.80,12.80,1677722,1677722\n';
  const failures = {
    'a signal': { ...ended, code: null, signal: 'SIGSEGV' },
    'a code without a reason': { ...ended, code: 1, stderr: 'a stack\n' },
    'no figures': { ...ended, stdout: HEAD },
    'figures beside an error': { ...ended, stdout: refusal(['Failed to send: Invalid parameter']) + row },
  };
  for (const [what, end] of Object.entries(failures)) {
    it(`is a failure for ${what}`, () => expect(outcomeOf(end, 10).kind).to.equal('failed'));
  }

  it('is a hang whatever was printed before', () => {
    expect(outcomeOf({ hung: 'the client did not end within 15 s' }, 10)).to.deep.equal({
      kind: 'hung',
      about: 'the client did not end within 15 s',
    });
  });
});

describe('the reason of a refusal', () => {
  const theirs = [NO_GET, NO_TEST];
  it('is the same, general or another', () => {
    expect(compareReasons([`Posix/memory  does not support operation get short: try -D bcopy`], theirs)).to.equal(
      'same',
    );
    expect(compareReasons(['The test can not run: Unsupported operation'], theirs)).to.equal('general');
    expect(compareReasons(['Destination is unreachable'], theirs)).to.equal('other');
  });
});

const figures = (p50: number, overall: number): Figures => ({
  ...{ iterations: 1000, p50, overall, bandwidth: 1, rate: 1e6 / overall },
});
const ran: Outcome = { kind: 'figures', figures: figures(1, 1) };
const STREAM = { id: 'x', latency: false, rated: false };
const LATENCY = { id: 'x', latency: true, rated: false };

/** 8 pairs in which the peer takes `base` and ours `factor` times that. */
function pairsOf(base: Figures, factor: number, spread = 0): object[] {
  return Array.from({ length: 8 }, (_, n) => ({
    subject: figures(base.p50 * factor, base.overall * factor),
    base,
    control: figures(base.p50, base.overall * (1 + (n - 3.5) * spread)),
  }));
}

describe('the verdict over a cell of the matrix', () => {
  const judged = (cell: object, pairs: object[]): string[] =>
    judgeMeasured({ cell, base: ran, subject: ran, pairs }).map(({ name, verdict }) => `${name}: ${verdict}`);

  it('takes p50 of latencies from 0.2 us on, and the whole run else', () => {
    expect(judged(LATENCY, pairsOf(figures(0.2, 0.5), 1.04))).to.deep.equal(['p50 (us): met']);
    expect(judged(LATENCY, pairsOf(figures(0.19, 0.5), 1.06))).to.deep.equal(['overall (us): MISSED']);
    expect(judged(STREAM, pairsOf(figures(3, 5), 1.06))).to.deep.equal(['overall (us): MISSED']);
  });

  it('wants 97 % of the rate', () => {
    const rated = { ...STREAM, rated: true };
    expect(judged(rated, pairsOf(figures(1, 1), 1.04))).to.deep.equal(['overall (us): met', 'rate (1/s): MISSED']);
    expect(judged(rated, pairsOf(figures(1, 1), 1.02))).to.deep.equal(['overall (us): met', 'rate (1/s): met']);
  });

  it('allows 2 ns more where the peer takes less than 20 ns', () => {
    const [row] = judgeMeasured({ cell: STREAM, base: ran, subject: ran, pairs: pairsOf(figures(0.01, 0.01), 1.19) });
    expect(row).to.include({ unit: 'ns', verdict: verdicts['met'] });
    expect(row?.figure?.median).to.be.closeTo(1.9, 1e-9);
    expect(judged(STREAM, pairsOf(figures(0.01, 0.01), 1.21))).to.deep.equal(['overall (us): MISSED']);
  });

  it('says nothing where the control is too wide, or the pairs are too few', () => {
    expect(judged(STREAM, pairsOf(figures(1, 1), 1, 0.02))).to.deep.equal(['overall (us): TOO NOISY TO TELL']);
    expect(judged(STREAM, pairsOf(figures(1, 1), 1).slice(0, 5))).to.deep.equal(['overall (us): TOO NOISY TO TELL']);
  });

  const hung: Outcome = { kind: 'hung', about: 'late' };
  const failed: Outcome = { kind: 'failed', about: 'SIGSEGV' };
  const refused: Outcome = { kind: 'refused', sentences: [NO_GET, NO_TEST] };
  const other: Outcome = { kind: 'refused', sentences: ['Destination is unreachable'] };
  const ends: readonly (readonly [base: Outcome | undefined, subject: Outcome, word: string, code: number])[] = [
    [ran, hung, 'hang', 1],
    [refused, hung, 'hang', 1],
    [undefined, hung, 'hang', 1],
    [ran, failed, 'failed', 1],
    [refused, failed, 'failed', 1],
    [ran, refused, 'refused', 1],
    [refused, ran, 'runs', 1],
    [refused, other, 'otherwise', 1],
    [refused, { kind: 'refused', sentences: [NO_TEST] }, 'general', 0],
    [refused, refused, 'alike', 0],
    [undefined, refused, 'alone', 0],
    [hung, ran, 'alone', 0],
    [failed, refused, 'alone', 0],
    [ran, ran, 'peer', 3],
  ];
  for (const [base, subject, word, code] of ends) {
    it(`is "${words[word]}" where ours ${subject.kind} and the peer ${base?.kind ?? 'is not asked'}`, () => {
      const [row] = judgeMeasured({ cell: STREAM, base, subject, pairs: [] });
      expect(row?.verdict).to.equal(words[word]);
      expect(exitCode([asBound(row?.verdict ?? '')])).to.equal(code);
    });
  }
});

describe('the matrix', () => {
  it('has every test over every transport, and atomics at 8 bytes alone', () => {
    const rows = matrix(SIZES);
    expect(rows).to.have.length(6 * 4 * 10 + 4 * 15);
    expect(new Set(rows.flat().map(({ id }) => id)).size).to.equal(rows.flat().length);
    for (const [first, ...more] of rows) expect(more).to.have.length(/add|swap/.test(first?.id ?? '') ? 0 : 4);
  });

  it('knows where the peer hangs', () => {
    const ids = matrix([8], ({ peerHangs }) => peerHangs).map(([cell]) => cell?.id);
    const puts = ['posix/memory', 'sysv/memory', 'self/memory0 -l', 'posix/memory -l'].flatMap((where) =>
      ['put_lat', 'put_bw'].map((test) => `${where} shortiov ${test} 8`),
    );
    expect(ids).to.deep.equal([...puts, 'UCX_TLS=tcp ucp_get 8']);
  });

  it('knows what a test measures', () => {
    const [[cell] = []] = matrix([8], ({ id }) => id === 'UCX_TLS=sysv ucp_cswap 8');
    expect(cell).to.include({ latency: true, pingPong: false, rated: false });
    const [[stream] = []] = matrix([8], ({ id }) => id === 'UCX_TLS=sysv tag_bw 8');
    expect(stream).to.include({ latency: false, pingPong: false, rated: true });
    const [[add] = []] = matrix([8], ({ id }) => id === 'tcp/lo short add_lat 8');
    expect(add).to.include({ latency: true, pingPong: true, rated: false });
  });
});
