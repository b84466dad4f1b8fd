/** What every test of ucx_perftest comes to over every transport, as UCX 1.13.1 has it on a machine without RDMA. */
import { assert } from 'chai';
import { csvRows, sentences } from './perftest.js';

export interface Cell {
  /** A word, by which its row is found. */
  readonly label: string;
  readonly test: string;
  /** Of a batch file. */
  readonly options: string;
  /** The refusal; null where it runs. */
  readonly refusal: string | null;
  /** Measured iterations. */
  readonly iterations: number;
}

/** Each iteration ends with a comparison of all bytes and two barriers, which take their time where cores are shared. */
const MANY = 300;
/** Of what is like another cell, but for its size. */
const FEW = 50;

export interface Transport {
  readonly name: string;
  readonly device: string;
  /** Layouts by the command that has them. */
  readonly am: readonly string[];
  readonly put: readonly string[];
  readonly get: readonly string[];
  readonly atomics: boolean;
}

const stores = {
  am: ['short', 'shortiov', 'bcopy'],
  put: ['short', 'bcopy'],
  get: ['bcopy'],
  atomics: true,
} as const;

export const TRANSPORTS: readonly Transport[] = [
  { name: 'self', device: 'memory0', ...stores },
  { name: 'posix', device: 'memory', ...stores },
  { name: 'sysv', device: 'memory', ...stores },
  { name: 'cma', device: 'memory', am: [], put: ['zcopy'], get: ['zcopy'], atomics: false },
  { name: 'tcp', device: 'lo', am: ['short', 'shortiov', 'bcopy', 'zcopy'], put: ['zcopy'], get: [], atomics: false },
];

const LAYOUTS = ['short', 'shortiov', 'bcopy', 'zcopy'];
const TRANSFERS = { am_lat: 'am', am_bw: 'am', put_lat: 'put', put_bw: 'put', get: 'get', get_bw: 'get' } as const;
const ATOMICS = { add_lat: 'add', add_mr: 'add', fadd: 'fetch-add', swap: 'swap', cswap: 'cswap' } as const;
export const UCT_TESTS = [...Object.keys(TRANSFERS), ...Object.keys(ATOMICS)];

/** Sizes as -s takes them, beside a word: what a layout is for. */
const LARGER = {
  am: { short: '64', shortiov: '16,48', bcopy: '4096', zcopy: '32768' },
  put: { short: '65536', shortiov: '16,48', bcopy: '65536', zcopy: '65536' },
  get: { short: '64', shortiov: '16,48', bcopy: '65536', zcopy: '65536' },
} as const;

const label = (...parts: readonly string[]): string => parts.join(':').replaceAll(',', '+');

function transferCells(transport: Transport, test: keyof typeof TRANSFERS): Cell[] {
  const command = TRANSFERS[test];
  const where = `${transport.name}/${transport.device}`;
  return LAYOUTS.flatMap((layout) =>
    ['8', LARGER[command][layout as keyof (typeof LARGER)['am']]].map((size, index) => {
      const options = `-t ${test} -D ${layout} -s ${size}`;
      const shown = layout === 'shortiov' ? 'short' : layout;
      const endless = `UCX puts no pieces of short messages: give -D short, bcopy or zcopy with -t ${test}`;
      const lacking = `${where} does not support operation ${command} ${shown}`;
      const refused = command === 'put' && layout === 'shortiov' && transport.put.includes('short') ? endless : lacking;
      const refusal = transport[command].includes(layout) ? null : refused;
      return { label: label(test, layout, size), test, options, refusal, iterations: index === 0 ? MANY : FEW };
    }),
  );
}

/** Atomics have no layout: any is taken. */
function atomicCells({ name, device, atomics }: Transport, test: keyof typeof ATOMICS): Cell[] {
  return LAYOUTS.map((layout, index) => {
    const size = index % 2 === 0 ? 8 : 4;
    const lacking = `${name}/${device} does not support required ${8 * size}-bit atomic: ${ATOMICS[test]}`;
    const options = `-t ${test} -D ${layout} -s ${size}`;
    const iterations = index < 2 ? MANY : FEW;
    return { label: label(test, layout, String(size)), test, options, refusal: atomics ? null : lacking, iterations };
  });
}

