/**
 * Options of the ib_* programs between a server and a client process on real verbs, several of them in one run where they
 * don't meet. What stock perftest prints for the same is compared in ib-options-stock.test.ts. Runs in the Soft-RoCE machine.
 */
import { assert } from 'chai';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResultRecord } from '../../src/results/types.js';
import { ADDRESS, ran, rowsOf, runSides, type Sides } from './ib-options-sides.js';
import type { Running } from './processes.js';

let folder = '';
before(() => (folder = mkdtempSync(join(tmpdir(), 'ib-options-'))));
after(() => {
  rmSync(folder, { recursive: true, force: true });
});

const fileOf = (name: string): string => join(folder, name);
const jsonOf = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const recordOf = (file: string): ResultRecord => jsonOf(file) as ResultRecord;
const last = <T>(values: readonly T[]): T | undefined => values.at(-1);
const numberAt = (sides: Sides, column: number): number => Number(last(rowsOf(sides.client))?.[column]);
const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;
/** Columns of a bandwidth row. */
const [AVERAGE, RATE] = [3, 4];

describe('sizes and records of ib_*', () => {
  const POWERS = Array.from({ length: 23 }, (_, power) => String(2 ** (power + 1)));

  it('-a of a latency test has all rows in the text, in --out_json and in --json, with --stats and --samples', async () => {
    const [out, record] = [fileOf('out.json'), fileOf('record.json')];
    const own = ['--out_json', '--out_json_file', out, '--json', record, '--samples'];
    const sides = await ran('ib_send_lat', '-a -n 6 --stats', { client: own, rows: 23 });
    const { results } = jsonOf(out) as { results: { MsgSize: number }[] };
    assert.deepEqual(
      rowsOf(sides.client).map(([size]) => size),
      POWERS,
      sides.report,
    );
    assert.deepEqual(
      results.map(({ MsgSize }) => String(MsgSize)),
      POWERS,
    );
    const { rows, status } = recordOf(record);
    assert.deepEqual(
      rows.map(({ parameters }) => String(parameters['size'])),
      POWERS,
    );
    assert.equal(status.state, 'done');
    for (const row of rows) assert.deepEqual([row.statistics?.n, row.samples?.[0]?.seconds.length], [5, 5]);
    for (const side of [sides.client, sides.server])
      assert.equal(count(side.stdout, /^Samples: +min [\d.]+, median .*, n 5 \(usec\)$/gm), 23, sides.report);
  });

  it('-a of a bandwidth test, with several queue pairs and a peak or none', async () => {
    const out = fileOf('bw.json');
    const own = ['--out_json', '--out_json_file', out];
    const sides = await ran('ib_write_bw', '-a -n 5 -q 2', { client: own, rows: 23 });
    const { results } = jsonOf(out) as { results: { n_iterations: number; BW_average: number }[] };
    assert.lengthOf(results, 23, sides.report);
    for (const result of results) {
      assert.equal(result.n_iterations, 10);
      assert.isAbove(result.BW_average, 0);
    }
  });

  it('--sizes, -q, -l, -t and -Q together', async () => {
    const sides = await ran('ib_write_bw', '--sizes 2,64,20000 -q 4 -l 16 -t 32 -Q 8 -n 32', { rows: 3 });
    const [sizes, iterations] = [0, 1].map((column) => rowsOf(sides.client).map((cells) => cells[column]));
    assert.deepEqual(
      [sizes, iterations],
      [
        ['2', '64', '20000'],
        ['128', '128', '128'],
      ],
      sides.report,
    );
    for (const line of [
      ' Number of qps   : 4',
      ' TX depth        : 32',
      ' Post List       : 16',
      ' CQ Moderation   : 8',
    ])
      assert.include(sides.client.stdout, line);
  });

  it('-b, --report-both, -r and --recv_post_list together', async () => {
    const sides = await runSides('ib_send_bw', '--sizes 8,100 -b --report-both -r 16 --recv_post_list 8 -n 64');
    assert.deepEqual([sides.server.code, sides.client.code], [0, 0], sides.report);
    // Of the last size, once more in each direction.
    assert.lengthOf(rowsOf(sides.client), 4, sides.report);
    const [, sum = [], local = [], remote = []] = rowsOf(sides.client).map((cells) => cells.map(Number));
    assert.closeTo(sum[AVERAGE] ?? NaN, (local[AVERAGE] ?? NaN) + (remote[AVERAGE] ?? NaN), 0.02, sides.report);
  });
});

