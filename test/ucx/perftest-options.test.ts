/** Options of ucx_perftest that make a test another one: what of them shows, in one batch for each way to meet. */
import { assert } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { testFolder } from '../launch/folder.js';
import type { ResultRecord, RowRecord } from '../../src/results/types.js';
import { strictSchemaErrors } from '../unit/schema.js';
import { alone, both, EXIT, sentences } from './perftest.js';

interface Line {
  readonly options: string;
  /** What the record's row has of it. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly warmup?: number;
  /** A transport that carried it. */
  readonly over?: RegExp;
  /** Not with one process. */
  readonly onlyBoth?: boolean;
  /** -V can't look at it. */
  readonly unseen?: boolean;
}

const POSIX = '-x posix -d memory';
const TCP = '-x tcp -d lo';

const LINES: readonly Line[] = [
  { options: `-t am_lat ${POSIX} -D shortiov -s 16,48`, parameters: { sizes: [16, 48], size: 64, layout: 'shortiov' } },
  { options: `-t am_lat ${POSIX} -D bcopy -s 16:3 -i 64`, parameters: { sizes: [16, 16, 16], size: 48 } },
  { options: `-t am_lat ${TCP} -D zcopy -H 16 -s 64`, parameters: { layout: 'zcopy' }, over: /^tcp\/lo$/ },
  { options: `-t am_lat ${TCP} -D zcopy -H 0 -s 64`, parameters: { size: 64 } },
  { options: `-t am_bw ${POSIX} -W 1`, parameters: { outstanding: 1 } },
  { options: `-t am_bw ${POSIX} -W 3 -D bcopy -s 1000` },
  { options: `-t am_bw ${TCP} -D zcopy -O 7 -s 64`, parameters: { outstanding: 7 } },
  { options: `-t put_bw ${POSIX} -o`, over: /^posix\/memory$/ },
  { options: `-t get ${POSIX} -D bcopy -o` },
  { options: `-t put_lat ${POSIX} -B` },
  ...['thread_spinlock', 'thread_mutex', 'signal'].map((mode) => ({ options: `-t am_lat ${TCP} -A ${mode}` })),
  { options: '-t tag_bw -O 5', parameters: { outstanding: 5 } },
  { options: '-t tag_bw', parameters: { outstanding: 32, threads: 1 } },
  { options: '-t tag_lat -C' },
  { options: '-t tag_bw -C -s 65536' },
  { options: '-t tag_lat -U' },
  { options: '-t tag_sync_bw -U -s 65536' },
  { options: '-t stream_lat -r recv_data', unseen: true },
  { options: '-t stream_bw -r recv_data -s 65536', unseen: true },
  { options: '-t stream_bw -r recv' },
  // Endpoints that notice the end of their peer are not of shared memory.
  { options: '-t tag_lat -e', over: /^tcp\//, onlyBoth: true },
  { options: '-t ucp_am_bw -e', over: /^tcp\//, onlyBoth: true },
  ...['tag_lat', 'stream_lat', 'ucp_am_lat', 'ucp_put_lat'].map((test) => ({ options: `-t ${test} -E sleep` })),
  { options: '-t tag_lat -E poll' },
  { options: '-t tag_lat -I' },
  { options: '-t tag_bw -z -s 65536' },
  { options: '-t ucp_put_bw -z' },
  { options: '-t ucp_am_bw -y' },
  { options: '-t ucp_am_lat -y -s 65536' },
  { options: '-t ucp_am_lat -H 32', parameters: { size: 8 } },
  { options: '-t ucp_am_bw -H 32 -s 65536' },
  { options: '-t ucp_put_lat -B' },
  { options: '-t ucp_put_bw -o' },
  ...['single', 'serialized', 'multi'].map((mode) => ({ options: `-t tag_lat -M ${mode}` })),
  { options: '-t tag_lat -D iov -s 16,48', parameters: { datatypes: ['iov', 'contig'], sizes: [16, 48] } },
  { options: '-t tag_bw -D contig,iov -s 16,48', parameters: { datatypes: ['contig', 'iov'] } },
  { options: '-t stream_lat -D iov,iov -s 16,48 -i 64', parameters: { datatypes: ['iov', 'iov'], size: 64 } },
  // Pieces are of the side that calls: what arrives lies in one stretch, unless it is received in pieces.
  { options: '-t tag_bw -D iov -s 16:3 -i 64', parameters: { size: 48 } },
  { options: '-t tag_bw -s 16:3 -i 64', parameters: { size: 48 } },
  { options: '-t ucp_am_bw -D iov -s 16:3 -i 64' },
  { options: '-t ucp_put_lat -s 16:3 -i 64' },
  { options: `-t put_lat ${TCP} -D zcopy -s 16:3 -i 64` },
  { options: '-t get -x cma -d memory -D zcopy -s 16:3 -i 64' },
  { options: '-t put_bw -x cma -d memory -D zcopy -s 16:3 -i 64' },
  { options: `-t am_bw ${TCP} -D zcopy -s 16:3 -i 64` },
  ...['-t tag_lat', '-t tag_bw -M multi', '-t ucp_am_bw', '-t ucp_put_bw'].map((test) => ({
    ...{ options: `${test} -T 2`, parameters: { threads: 2 }, unseen: true },
  })),
  { options: '-t tag_lat -w 0', warmup: 0 },
  { options: '-t tag_lat -w 7', warmup: 7 },
  { options: '-t tag_lat -n 77', parameters: { size: 8 } },
  { options: '-t tag_lat -m host,host' },
];

function assertRow({ options, parameters = {}, warmup, over, unseen = false }: Line, row: RowRecord | undefined): void {
  assert.isDefined(row, `no row of ${options}`);
  if (!row) return;
  for (const [name, value] of Object.entries(parameters))
    assert.deepEqual(row.parameters[name], value as never, `${options}: ${name}`);
  assert.equal(row.n, Number(/-n (\d+)/.exec(options)?.[1] ?? 100), options);
  if (warmup !== undefined) assert.equal(row.warmup, warmup, options);
  if (over) assert.match(String((row.parameters['transports'] as string[])[0]), over, options);
  assert.deepEqual(row.validation, unseen ? undefined : { passed: true, wrongBytes: 0 }, options);
  for (const [name, { value }] of Object.entries(row.figures)) assert.isAbove(value ?? NaN, 0, `${options}: ${name}`);
}

for (const way of ['server and client', 'one process that talks to itself'] as const) {
  describe(`options of tests of ucx_perftest, with ${way}`, () => {
    const file = testFolder();
    const isBoth = way === 'server and client';
    const lines = LINES.filter(({ onlyBoth = false }) => isBoth || !onlyBoth);
    let record: ResultRecord | undefined;
    before(async () => {
      const [batch, json] = [file('lines'), file()];
      const text = lines.map(({ options, unseen = false }, index) => `line${index} ${options}${unseen ? '' : ' -V'}\n`);
      writeFileSync(batch, text.join(''));
      const args = ['-b', batch, '-n', '100', '-w', '10', '-f', '--json', json];
      const ended = isBoth ? (await both(args, { limit: 100 })).client : await alone(args, { limit: 100 });
      assert.deepEqual(sentences(ended.stderr), [], ended.report);
      assert.equal(ended.code, EXIT.done, ended.report);
      record = JSON.parse(readFileSync(json, 'utf8')) as ResultRecord;
    });

    for (const [index, line] of lines.entries()) it(line.options, () => assertRow(line, record?.rows[index]));

    it('writes a record as its schema says', () => {
      assert.deepEqual(strictSchemaErrors(record), []);
      assert.lengthOf(record?.rows ?? [], lines.length);
      assert.deepEqual(record?.status, { state: 'done' });
    });
  });
}

/** Each is refused alone, before anything is set up, and in a batch by both sides. */
const REFUSED: readonly (readonly [options: string, sentence: string])[] = [
  [`-t am_lat ${POSIX} -H 16`, 'Short AM header size must be 8 bytes'],
  [`-t am_lat ${TCP} -D zcopy -H 16`, 'AM header size (16) is larger than message size (8)'],
  [`-t am_lat ${POSIX} -D bcopy -s 64,64 -i 32`, 'Buffer size 64 bigger than stride 32'],
  [`-t am_bw ${POSIX} -o`, 'Active messages need a responder that makes progress: leave out -o'],
  [`-t am_lat ${POSIX} -T 2`, 'UCT tests do not support multi-thread mode'],
  [`-t am_lat ${POSIX} -s 0`, 'Message size too small, need to be at least 1'],
  [`-t fadd ${POSIX} -s 16`, 'posix/memory does not support atomic fetch-add for message size 16 bytes'],
  ['-t am_lat -x posix', 'A device must be specified with -d flag for UCT test'],
  ['-t am_lat -d memory', 'A transport must be specified with -x flag for UCT test'],
  ['-t stream_bw -s 0', 'Message size too small, need to be at least 1'],
  ['-t stream_lat -s 0', 'Message size too small, need to be at least 1'],
  ['-t ucp_put_bw -s 0', 'Message size too small, need to be at least 1'],
  ['-t ucp_get -s 0', 'Message size too small, need to be at least 1'],
  ['-t ucp_fadd -s 16', 'Atomic size should be either 32 or 64 bit'],
  ['-t ucp_put_lat -D iov -s 64,64', 'UCX puts and gets no pieces: give -D contig with -t ucp_put_lat'],
  ['-t ucp_put_bw -D iov', 'UCX puts and gets no pieces: give -D contig with -t ucp_put_bw'],
  ['-t ucp_get -D contig,iov', 'UCX puts and gets no pieces: give -D contig with -t ucp_get'],
  ['-t tag_lat -T 2 -V', '-V checks the data of one thread: leave out -T'],
  ['-t stream_bw -r recv_data -V', '-V sees nothing of data that -r recv_data leaves to UCX: leave out one of them'],
];

/** What only the transport tells. */
const LACKING: typeof REFUSED = [
  [`-t am_lat ${POSIX} -s 200`, 'Message size (200) is larger than max supported (100)'],
  [`-t put_bw ${TCP} -D zcopy -o`, 'tcp needs a responder that makes progress: leave out -o'],
  [`-t am_lat ${POSIX} -D bcopy -s 100000`, 'Message size (100000) is larger than max supported (8256)'],
];

describe('options of tests of ucx_perftest that are refused', () => {
  const file = testFolder();

  for (const [options, sentence] of [...REFUSED, ...LACKING]) {
    it(`${options}: ${sentence}`, async () => {
      const ended = await alone(options.split(' '));
      assert.equal(ended.code, EXIT.refused, ended.report);
      assert.deepEqual(ended.stderr.trimEnd().replace(/^ucx_perftest: /, ''), sentence);
      assert.notMatch(ended.stdout, /Final:/);
    });
  }

  it('-x and -d that this host lacks', async () => {
    const { client, server } = await both(['-t', 'am_lat', '-x', 'posix', '-d', 'eth99']);
    for (const side of [client, server]) {
      assert.equal(side.code, EXIT.refused, side.report);
      assert.match(sentences(side.stderr).join('\n'), /^Cannot use posix\/eth99: this host has .*posix\/memory/);
    }
  });

  it('memory that UCX lacks, with exit code 77', async () => {
    const ended = await alone(['-t', 'tag_lat', '-m', 'cuda']);
    assert.equal(ended.code, EXIT.notPossibleHere, ended.report);
    assert.match(sentences(ended.stderr).join('\n'), /^this UCX can't use memory of type cuda here: it has host/);
  });

  it('in a batch, each told on both sides while the others run', async () => {
    const batch = file('mixed');
    const all = [...REFUSED, ...LACKING];
    const lines = all.flatMap(([options], index) => [`bad${index} ${options}`, `good${index} -t put_lat ${POSIX}`]);
    writeFileSync(batch, `${lines.join('\n')}\n`);
    const { client, server } = await both(['-b', batch, '-n', '50', '-w', '0', '-f']);
    for (const side of [client, server]) {
      assert.equal(side.code, EXIT.refused, side.report);
      assert.deepEqual(
        sentences(side.stderr),
        all.map(([, sentence]) => sentence),
      );
    }
    assert.lengthOf(client.stdout.match(/^ *good\d+ +50 /gm) ?? [], all.length, client.report);
    assert.notMatch(client.stdout, /bad/);
  });
});
