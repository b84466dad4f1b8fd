/** However a launch across hosts ends, none of its processes is left on any of them. */
import { assert } from 'chai';
import { describeUnder } from '../launch/mpirun.js';
import { ownLines, program } from '../launch/output.js';
import { commandOf } from '../launch/processes.js';
import { withHosts, type Done, type Running } from './lab.js';

/** One row takes minutes, and nothing else ends them. */
const LONG_RUN = ['-m', '1:4M', '-i', '1000000', '-x', '0', '--watchdog', '0'];
const LAUNCHER = /\/(mpirun|mpiexec)[.\w]*$/;

const WAYS = [
  { name: 'Open MPI over UCX', mpi: 'openmpi', options: ['--mpi', 'openmpi', '--pml', 'ucx'] },
  { name: 'Open MPI over ob1', mpi: 'openmpi', options: ['--mpi', 'openmpi', '--pml', 'ob1'] },
  { name: 'MPICH', mpi: 'mpich', options: ['--mpi', 'mpich'] },
] as const;

for (const { name, mpi, options } of WAYS) {
  describeUnder(mpi)(`the end of a launch across hosts, ${name}`, () => {
    const hosts = withHosts(2);
    afterEach(() => {
      hosts.kill();
      hosts.link('node2', 'up');
    });

    const start = (...words: readonly string[]): Running => {
      const all = [...options, ...words, '--hosts', 'node1,node2', 'osu_latency', '--', ...LONG_RUN];
      return hosts.on('node1', [process.execPath, program('fabricbench'), 'run', ...all]);
    };
    const ranks = (node: string): number[] =>
      hosts.processes(node).filter((pid) => commandOf(pid).some((word) => word.endsWith('/osu_latency.js')));
    const tableBegins = (running: Running): Promise<unknown> =>
      running.until(() => (running.stdout.includes('# Size') ? true : undefined));

    async function assertNothingLeft(done: Done): Promise<void> {
      assert.isFalse(done.hung, done.report);
      assert.deepEqual(await hosts.strays(), [], done.report);
    }

    it('by its time limit', async () => {
      const running = start('--timeout', '10');
      await tableBegins(running);
      assert.isNotEmpty(ranks('node2'));
      const done = await running.ended;
      assert.equal(done.code, 1, done.report);
      assert.include(ownLines(done), 'fabricbench: osu_latency: ended after 10 s, as --timeout says');
      await assertNothingLeft(done);
    });

    it('by a signal', async () => {
      const running = start();
      await tableBegins(running);
      running.signal('SIGTERM');
      const done = await running.ended;
      assert.equal(done.code, 143, done.report);
      await assertNothingLeft(done);
    });

    it('by its time limit, with the link of a host down', async () => {
      const running = start('--timeout', '10');
      await tableBegins(running);
      hosts.link('node2', 'down');
      const done = await running.ended;
      assert.equal(done.code, 1, done.report);
      await assertNothingLeft(done);
    });

    it('by a launcher that was killed', async () => {
      const running = start();
      await tableBegins(running);
      const launcher = hosts.processes('node1').find((pid) => LAUNCHER.test(commandOf(pid)[0] ?? ''));
      assert.isNumber(launcher);
      process.kill(launcher ?? 0, 'SIGKILL');
      const done = await running.ended;
      assert.equal(done.code, 137, done.report);
      await assertNothingLeft(done);
    });
  });
}
