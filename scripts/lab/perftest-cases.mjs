/**
 * The runs of stock perftest that test/fixtures/perftest-4.5 shows: `both` on the two sides, refusals of one process alone.
 * `wrong` marks what must not end well.
 */
const F = ['-F'];
const words = (text) => text.split(' ').filter(Boolean);
const both = (name, test, options = '', more = {}) => {
  const args = [...F, ...words(options)];
  return { name, test, server: args, client: args, ...more };
};
const refused = (name, test, options) => ({ name, test, args: words(options), wrong: true });

const LATENCY = ['send', 'write', 'read', 'atomic'].map((verb) => `ib_${verb}_lat`);
const BANDWIDTH = ['send', 'write', 'read', 'atomic'].map((verb) => `ib_${verb}_bw`);
const SIZED = (test) => !test.startsWith('ib_atomic');
const short = (test) => test.slice(3);
const each = (tests, make) => tests.map((test) => make(short(test), test));

const plain = [
  ...each(LATENCY, (name, test) => both(name, test, SIZED(test) ? '-n 1000 -s 8' : '-n 1000')),
  ...each(BANDWIDTH, (name, test) => both(name, test, SIZED(test) ? '-n 1000 -s 8' : '-n 1000')),
  ...each(BANDWIDTH.filter(SIZED), (name, test) => both(`${name}_65536`, test, '-n 1000 -s 65536')),
  { name: 'send_lat_defaults', test: 'ib_send_lat', server: [], client: [] },
  both('send_lat_4096', 'ib_send_lat', '-n 200 -s 4096'),
];
const sweeps = [
  ...each(LATENCY.filter(SIZED), (name, test) => both(`${name}_all`, test, '-a -n 5', { seconds: 150 })),
  ...each(BANDWIDTH.filter(SIZED), (name, test) => both(`${name}_all`, test, '-a -n 5', { seconds: 150 })),
  both('send_lat_ud_all', 'ib_send_lat', '-a -n 10 -c UD'),
];
const timed = [
  ...each(LATENCY, (name, test) => both(`${name}_duration`, test, '-D 3 -f 1')),
  ...each(BANDWIDTH, (name, test) => both(`${name}_duration`, test, '-D 3 -f 1')),
  both('write_bw_duration_default_margin', 'ib_write_bw', '-D 3'),
  both('write_bw_cpu_util', 'ib_write_bw', '--cpu_util -D 3 -f 1'),
  both('send_bw_cpu_util', 'ib_send_bw', '--cpu_util -D 3 -f 1'),
  both('write_lat_cpu_util', 'ib_write_lat', '--cpu_util -D 3 -f 1'),
  both('write_bw_infinitely', 'ib_write_bw', '--run_infinitely -D 2 -s 4096', { interrupt: 8, wrong: true }),
  both('read_bw_infinitely_gbits', 'ib_read_bw', '--run_infinitely -D 2 --report_gbits', { interrupt: 8, wrong: true }),
  both('send_bw_infinitely', 'ib_send_bw', '--run_infinitely -D 2', { interrupt: 8, wrong: true }),
];
const streams = [
  ...each(BANDWIDTH, (name, test) => both(`${name}_b`, test, '-b -n 200')),
  ...each(BANDWIDTH, (name, test) => both(`${name}_b_both`, test, '-b --report-both -n 200')),
  ...each(BANDWIDTH, (name, test) => both(`${name}_gbits`, test, '--report_gbits -n 200')),
  both('write_bw_gbits_small', 'ib_write_bw', '--report_gbits -n 200 -s 2'),
  ...each(BANDWIDTH, (name, test) => both(`${name}_l16`, test, '-l 16 -n 320')),
  ...each(BANDWIDTH, (name, test) => both(`${name}_q4`, test, '-q 4 -n 200')),
  both('write_bw_q4_l16', 'ib_write_bw', '-q 4 -l 16 -n 320 -s 64'),
  both('write_bw_N', 'ib_write_bw', '-N -n 200'),
  both('write_bw_many', 'ib_write_bw', '-n 25000 -s 8'),
  both('write_bw_t_Q', 'ib_write_bw', '-t 64 -Q 16 -n 320 -s 4096'),
  both('write_bw_inline', 'ib_write_bw', '-I 64 -s 64 -n 200'),
  both('send_bw_r', 'ib_send_bw', '-r 64 -n 200'),
  both('send_bw_recv_post_list', 'ib_send_bw', '--recv_post_list=8 -n 320'),
  both('read_bw_o', 'ib_read_bw', '-o 4 -n 200'),
  both('write_bw_mr_per_qp', 'ib_write_bw', '--mr_per_qp -q 2 -n 200'),
  both('write_bw_warm_up', 'ib_write_bw', '--perform_warm_up -Q 1 -n 200'),
  both('write_bw_reversed', 'ib_write_bw', '--reversed -n 200'),
  both('write_bw_wait_destroy', 'ib_write_bw', '--wait_destroy=1 -n 200'),
  both('write_bw_rate_limit', 'ib_write_bw', '--rate_limit=1 --rate_units=M --rate_limit_type=SW -n 200 -s 4096'),
  both('write_bw_low_bandwidth', 'ib_write_bw', '-w 100000 -n 200', { wrong: true }),
  both('write_bw_low_rate', 'ib_write_bw', '-y 100 -n 200', { wrong: true }),
  both('write_bw_enough', 'ib_write_bw', '-w 0.001 -n 200'),
];
const latencies = [
  both('send_lat_H', 'ib_send_lat', '-H -n 20'),
  both('write_lat_H', 'ib_write_lat', '-H -n 20'),
  both('read_lat_H', 'ib_read_lat', '-H -n 20'),
  both('send_lat_U', 'ib_send_lat', '-U -n 20'),
  both('send_lat_H_all', 'ib_send_lat', '-H -a -n 5', { seconds: 150 }),
  both('send_lat_C', 'ib_send_lat', '-C -n 200'),
  both('read_lat_C', 'ib_read_lat', '-C -n 200'),
  both('send_lat_C_H', 'ib_send_lat', '-C -H -n 20'),
  both('send_lat_latency_gap', 'ib_send_lat', '--latency_gap=100 -n 100'),
  both('write_lat_inline', 'ib_write_lat', '-I 32 -n 100'),
  both('atomic_lat_cas', 'ib_atomic_lat', '-A CMP_AND_SWAP -n 200'),
  both('atomic_bw_cas', 'ib_atomic_bw', '-A CMP_AND_SWAP -n 200'),
  both('send_lat_few', 'ib_send_lat', '-n 5'),
];
const connections = [
  ...each([...LATENCY, ...BANDWIDTH], (name, test) => both(`${name}_R`, test, '-R -n 200')),
  both('send_lat_z', 'ib_send_lat', '-z -n 200'),
  both('send_lat_R_T', 'ib_send_lat', '-R -T 32 -n 200'),
  both('send_lat_uc', 'ib_send_lat', '-c UC -n 200'),
  both('send_bw_uc', 'ib_send_bw', '-c UC -n 200 -s 4096'),
  both('write_lat_uc', 'ib_write_lat', '-c UC -n 200'),
  both('write_bw_uc', 'ib_write_bw', '-c UC -n 200 -s 4096'),
  both('send_lat_ud', 'ib_send_lat', '-c UD -n 200'),
  both('send_bw_ud', 'ib_send_bw', '-c UD -n 200 -s 2048'),
  both('send_lat_ud_R', 'ib_send_lat', '-c UD -R -n 200'),
  both('send_bw_ud_large', 'ib_send_bw', '-c UD -n 200 -s 65536', { wrong: true, seconds: 10 }),
  both('send_lat_srq', 'ib_send_lat', '--use-srq -n 200'),
  both('send_bw_srq', 'ib_send_bw', '--use-srq -q 2 -n 200'),
  both('send_lat_events', 'ib_send_lat', '-e -n 100'),
  both('send_bw_events', 'ib_send_bw', '-e -n 200'),
  both('read_lat_events', 'ib_read_lat', '-e -n 100'),
  both('read_bw_events', 'ib_read_bw', '-e -n 200'),
  both('atomic_lat_events', 'ib_atomic_lat', '-e -n 100'),
  both('send_lat_m1024', 'ib_send_lat', '-m 1024 -n 200'),
  both('send_lat_x0', 'ib_send_lat', '-x 0 -n 200'),
  both('send_lat_ipv6', 'ib_send_lat', '--ipv6 -n 200'),
  both('send_lat_S_u', 'ib_send_lat', '-S 3 -u 18 -n 200'),
  both('send_lat_dont_xchg', 'ib_send_lat', '--dont_xchg_versions -n 200'),
  both('send_lat_old_post', 'ib_send_lat', '--use_old_post_send -n 200'),
];
const outputs = [
  both('write_bw_counters', 'ib_write_bw', '-W hw_counters/sent_pkts -n 200'),
  both('send_lat_counters', 'ib_send_lat', '-W hw_counters/sent_pkts,hw_counters/rcvd_pkts -n 200'),
  both('write_bw_output_bandwidth', 'ib_write_bw', '--output=bandwidth -n 200'),
  both('write_bw_output_message_rate', 'ib_write_bw', '--output=message_rate -n 200'),
  both('send_lat_output_latency', 'ib_send_lat', '--output=latency -n 200'),
  both('write_bw_json', 'ib_write_bw', '--out_json --out_json_file=/tmp/perftest.json -n 200'),
];
const TESTS = [...LATENCY, ...BANDWIDTH];
const told = [
  ...each(TESTS, (name, test) => ({ name: `${name}_help`, test, args: ['--help'], wrong: true })),
  refused('version', 'ib_send_lat', '--version'),
];
const noClock = [
  both('send_lat_inf', 'ib_send_lat', '-n 100', { noClock: true, wrong: true }),
  both('write_bw_inf', 'ib_write_bw', '-n 100', { noClock: true, wrong: true }),
  both('read_lat_duration_inf', 'ib_read_lat', '-D 3 -f 1', { noClock: true, wrong: true }),
];
/** Told by each side as it opens its device or connects. */
const failing = [
  both('refused_xrc', 'ib_send_lat', '-c XRC'),
  both('refused_dc', 'ib_send_lat', '-c DC'),
  both('refused_odp', 'ib_write_bw', '--odp'),
  both('refused_hugepages', 'ib_write_bw', '--use_hugepages'),
  both('refused_dualport', 'ib_write_bw', '-O'),
  both('refused_counter', 'ib_write_bw', '-W counters/port_xmit_data'),
  both('refused_gid', 'ib_send_lat', '-x 99'),
  both('refused_outs', 'ib_read_bw', '-o 999'),
].map((one) => ({ ...one, wrong: true, seconds: 8 }));
const alone = [
  ...each(TESTS, (name, test) => refused(`refused_${name}_option`, test, '--nosuch')),
  ...[
    'read_lat -c UC',
    'read_bw -c UD',
    'read_lat -c UD',
    'write_lat -c UD',
    'write_bw -c UD',
    'atomic_lat -c UC',
    'atomic_bw -c UD',
    'send_lat -c NOPE',
    'send_lat -R -c UC',
    'send_lat -a -D 3',
    'send_bw -a -D 3',
    'send_lat -D 3 -f 2',
    'write_bw -D 0',
    'send_lat -n 3',
    'send_lat -n 0',
    'send_lat -n x',
    'send_bw -t 0',
    'send_bw -t 20000',
    'write_bw -q 0',
    'write_bw -q 20000',
    'send_lat -q 2',
    'send_lat -s 0',
    'send_lat -s -1',
    'send_lat -s 3000000000',
    'send_lat -s x',
    'send_lat -m 999',
    'send_lat -d nosuch',
    'send_lat -i 9',
    'write_lat -e',
    'write_bw -e',
    'send_lat -e -D 3',
    'send_lat -X 1',
    'send_lat -S 16',
    'send_lat -u 40',
    'write_bw -Q 2000',
    'write_bw -Q 0',
    'write_bw -l 0',
    'write_bw -l 7 -n 100',
    'send_bw -r 0',
    'send_bw -r 20000',
    'write_bw -I 2000',
    'read_bw -I 8',
    'read_bw -o 0',
    'atomic_lat -A NOSUCH',
    'atomic_lat -s 16',
    'send_lat --report-histogram',
    'send_lat --report-histogrm',
    'send_lat --report_gbits',
    'send_lat -b',
    'write_bw --cpu_util',
    'write_bw --use-srq',
    'write_bw -H',
    'write_bw -a -l 7',
    'write_bw --run_infinitely -e',
    'send_bw --run_infinitely -b',
    'write_bw -w',
    'write_bw --report-both',
    'send_lat -T 32',
    'send_lat --tclass=300',
    'send_lat -L 5',
    'send_lat --retry_count=9',
    'send_lat --output=nosuch',
    'write_bw --output=latency',
    'send_lat --output=bandwidth',
    'send_lat --force-link=FOO',
    'send_lat --use_cuda=0',
    'send_lat nosuch.invalid',
    'send_lat localhost',
    'send_lat -R rxe0',
    'send_lat -p 99999',
    'send_lat a b',
    'write_bw --burst_size=4',
    'write_bw --rate_limit=abc',
    'write_bw --rate_limit=1 --rate_units=x',
    'write_bw --rate_limit=1 --rate_limit_type=HW',
    'write_bw --flow_label=1',
    'read_lat -D 3 -a',
    'send_lat -g',
    'send_lat --mmap=/nosuch',
    'write_lat --perform_warm_up',
    'send_bw --perform_warm_up',
    'send_bw -N -a',
    'write_bw -f 1',
    'write_bw -r 5',
    'send_bw --recv_post_list=7 -n 100',
    'send_bw --wait_destroy=-1',
    'write_bw --report-per-port',
    'send_lat -z -c UC',
    'write_bw --run_infinitely -w 5',
    'send_lat --aes_xts',
    'send_lat --dlid=1',
    'send_bw -c UD -b -e',
    'write_bw --report-unsorted',
    'write_lat -t 4',
    'write_lat -l 4',
    'send_lat -c SRD',
  ].map((line) => {
    const [test, ...options] = line.split(' ');
    const label = options.join('_').replaceAll(/[^\w.-]/g, '-');
    return refused(`refused_${test}_${label}`, `ib_${test}`, options.join(' '));
  }),
];
const noDevice = [
  ...each(['ib_send_lat', 'ib_write_bw'], (name, test) => ({
    ...refused(`no_device_${name}`, test, ''),
    without: true,
  })),
];

export const CASES = [
  ...plain,
  ...timed,
  ...streams,
  ...latencies,
  ...connections,
  ...outputs,
  ...told,
  ...noClock,
  ...failing,
  ...alone,
  ...sweeps,
  ...noDevice,
];
