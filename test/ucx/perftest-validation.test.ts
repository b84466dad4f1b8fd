/** -V notices one byte that is wrong, in every kind of test, on whichever side it is. */
import { assert } from 'chai';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testFolder } from '../launch/folder.js';
import { describeUnder, launch, unbound } from '../launch/mpirun.js';
import type { ResultRecord } from '../../src/results/types.js';
import type { Spoiling } from './cases/perftest-tampering.js';
import { alone, both, EXIT, sentences } from './perftest.js';

const script = join(dirname(fileURLToPath(import.meta.url)), 'cases', 'perftest-tampering.js');
const ITERATIONS = 20;
const COMMON = ['-n', String(ITERATIONS), '-w', '0', '-V', '-f', '-v'];
const POSIX = ['-x', 'posix', '-d', 'memory'];
const WRONG = ['1 byte arrived wrong'];

interface Victim {
  readonly test: string;
  readonly options: readonly string[];
  /** Sides at which data arrives. */
  readonly roles: readonly ('client' | 'server')[];
  /** The last byte of a put that the other side waits for is no data. */
  readonly stamp?: number;
}

const uct = (test: string, layout: string, roles: Victim['roles'], more: Partial<Victim> = {}): Victim => ({
  ...{ test, roles, options: [...POSIX, '-t', test, '-D', layout, '-s', '64'] },
  ...more,
});
const ucp = (test: string, roles: Victim['roles'], more: Partial<Victim> = {}): Victim => ({
  ...{ test, roles, options: ['-t', test, '-s', '64'] },
  ...more,
});

const VICTIMS: readonly Victim[] = [
  uct('am_lat', 'short', ['client', 'server']),
  uct('am_lat', 'bcopy', ['server']),
  uct('am_bw', 'bcopy', ['server']),
  uct('put_lat', 'short', ['client', 'server'], { stamp: 1 }),
  uct('put_bw', 'bcopy', ['server']),
  uct('get', 'bcopy', ['client']),
  uct('get_bw', 'bcopy', ['client']),
  ...['tag_lat', 'tag_sync_lat', 'stream_lat', 'ucp_am_lat'].map((test) => ucp(test, ['client', 'server'])),
  ...['tag_bw', 'tag_sync_bw', 'stream_bw', 'ucp_am_bw', 'ucp_put_bw'].map((test) => ucp(test, ['server'])),
  ucp('ucp_put_lat', ['client', 'server'], { stamp: 1 }),
  ucp('ucp_get', ['client']),
];

/** The word that atomics work with, and what was fetched from it last, are looked at once, at the end. */
const WORDS: readonly Victim[] = [
  { test: 'add_lat', options: [...POSIX, '-t', 'add_lat'], roles: ['client', 'server'] },
  { test: 'add_mr', options: [...POSIX, '-t', 'add_mr'], roles: ['server'] },
  ...['fadd', 'swap', 'cswap'].map((test): Victim => ({
    ...{ test, options: [...POSIX, '-t', test], roles: ['client', 'server'] },
  })),
  ucp('ucp_add', ['server'], { options: ['-t', 'ucp_add'] }),
  ...['ucp_fadd', 'ucp_swap', 'ucp_cswap'].map((test): Victim =>
    ucp(test, ['client', 'server'], { options: ['-t', test] }),
  ),
];

const argument = (spoiling: Spoiling): string => JSON.stringify(spoiling);

/** Server and client of which one spoils its own data. */
async function spoilt(spoiling: Spoiling, options: readonly string[]): Promise<void> {
  const env = { UCX_TLS: 'posix,cma,self' };
  const { client, server } = await spoilBoth(spoiling, options, env);
  for (const side of [client, server]) {
    assert.deepEqual(sentences(side.stderr), WRONG, side.report);
    assert.equal(side.code, EXIT.failed, side.report);
  }
}

/** The tampering case takes its own argument first, on either side. */
function spoilBoth(spoiling: Spoiling, options: readonly string[], env: Readonly<Record<string, string>>) {
  return both([...options, ...COMMON], { script, before: [argument(spoiling)], env });
}

describe('-V of ucx_perftest, with one byte spoiled between server and client', () => {
  for (const { test, options, roles, stamp = 0 } of VICTIMS) {
    const layout = options.includes('-D') ? ` ${options[options.indexOf('-D') + 1]}` : '';
    for (const role of roles) {
      const place = role === 'server' ? 'last' : 'first';
      it(`${test}${layout}: the ${place} byte at the ${role}`, () =>
        spoilt({ role, place, stamp, iteration: 3 }, options));
    }
  }
  for (const { test, options, roles } of WORDS) {
    for (const role of roles)
      it(`${test}: ${role === 'client' && test !== 'add_lat' ? 'what was fetched' : 'the word'} at the ${role}`, () =>
        spoilt({ role, place: 'last', iteration: ITERATIONS - 1 }, options));
  }

  it('counts the bytes of all iterations', async () => {
    const { client } = await spoilBoth({ role: 'server', place: 'first' }, ['-t', 'tag_bw'], {});
    assert.deepEqual(sentences(client.stderr), [`${ITERATIONS} bytes arrived wrong`]);
  });
});

describe('-V of ucx_perftest, with one byte spoiled', () => {
  const file = testFolder();

  it('in a process that talks to itself, and tells it in the record', async () => {
    const record = file();
    const spoiling = argument({ role: 'both', place: 'first', iteration: 3 });
    const ended = await alone(['-t', 'tag_lat', ...COMMON, '--json', record], { script, before: [spoiling] });
    assert.deepEqual(sentences(ended.stderr), WRONG, ended.report);
    assert.equal(ended.code, EXIT.failed);
    const { rows, status } = JSON.parse(readFileSync(record, 'utf8')) as ResultRecord;
    assert.deepEqual(rows[0]?.validation, { passed: false, wrongBytes: 1 });
    assert.equal(status.state, 'failed');
  });
});

for (const mpi of ['openmpi', 'mpich'] as const) {
  describeUnder(mpi)(`-V of ucx_perftest, with one byte spoiled under the launcher of ${mpi}`, () => {
    for (const role of ['client', 'server'] as const) {
      it(`at the ${role}`, async () => {
        const spoiling = argument({ role, place: 'first', iteration: 3 });
        const args = [spoiling, ...POSIX, '-t', 'am_lat', ...COMMON];
        const launched = await launch(script, args, { mpi, pml: 'ob1', place: unbound({ mpi }) });
        assert.deepEqual(sentences(launched.stderr), WRONG, launched.report);
        assert.equal(launched.code, EXIT.failed, launched.report);
      });
    }
  });
}
