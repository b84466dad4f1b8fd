/** Every test of ucx_perftest x layout x transport, in each of the ways in which two sides meet, with its data checked. */
import { assert } from 'chai';
import { writeFileSync } from 'node:fs';
import type { MpiFamily } from '../../src/engine/load.js';
import { testFolder } from '../launch/folder.js';
import { describeUnder, launch, unbound } from '../launch/mpirun.js';
import {
  batchText,
  Outcomes,
  TRANSPORTS,
  UCP_TESTS,
  UCT_TESTS,
  ucpCells,
  uctCells,
  type Cell,
  type Transport,
} from './perftest-cells.js';
import { alone, both, EXIT, PERFTEST, sentences } from './perftest.js';

/** Seconds for a batch. */
const LIMIT = 110;

interface Told {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly report: string;
}

interface Job {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Way {
  readonly title: string;
  readonly itself: boolean;
  readonly describe: Mocha.SuiteFunction | Mocha.PendingSuiteFunction;
  /** What UCX_TLS is to be. */
  readonly tls: readonly string[];
  readonly run: (job: Job) => Promise<Told>;
}

async function underLauncher(mpi: MpiFamily, { args, env }: Job): Promise<Told> {
  // Any core for either rank, and ob1, which leaves UCX and its settings to the program.
  const options = { mpi, pml: 'ob1', limit: LIMIT, place: unbound({ mpi }) } as const;
  const launched = await launch(PERFTEST, args, { ...options, env: { ...env, OMPI_MCA_mpi_yield_when_idle: '1' } });
  assert.isFalse(launched.hung, launched.report);
  assert.equal(launched.strays, 0, launched.report);
  return launched;
}

async function connected({ args, env }: Job): Promise<Told> {
  const { client, server } = await both(args, { env, limit: LIMIT });
  assert.deepEqual(sentences(server.stderr), sentences(client.stderr), 'both sides say the same');
  assert.equal(server.code, client.code, server.report);
  return client;
}

const UCX_TLS = ['posix,cma', 'sysv', 'tcp', 'all'];
/**
 * UCX_TLS holds for MPICH's own messages too, and MPI_Finalize of MPICH over TCP now and then never ends: a rank closes
 * its endpoints while the other one waits in a barrier that makes no progress.
 */
const ENDS = { openmpi: UCX_TLS, mpich: UCX_TLS.filter((tls) => tls !== 'tcp') } as const;

const WAYS: readonly Way[] = [
  { title: 'as server and client', itself: false, describe, tls: UCX_TLS, run: connected },
  {
    title: 'with itself',
    itself: true,
    describe,
    tls: [...UCX_TLS, 'self'],
    run: ({ args, env }) => alone(args, { env, limit: LIMIT }),
  },
  ...(['openmpi', 'mpich'] as const).map((mpi) => ({
    title: `under the launcher of ${mpi}`,
    itself: false,
    describe: describeUnder(mpi),
    tls: ENDS[mpi],
    run: (job: Job) => underLauncher(mpi, job),
  })),
];

interface Plan {
  readonly cells: readonly Cell[];
  readonly tests: readonly string[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

function describeBatch(title: string, way: Way, { cells, tests, args, env }: Plan): void {
  way.describe(`ucx_perftest ${way.title}: ${title}`, () => {
    const file = testFolder();
    const refused = cells.some(({ refusal }) => refusal !== null);
    let told: Told | undefined;
    let outcomes: Outcomes | undefined;
    before(async () => {
      const batch = file('cells');
      writeFileSync(batch, batchText(cells));
      const common = ['-b', batch, '-w', '10', '-V', '-f', '-v'];
      told = await way.run({ args: [...common, ...args], env });
      outcomes = new Outcomes(cells, told);
    });
    for (const test of tests) it(test, () => outcomes?.check(test));
    it(`ends with exit code ${refused ? EXIT.refused : EXIT.done}`, () => {
      assert.equal(told?.code, refused ? EXIT.refused : EXIT.done, told?.report);
    });
  });
}

function describeUct(transport: Transport, way: Way): void {
  const { name, device } = transport;
  const args = ['-x', name, '-d', device];
  const cells = uctCells(transport, way.itself);
  describeBatch(`${name}/${device}`, way, { cells, tests: UCT_TESTS, args, env: {} });
}

for (const way of WAYS) {
  for (const transport of TRANSPORTS) describeUct(transport, way);
  for (const tls of way.tls)
    describeBatch(`UCX_TLS=${tls}`, way, { cells: ucpCells(), tests: UCP_TESTS, args: [], env: { UCX_TLS: tls } });
}
