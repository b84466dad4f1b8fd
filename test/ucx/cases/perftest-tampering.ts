/**
 * ucx_perftest with something done to data that has arrived, before it is checked, on the side of one role:
 *
 *     perftest-tampering.js '{"role":"server","place":"last","iteration":3}' [options of ucx_perftest]
 */
import { launch } from '../../../src/bench/ucx-perftest/main.js';
import type { Role } from '../../../src/bench/ucx-perftest/side.js';
import { testOperations } from '../../native/test-addon.js';

export interface Spoiling {
  readonly role: Role;
  /** Which byte of a message to change. */
  readonly place: 'first' | 'last';
  /** Bytes at the end of a message that are no data. */
  readonly stamp?: number;
  /** Default: in each. */
  readonly iteration?: number;
}

const [given = '', ...argv] = process.argv.slice(2);
const { role, place, stamp = 0, iteration } = JSON.parse(given) as Spoiling;
launch(argv, {
  tamper: (at) => {
    if (at.role !== role) return [];
    const offset = place === 'first' ? 0 : at.size - 1 - stamp;
    return [testOperations().corrupt(at.receive, offset, iteration)];
  },
});
