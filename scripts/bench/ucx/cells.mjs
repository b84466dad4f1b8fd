/** The matrix: every test of ucx_perftest over every transport of one machine, in every layout. */

const UCT_TESTS = ['am_lat', 'put_lat', 'add_lat', 'get', 'fadd', 'swap', 'cswap', 'am_bw', 'put_bw', 'add_mr'];
const UCP_TESTS = [
  ...['tag_lat', 'tag_bw', 'tag_sync_lat', 'tag_sync_bw', 'ucp_put_lat', 'ucp_put_bw', 'ucp_get', 'ucp_add'],
  ...['ucp_fadd', 'ucp_swap', 'ucp_cswap', 'stream_bw', 'stream_lat', 'ucp_am_lat', 'ucp_am_bw'],
];
const LAYOUTS = ['short', 'shortiov', 'bcopy', 'zcopy'];
const POSIX = { transport: 'posix', device: 'memory' };
/** What the transport layer is asked for; with `loopback` one process talks to itself, else two to each other. */
const DEVICES = [
  POSIX,
  { transport: 'sysv', device: 'memory' },
  { transport: 'cma', device: 'memory' },
  { transport: 'tcp', device: 'lo' },
  { transport: 'self', device: 'memory0', loopback: true },
  { ...POSIX, loopback: true },
];
const UCX_TLS = ['posix,cma', 'sysv', 'tcp', 'all'];

/** Bytes. Atomics have one size: a word of 8. */
export const SIZES = [8, 1024, 8192, 65536, 1 << 20];
const ATOMICS = /add|swap/;
const LATENCIES = /_lat$|get$|fadd$|swap$/;
const RATES = ['am_bw', 'put_bw', 'tag_bw'];

/** What follows from a test's name alone. */
const testFacts = (test) => ({
  test,
  pingPong: test.endsWith('_lat'),
  latency: LATENCIES.test(test),
  rated: RATES.includes(test),
});

/** In shared memory the peer's puts of this layout are an error that it repeats for ever, or counts as sent. */
const endlessPut = ({ transport }, layout, test) =>
  layout === 'shortiov' && test.startsWith('put_') && ['posix', 'sysv', 'self'].includes(transport);

function uctRow(where, layout, test) {
  const { transport, device, loopback = false } = where;
  return {
    id: [`${transport}/${device}`, ...(loopback ? ['-l'] : []), layout, test].join(' '),
    ...testFacts(test),
    loopback,
    // The peer halves the time of a message that goes one way only.
    halved: loopback && test.endsWith('_lat'),
    args: ['-x', transport, '-d', device, '-D', layout],
    environment: {},
    peerHangs: endlessPut(where, layout, test),
  };
}

function ucpRow(tls, test) {
  return {
    id: `UCX_TLS=${tls} ${test}`,
    ...testFacts(test),
    loopback: false,
    args: [],
    environment: { UCX_TLS: tls },
    // Its server sleeps a millisecond at a time while it should answer.
    peerHangs: tls === 'tcp' && test === 'ucp_get',
  };
}

/**
 * The matrix as rows, each with its cells in ascending size. `sizes` are those to measure, `wanted` chooses
 * cells; rows without a wanted cell are left out.
 */
export function matrix(sizes, wanted = () => true) {
  const rows = [
    ...DEVICES.flatMap((where) => LAYOUTS.flatMap((layout) => UCT_TESTS.map((test) => uctRow(where, layout, test)))),
    ...UCX_TLS.flatMap((tls) => UCP_TESTS.map((test) => ucpRow(tls, test))),
  ];
  const sizesOf = ({ test }) => (ATOMICS.test(test) ? sizes.filter((size) => size === 8) : sizes);
  return rows
    .map((row) => sizesOf(row).map((size) => ({ ...row, id: `${row.id} ${size}`, size })))
    .map((cells) => cells.filter(wanted))
    .filter((cells) => cells.length > 0);
}