describe('options of ib_* that choose what is measured', () => {
  const plain: readonly (readonly [name: string, line: string])[] = [
    ['ib_write_lat', '-D 1 -f 0.2 --stats --report-cycles'],
    ['ib_send_lat', '-D 1 -f 0.2 -c UD -I 16 -s 16'],
    ['ib_send_bw', '-D 1 -f 0.2 -s 100 --cpu_util --report_gbits -c UC'],
    ['ib_atomic_lat', '-D 1 -f 0.2 -A CMP_AND_SWAP -o 4'],
    ['ib_write_lat', '-n 50 --write_with_imm --data_validation -c UC'],
    ['ib_send_lat', '-n 50 --send_with_imm --data_validation --retry_count 3 --bind_source_ip 10.9.0.1'],
    ['ib_write_bw', '-n 64 -s 100 --mr_per_qp -q 2 --data_validation --tclass 32 --flow_label 5,9 -S 3'],
    ['ib_send_bw', '-n 64 -s 100 -q 2 --use-srq -r 8 --data_validation -e'],
    ['ib_send_bw', '-n 100 -s 100 -R -T 32 -u 18 --use_old_post_send'],
    ['ib_read_bw', '-n 64 -s 100 -z -o 4 -m 1024 -x 0 -w 0.0001 -y 0.0000001'],
    ['ib_atomic_bw', '-n 64 -b -A CMP_AND_SWAP --report_gbits --perform_warm_up -Q 4'],
    ['ib_send_bw', '-n 64 -s 100 --reversed --wait_destroy 1 --watchdog 30'],
    ['ib_write_lat', '-n 20 -H -C --perform_warm_up --latency_gap 50 --ipv6-addr'],
  ];
  for (const [name, line] of plain)
    it(`${name} ${line}`, async () => {
      const address = line.includes('--ipv6-addr') ? '::1' : ADDRESS;
      await ran(name, line, { address });
    });

  it('--perform_warm_up with -Q above 1, where the peer hangs', async () => {
    const sides = await ran('ib_write_bw', '-n 100 -s 64 -t 32 --perform_warm_up -Q 7');
    assert.equal(numberAt(sides, 1), 100, sides.report);
  });

  it('--rate_limit holds back', async () => {
    const sides = await ran('ib_write_bw', '-n 400 -s 4096 --rate_limit 1 --rate_units M --burst_size 20');
    assert.isBelow(numberAt(sides, AVERAGE), 2, sides.report);
  });

  it('-W counts at least every message', async () => {
    const sides = await ran('ib_write_bw', '-n 100 -s 64 -W hw_counters/sent_pkts');
    const sent = /^\thw_counters\/sent_pkts=(\d+)$/m.exec(sides.client.stdout)?.[1];
    assert.isAtLeast(Number(sent), 100, sides.report);
  });

  it('--bind puts each side where it is told to', async () => {
    const file = fileOf('bind.json');
    const sides = await ran('ib_send_lat', '-n 50', {
      server: ['--bind', '0'],
      client: ['--bind', '1', '--report-binding', '--json', file],
    });
    const { ranks } = recordOf(file);
    assert.deepEqual(
      ranks.map(({ hardwareThreads }) => hardwareThreads),
      [[1], [0]],
      sides.report,
    );
    for (const { binding } of ranks) {
      assert.equal(binding?.by, 'fabricbench');
      assert.deepEqual(
        binding?.nics?.map(({ name }) => name),
        ['rxe0'],
      );
    }
    const told = sides.client.stderr.split('\n').filter((line) => /^rank \d on /.test(line));
    assert.lengthOf(told, 2, sides.report);
    assert.match(told[0] ?? '', /core 1, hardware thread 1, .*to rxe0|near rxe0/);
  });

  it('figures of a receiver over UD are of the order of the sender', async () => {
    const sides = await ran('ib_send_bw', '-n 1000 -s 1024 -c UD');
    const [sent, received] = [sides.client, sides.server].map((side) => Number(last(rowsOf(side))?.[RATE]));
    assert.isBelow(received ?? NaN, 5 * (sent ?? NaN), sides.report);
  });
});

describe('options of ib_* that end a run', () => {
  it('-w and -y fail a run that is slower', async () => {
    for (const [line, said] of [
      ['-w 1000000', /bandwidth at 64 bytes is .* below the limit of 1000000 MiB\/s/],
      ['-y 1000', /message rate at 64 bytes is .* below the limit of 1000 million/],
    ] as const) {
      const sides = await runSides('ib_write_bw', `-n 50 -s 64 ${line}`);
      assert.equal(sides.client.code, 1, sides.report);
      assert.match(sides.client.stderr, said);
      assert.lengthOf(rowsOf(sides.client), 1, sides.report);
      assert.isFalse(sides.server.hung, sides.report);
    }
  });

  /** Waits until a side has printed so many rows. */
  async function untilRows(side: Running, rows: number): Promise<void> {
    while (side.child.exitCode === null && rowsOf({ stdout: side.printed() }).length < rows) await sleep(100);
  }

  for (const [name, line, signal] of [
    ['ib_write_bw', '--run_infinitely -D 1 -s 4096', 'SIGINT'],
    ['ib_send_bw', '--run_infinitely -D 1 -s 64 -c UD', 'SIGTERM'],
    ['ib_read_bw', '--run_infinitely -D 1 -s 64 -b', 'SIGINT'],
  ] as const)
    it(`${name} ${line} until ${signal}`, async () => {
      const file = fileOf(`${name}.json`);
      const sides = await runSides(name, line, {
        client: ['--json', file],
        meanwhile: async ({ client }) => {
          await untilRows(client, 2);
          client.child.kill(signal);
        },
      });
      assert.deepEqual([sides.client.hung, sides.server.hung], [false, false], sides.report);
      assert.isAtLeast(rowsOf(sides.client).length, 2, sides.report);
      assert.isAtLeast(recordOf(file).rows.length, 2, sides.report);
      assert.isAbove(numberAt(sides, AVERAGE), 0, sides.report);
      assert.equal(sides.server.code, 1, sides.report);
    });
});
