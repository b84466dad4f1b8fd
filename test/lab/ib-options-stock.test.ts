/** The text of both sides beside what stock perftest printed for the same command line in the same machine. */
import { assert } from 'chai';
import { RULE, asOurs, tableOf } from '../unit/perftest-replay.js';
import { readPerftestCaptures, type PerftestCapture } from '../unit/perftest-cases.js';
import { runSides, words } from './ib-options-sides.js';

/** Captures of test/fixtures/perftest-4.5, by what they are about. */
const LABELS: Readonly<Record<string, string>> = {
  times: 'send_lat_H read_lat_H send_lat_U send_lat_C send_lat_latency_gap send_lat_output_latency',
  streams:
    'write_bw_q4_l16 write_bw_N write_bw_t_Q send_bw_r send_bw_recv_post_list read_bw_o send_bw_b_both write_bw_b',
  units: 'write_bw_gbits_small write_bw_output_bandwidth write_bw_output_message_rate',
  paths: 'send_lat_R_T send_lat_z send_lat_m1024 send_lat_x0 send_lat_ipv6 send_lat_S_u write_bw_R',
  queues: 'send_lat_srq send_bw_srq send_lat_events read_bw_events write_bw_mr_per_qp',
  connections: 'send_lat_ud send_bw_ud write_bw_uc send_lat_uc send_lat_ud_R',
  others: 'atomic_bw_cas write_bw_counters write_bw_warm_up send_lat_old_post write_bw_rate_limit',
  timed: 'send_lat_duration read_bw_duration write_bw_cpu_util',
};

const captures = new Map(readPerftestCaptures().map((capture) => [capture.label, capture]));

/** Figures that differ from run to run: those of rows beyond the size, addresses, counters, samples. */
function masked(text: string, { argv }: Pick<PerftestCapture, 'argv'>): string {
  const timed = argv.includes('-D');
  const blank = (cells: string): string => cells.replace(/\d+(\.\d+)? */g, '#');
  const line = (one: string): string => {
    if (/^ (local|remote) address/.test(one)) return one.replace(/(0x[\da-f]+|\b\d+)\b/g, '#');
    if (/^\t.*=\d+$/.test(one)) return one.replace(/=\d+/, '=#');
    if (/^\d+, /.test(one)) return '#, #';
    if (/^\d/.test(one)) return one.replace(/^\d+/, '#').replace(/\.\d+$/, '.######');
    const row = (timed ? /^( \d+ +)(\d.*)$/ : /^( \d+ +\d+)( .*)$/).exec(one);
    return row ? `${row[1]}${blank(row[2] ?? '')}` : one;
  };
  const lines = text.split('\n').map(line);
  // The peer leaves out samples.
  return lines.filter((one, index) => one !== '#, #' || lines[index - 1] !== one).join('\n');
}

/** What a client says beside a connection by name, which is the same. */
async function compare(label: string): Promise<void> {
  const sides = ['server', 'client'] as const;
  const captured = sides.map((side) => captures.get(`${label}, ${side}`));
  const [server, client] = captured;
  assert.exists(server, label);
  assert.exists(client, label);
  if (!server || !client) return;
  const ours = await runSides(server.name, server.argv.join(' '));
  assert.deepEqual([ours.server.code, ours.client.code], [0, 0], ours.report);
  for (const [side, capture] of [
    ['server', server],
    ['client', client],
  ] as const) {
    const expected = masked(asOurs(capture, tableOf(capture.text)), capture);
    assert.equal(masked(tableOf(ours[side].stdout), capture), expected, `${side}\n${ours.report}`);
    assert.include(capture.text, capture.argv.some((word) => word.startsWith('--output')) ? '\n' : RULE);
  }
}

describe('ib_* beside the text of stock perftest', () => {
  for (const [what, line] of Object.entries(LABELS)) {
    describe(what, () => {
      for (const label of words(line)) it(label, () => compare(label));
    });
  }
});
