/** The cases of ib-measure.test.ts, and what its processes tell. */
import type { Connection, PerftestName } from '../../src/cli/perftest-options.js';
import type { BandwidthFigures, LatencyFigures } from '../../src/report/perftest-types.js';
import type { PairRole } from '../../src/bench/meeting/party.js';

export interface MeasureCase {
  readonly label: string;
  readonly program: PerftestName;
  readonly argv: readonly string[];
  /** Where a byte is broken before it is checked. */
  readonly tampered?: PairRole;
}

/** What one side says of a size. */
export interface Told {
  readonly label: string;
  readonly size: number;
  readonly rows: number;
  readonly samples: number;
  readonly latency?: LatencyFigures;
  readonly bandwidth?: BandwidthFigures;
  readonly wrongBytes?: number;
  readonly warnings?: readonly string[];
  readonly counters?: readonly (readonly [name: string, difference: number])[];
  readonly sampleSeconds?: number;
}

const CONNECTIONS: Readonly<Record<'send' | 'write' | 'read' | 'atomic', readonly Connection[]>> = {
  send: ['RC', 'UC', 'UD'],
  write: ['RC', 'UC'],
  read: ['RC'],
  atomic: ['RC'],
};
const VERBS = ['send', 'write', 'read', 'atomic'] as const;
export const ITERATIONS = 64;

const of = (program: PerftestName, options: string, tampered?: PairRole): MeasureCase => ({
  ...{ label: `${program} ${options}${tampered ? ` tampered by ${tampered}` : ''}`.trim(), program },
  argv: options.split(' ').filter((word) => word !== ''),
  ...(tampered ? { tampered } : {}),
});

/** Several sizes in one run: of UD what a packet carries. */
function sizesFor(verb: string, connection: Connection): string {
  if (verb === 'atomic') return '';
  return ` --sizes ${connection === 'UD' ? '1,64,2000' : '1,2,64,2000,4096,20000'}`;
}

/** Every test over every connection, checked and not. */
export const matrix: readonly MeasureCase[] = VERBS.flatMap((verb) =>
  CONNECTIONS[verb].flatMap((connection) => {
    const common = `-n ${ITERATIONS} -c ${connection}${sizesFor(verb, connection)}`;
    return ['', ' --data_validation'].flatMap((checked) => [
      of(`ib_${verb}_lat`, common + checked),
      of(`ib_${verb}_bw`, common + checked),
      of(`ib_${verb}_bw`, `${common} -b${checked}`),
    ]);
  }),
);

const n = `-n ${ITERATIONS}`;
/** Option by option. */
export const options: readonly MeasureCase[] = [
  of('ib_send_lat', `${n} -s 100 -e`),
  of('ib_read_lat', `${n} -s 100 -e`),
  of('ib_send_lat', `${n} -s 100 --use-srq`),
  of('ib_send_lat', `${n} -s 100 --send_with_imm --data_validation`),
  of('ib_write_lat', `${n} -s 100 --write_with_imm --data_validation`),
  of('ib_write_lat', `${n} -s 100 --latency_gap 50`),
  of('ib_write_lat', `${n} -s 100 --perform_warm_up`),
  of('ib_write_lat', `-D 1 -s 8`),
  of('ib_send_lat', `-D 1 -s 8 --data_validation`),
  of('ib_read_lat', `-D 1 -s 8`),
  of('ib_read_lat', `-D 1 -s 8 --data_validation`),
  of('ib_send_bw', `${n} -s 100 -e`),
  of('ib_send_bw', `${n} -s 100 -e -b`),
  of('ib_send_bw', `${n} -s 100 --use-srq -q 2 --data_validation`),
  of('ib_send_bw', `${n} -s 100 -l 4 --recv_post_list 4`),
  of('ib_send_bw', `${n} --sizes 8,100 -q 3 -r 16 --recv_post_list 8 -b`),
  of('ib_send_bw', `-D 1 -s 100`),
  of('ib_send_bw', `-D 1 -s 100 -b`),
  of('ib_send_bw', `-D 1 -s 100 -c UD`),
  of('ib_send_bw', `-D 1 -s 100 --data_validation`),
  of('ib_send_bw', `-n 2000 -s 8 -c UD -t 256 -r 4`),
  of('ib_write_bw', `${n} -s 100 -q 3 -b --data_validation`),
  of('ib_write_bw', `${n} -s 100 -l 8 --data_validation`),
  of('ib_write_bw', `${n} -s 10000 -l 8 -t 16 -q 2 --data_validation`),
  of('ib_write_bw', `${n} -s 100 -Q 7 -t 20`),
  of('ib_write_bw', `${n} -s 100 --perform_warm_up`),
  of('ib_write_bw', `${n} -s 100 --mr_per_qp -q 2 --data_validation`),
  of('ib_write_bw', `${n} -s 100 --write_with_imm --data_validation`),
  of('ib_write_bw', `${n} -s 100 --write_with_imm -b`),
  of('ib_write_bw', `${n} -s 100 -N`),
  of('ib_write_bw', `-D 1 -s 100 --cpu_util`),
  of('ib_write_bw', `-D 1 -s 100 -b`),
  of('ib_write_bw', `-D 1 -s 100 -b --data_validation`),
  of('ib_write_bw', `${n} -s 100 -W sent_pkts`),
  of('ib_write_bw', `-n 200 -s 100 --rate_limit 1000 --rate_units p --burst_size 10`),
  of('ib_read_bw', `-D 1 -s 100`),
  of('ib_atomic_lat', `${n} -A CMP_AND_SWAP --data_validation`),
  of('ib_atomic_bw', `${n} -A CMP_AND_SWAP -q 2 --data_validation`),
  of('ib_atomic_bw', `-D 1 --data_validation`),
];

/** A broken byte is seen wherever data are checked. */
export const tampered: readonly MeasureCase[] = [
  of('ib_send_lat', `${n} -s 100 --data_validation`, 'client'),
  of('ib_write_lat', `${n} -s 100 --data_validation`, 'server'),
  of('ib_read_lat', `${n} -s 100 --data_validation`, 'client'),
  of('ib_atomic_lat', `${n} --data_validation`, 'server'),
  of('ib_send_bw', `${n} -s 100 --data_validation`, 'server'),
  of('ib_send_bw', `${n} -s 100 -c UD --data_validation`, 'server'),
  of('ib_send_bw', `${n} -s 100 -b --data_validation`, 'client'),
  of('ib_write_bw', `${n} -s 10000 --data_validation`, 'server'),
  of('ib_read_bw', `${n} -s 100 --data_validation`, 'client'),
  of('ib_atomic_bw', `${n} --data_validation`, 'server'),
];

export const groups: Readonly<Record<string, readonly MeasureCase[]>> = { matrix, options, tampered };
