/** Counters without PAPI: what is refused and how, sums over spans, who opens them, how they are shown. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { counterRecords, openTogether } from '../../src/bench/counters.js';
import { NOT_POSSIBLE_HERE, Refusal, WRONG_USE } from '../../src/bench/plan.js';
import { LoadError } from '../../src/engine/errors.js';
import { CountersError, CounterTotals, openCounters, type Counters } from '../../src/papi/index.js';
import type { NativePapi, PapiFailure } from '../../src/papi/native.js';
import { loopbackRendezvous } from '../../src/rendezvous/loopback.js';
import type { Rendezvous } from '../../src/rendezvous/types.js';
import { COUNTERS_TARGET, CountersReporter } from '../../src/report/counters.js';
import { checkWritable, RecordError } from '../../src/report/record-target.js';
import { MemorySink } from '../../src/report/sink.js';
import type { RowRecord, StatusRecord } from '../../src/results/types.js';
import { withFolder } from './project.js';
import { exampleRow } from './records.js';

const PERMISSION = -15;

/** A PAPI whose counts grow by 10, 20, ... with each reading, or that refuses. */
function fakePapi({ failure = null, unreadable = false }: { failure?: PapiFailure | null; unreadable?: boolean } = {}) {
  const seen = { opened: [] as (readonly string[])[], closed: 0, readings: 0 };
  class Events {
    readonly failure = failure;
    constructor(names: readonly string[]) {
      seen.opened.push(names);
    }
    read(values: Float64Array): string | null {
      seen.readings += 1;
      values.set(values.map((_, index) => 1000 + 10 * (index + 1) * seen.readings));
      return unreadable ? 'Out of order' : null;
    }
    close(): void {
      seen.closed += 1;
    }
  }
  const native: NativePapi = { Events, permission: PERMISSION };
  return { load: () => native, seen };
}

const failure = (changes: Partial<PapiFailure>): PapiFailure => ({
  ...{ step: 'event', code: -7, text: 'Event does not exist', event: 'B', known: false, component: '', disabled: '' },
  ...changes,
});