/** All tests of UCT over one transport; `itself` where one process has both ends, which alone `self` can reach. */
export function uctCells(transport: Transport, itself: boolean): readonly Cell[] {
  const cells = [
    ...Object.keys(TRANSFERS).flatMap((test) => transferCells(transport, test as keyof typeof TRANSFERS)),
    ...Object.keys(ATOMICS).flatMap((test) => atomicCells(transport, test as keyof typeof ATOMICS)),
  ];
  if (itself || transport.name !== 'self') return cells;
  const unreachable = 'Failed to setup endpoints over self/memory0: Destination is unreachable';
  return cells.map((cell) => ({ ...cell, refusal: cell.refusal ?? unreachable }));
}

const UCP_SIZES: Readonly<Record<string, readonly number[]>> = {
  ...Object.fromEntries(
    ['tag_lat', 'tag_bw', 'tag_sync_lat', 'tag_sync_bw', 'ucp_am_lat', 'ucp_am_bw'].map((test) => [
      test,
      [0, 8, 65536],
    ]),
  ),
  ...Object.fromEntries(
    ['ucp_put_lat', 'ucp_put_bw', 'ucp_get', 'stream_bw', 'stream_lat'].map((test) => [test, [8, 65536]]),
  ),
  ...Object.fromEntries(['ucp_add', 'ucp_fadd', 'ucp_swap', 'ucp_cswap'].map((test) => [test, [4, 8]])),
};
export const UCP_TESTS = Object.keys(UCP_SIZES);

/** All tests of UCP run over any transports that UCX_TLS may choose. */
export function ucpCells(): readonly Cell[] {
  return Object.entries(UCP_SIZES).flatMap(([test, sizes]) =>
    sizes.map((size) => ({
      ...{ label: label(test, String(size)), test, refusal: null, iterations: size <= 8 && size > 0 ? MANY : FEW },
      options: `-t ${test} -s ${size}`,
    })),
  );
}

export function batchText(cells: readonly Cell[]): string {
  return cells.map(({ label: word, options, iterations }) => `${word} ${options} -n ${iterations}\n`).join('');
}

/** What became of the cells of a batch: a row for each that ran, in CSV, and a sentence for each that was refused. */
export class Outcomes {
  readonly #rows: readonly Record<string, string>[];
  readonly #refusals: readonly string[];

  constructor(
    private readonly cells: readonly Cell[],
    { stdout, stderr, report }: { readonly stdout: string; readonly stderr: string; readonly report: string },
  ) {
    this.#rows = csvRows(stdout);
    this.#refusals = sentences(stderr);
    const ran = cells.filter(({ refusal }) => refusal === null).length;
    assert.lengthOf(this.#rows, ran, report);
    assert.lengthOf(this.#refusals, cells.length - ran, report);
  }

  /** Fails unless all cells of a test came to what they should. */
  check(test: string): void {
    const refused = this.cells.filter(({ refusal }) => refusal !== null);
    const own = this.cells.filter((cell) => cell.test === test);
    assert.isNotEmpty(own);
    for (const cell of own) {
      if (cell.refusal !== null) assert.equal(this.#refusals[refused.indexOf(cell)], cell.refusal, cell.options);
      else this.#checkRow(cell);
    }
  }

  #checkRow({ label: word, options, iterations }: Cell): void {
    const row = this.#rows.find((one) => Object.values(one)[0] === word);
    assert.isDefined(row, `no row of ${options}`);
    if (!row) return;
    assert.equal(Number(row['iterations']), iterations, options);
    for (const name of ['50.0_percentile_lat', 'overall_lat', 'overall_mr', 'overall_bw']) {
      const value = Number(row[name] || NaN);
      assert.isTrue(Number.isFinite(value), `${options}: ${name} is ${row[name]}`);
      // Bandwidths of words are 0.00 MB/s where a busy machine takes its time.
      if (name !== 'overall_bw') assert.isAbove(value, 0, `${options}: ${name}`);
    }
  }
}