describe('counters', () => {
  it('tell what was counted between start and stop', () => {
    const { load, seen } = fakePapi();
    const counters = openCounters(['PAPI_TOT_CYC', 'PAPI_TOT_INS'], load);
    expect(seen.opened).to.deep.equal([['PAPI_TOT_CYC', 'PAPI_TOT_INS']]);
    for (let span = 0; span < 2; ++span) {
      counters.start();
      expect(counters.stop()).to.deep.equal([
        { name: 'PAPI_TOT_CYC', value: 10 },
        { name: 'PAPI_TOT_INS', value: 20 },
      ]);
    }
    counters.close();
    expect(seen).to.deep.include({ closed: 1, readings: 4 });
  });

  it('are summed over spans', () => {
    const { load } = fakePapi();
    const totals = new CounterTotals(openCounters(['A', 'B'], load));
    expect([1, 2, 3].map((value) => totals.during(() => value * value))).to.deep.equal([1, 4, 9]);
    expect(totals.values).to.deep.equal([
      { name: 'A', value: 30 },
      { name: 'B', value: 60 },
    ]);
    expect(() => totals.during(() => { throw new Error('a failed call'); })).to.throw('a failed call'); // prettier-ignore
    const nothing = new CounterTotals(undefined);
    expect([nothing.during(() => 'done'), nothing.values]).to.deep.equal(['done', undefined]);
  });

  const refusals: [string, Partial<PapiFailure>, CountersError['reason'], RegExp][] = [
    [
      'a library that does not start',
      { step: 'library', text: 'it is version 5.7, and another one was there when it was built', event: '' },
      'not-here',
      /^PAPI can't be started \(it is version 5\.7, and .* built\): run with the PAPI .*, or build it again with npm run build$/,
    ],
    ['an event that is none', {}, 'wrong-use', /^PAPI knows no event B: papi_avail and papi_native_avail list/],
    ['an event not counted here', { known: true }, 'not-here', /^this machine can't count B \(PAPI says: Event does not exist\), as is usual in virtual machines/], // prettier-ignore
    [
      'a component that does not work',
      { component: 'infiniband', disabled: 'No infiniband devices found.' },
      'not-here',
      /^this machine can't count B, because PAPI's component infiniband doesn't work here \(No infiniband devices found\): leave it out$/,
    ],
    [
      'what the kernel forbids',
      { code: PERMISSION, known: true, disabled: '' },
      'not-here',
      /^the kernel forbids to count B \(\/proc\/sys\/kernel\/perf_event_paranoid holds \S+\): have it set to 2 or below, or run with CAP_PERFMON$/,
    ],
    ['events that do not fit together', { step: 'together', text: 'Conflict' }, 'wrong-use', /^B can't be counted together with A \(Conflict\): name fewer events$/], // prettier-ignore
    ['counters in use', { step: 'start', event: '', text: 'Busy' }, 'not-here', /^the counters of A, B, C can't be started \(Busy\): end other programs/], // prettier-ignore
  ];
  for (const [what, changes, reason, sentence] of refusals) {
    it(`refuse ${what}`, () => {
      const { load } = fakePapi({ failure: failure(changes) });
      expect(() => openCounters(['A', 'B', 'C'], load))
        .to.throw(CountersError, sentence)
        .with.property('reason', reason);
    });
  }

  it('refuse no events, and one named twice, before PAPI is loaded', () => {
    const load = () => expect.fail('loaded');
    expect(() => openCounters([], load)).to.throw(CountersError, 'there is no event to count: name one');
    expect(() => openCounters(['A', 'B', 'A'], load)).to.throw(CountersError, 'A is named twice: name each event once');
  });

  it('that can not be read say so', () => {
    const counters = openCounters(['A', 'B'], fakePapi({ unreadable: true }).load);
    const sentence = "the counters of A, B can't be read (Out of order): name fewer events";
    expect(() => counters.start()).to.throw(CountersError, sentence);
    expect(() => counters.stop()).to.throw(CountersError, sentence);
  });
});

describe('counters of all ranks', () => {
  const open = (fake: ReturnType<typeof fakePapi>) => (events: readonly string[]) => openCounters(events, fake.load);
  /** Ranks of which others than this one say `theirs`. */
  const among = (rank: number, theirs: unknown): Rendezvous => ({
    ...loopbackRendezvous(3, rank),
    allgather: <T>(value: T): T[] => [0, 1, 2].map((other) => (other === rank ? value : (theirs as T))),
  });
  const refused = (run: () => Counters): [message: string, exitCode: number] => {
    try {
      run();
    } catch (error) {
      if (error instanceof Refusal) return [error.message, error.exitCode];
      throw error;
    }
    return expect.fail('not refused');
  };

  it('are open on all', () => {
    const fake = fakePapi();
    openTogether(among(1, null), ['A'], open(fake)).start();
    expect(fake.seen).to.deep.include({ opened: [['A']], closed: 0, readings: 1 });
  });

  it('are refused in one sentence, with the exit code that fits', () => {
    const refusing = (changes: Partial<PapiFailure>) => open(fakePapi({ failure: failure(changes) }));
    const ranks = loopbackRendezvous(3);
    const [unknown, code] = refused(() => openTogether(ranks, ['A', 'B'], refusing({})));
    expect([unknown, code]).to.deep.equal([
      '-P: PAPI knows no event B: papi_avail and papi_native_avail list those there are',
      WRONG_USE,
    ]);
    expect(refused(() => openTogether(ranks, ['A', 'B'], refusing({ known: true })))[1]).to.equal(NOT_POSSIBLE_HERE);
    const unbuilt = () => { throw new LoadError('papi.node is not built: install PAPI', 'papi', 'not-built'); }; // prettier-ignore
    const missing = refused(() => openTogether(ranks, ['A'], unbuilt));
    expect(missing).to.deep.equal(['-P: papi.node is not built: install PAPI', NOT_POSSIBLE_HERE]);
    expect(() => openTogether(ranks, ['A'], () => { throw new Error('a bug'); })).to.throw('a bug'); // prettier-ignore
  });

  it('are given back where another rank can not count', () => {
    const fake = fakePapi();
    const theirs = { message: 'the kernel forbids it', exitCode: NOT_POSSIBLE_HERE };
    const said = refused(() => openTogether(among(0, theirs), ['A'], open(fake)));
    expect(said).to.deep.equal(['-P: rank 1: the kernel forbids it', NOT_POSSIBLE_HERE]);
    expect(fake.seen.closed).to.equal(1);
  });

  it('make the record of a row', () => {
    const values = [{ name: 'A', value: 1 }, { name: 'B', value: 2 }]; // prettier-ignore
    expect(counterRecords([values, undefined, values])).to.deep.equal([
      { rank: 0, values: { A: 1, B: 2 } },
      { rank: 2, values: { A: 1, B: 2 } },
    ]);
    expect(counterRecords([undefined])).to.deep.equal([]);
  });
});

describe('the table of counters', () => {
  const LONG = 'perf::A-NAME-OF-MORE-THAN-EIGHTEEN-CHARACTERS';
  const DONE: StatusRecord = { state: 'done' };

  function counted(size: number | null, window: number, rank0: number): RowRecord {
    const counters = [
      { rank: 0, values: { PAPI_TOT_INS: rank0, [LONG]: 0 } },
      { rank: 1, values: { PAPI_TOT_INS: 12345678901 } },
    ];
    return { ...exampleRow(1), parameters: { size, window }, counters };
  }

  function table(rows: readonly RowRecord[], file?: string, status = DONE, datatype?: string): string {
    const sink = new MemorySink();
    const reporter = new CountersReporter({ file, sink });
    reporter.begin();
    if (datatype !== undefined) reporter.section({ datatype });
    for (const row of rows) reporter.row(row);
    reporter.end(status);
    reporter.end(status);
    return sink.text;
  }

  it('has a line for each row and rank, all comments', () => {
    expect(table([counted(1, 64, 5), counted(4194304, 64, 6)], undefined, DONE, 'MPI_CHAR')).to.equal(
      [
        '# Counters of each rank, summed over the measured iterations of each row',
        '# Datatype: MPI_CHAR.',
        `# Size          Rank      PAPI_TOT_INS ${LONG}`,
        `# 1                0                 5 ${'0'.padStart(LONG.length)}`,
        `# 1                1       12345678901 ${'-'.padStart(LONG.length)}`,
        `# 4194304          0                 6 ${'0'.padStart(LONG.length)}`,
        `# 4194304          1       12345678901 ${'-'.padStart(LONG.length)}`,
        '',
      ].join('\n'),
    );
  });

  it('names what else varies, and rows without a size', () => {
    const text = table([counted(null, 1, 5), counted(null, 2, 6)]);
    expect(text.split('\n').slice(1, 3).map((line) => line.slice(0, 57))).to.deep.equal([
      '# Size                window      Rank      PAPI_TOT_INS ',
      '# -                        1         0                 5 ',
    ]); // prettier-ignore
  });

  it('is none where nothing was counted, and after wrong data', () => {
    expect(table([exampleRow(1)])).to.equal('');
    expect(table([counted(1, 1, 1)], undefined, { state: 'failed', message: 'wrong' })).to.equal('');
  });

  it('goes to a file where one was named, after failures too', () => {
    withFolder((folder) => {
      const file = join(folder, 'counters.txt');
      expect(checkWritable(file, COUNTERS_TARGET)).to.be.undefined;
      expect(table([counted(1, 1, 1)], file, { state: 'failed', message: 'wrong' })).to.equal('');
      expect(readFileSync(file, 'utf8')).to.match(/^(# .*\n){4}$/);
      const nowhere = join(folder, 'nowhere', 'file');
      const sentence = `The table of counters can't be written to ${nowhere}: there is no folder ${join(folder, 'nowhere')}; create it.`;
      expect(checkWritable(nowhere, COUNTERS_TARGET)).to.equal(sentence);
      expect(() => table([counted(1, 1, 1)], nowhere)).to.throw(RecordError, sentence);
    });
    expect(table([counted(1, 1, 1)], '-')).to.match(/^(# .*\n){4}$/);
  });
});
