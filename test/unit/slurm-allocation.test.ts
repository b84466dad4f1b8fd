/** What Slurm says of a job, and what a launch makes of it. */
import { assert } from 'chai';
import fc from 'fast-check';
import { launchers } from '../../src/launch/launchers.js';
import { limitOf, refuseTooLate, usableOf } from '../../src/launch/limit.js';
import { readAllocation, readJob, secondsLeft, secondsOf } from '../../src/slurm/allocation.js';
import { expandHostlist } from '../../src/slurm/hostlist.js';

const JOB = {
  ...{ SLURM_JOB_ID: '17', SLURM_JOB_NUM_NODES: '4', SLURM_JOB_NODELIST: 'n[1-4]', SLURM_JOB_PARTITION: 'fast' },
  ...{ SLURM_JOB_NAME: 'mine', SLURM_JOB_CPUS_PER_NODE: '64(x3),32', SLURM_NTASKS: '16' },
} as const;

describe('a job of Slurm', () => {
  it('is known by its nodes, tasks and processors', () => {
    const wanted = { id: '17', nodes: 4, tasks: 16, cpusPerNode: 32, inStep: false, stepTasks: 1 };
    assert.deepEqual(readAllocation(JOB), wanted);
    const step = { ...JOB, SLURM_STEP_ID: '0', SLURM_STEP_NUM_TASKS: '2' };
    assert.deepEqual(readAllocation(step), { ...wanted, inStep: true, stepTasks: 2 });
    assert.isUndefined(readAllocation({ SLURM_NTASKS: '4' }));
    const bare = { id: '1', nodes: 1, tasks: undefined, cpusPerNode: undefined, inStep: false, stepTasks: 1 };
    assert.deepEqual(readAllocation({ SLURM_JOB_ID: '1', SLURM_JOB_CPUS_PER_NODE: 'many' }), bare);
  });

  it('is told in the record', () => {
    const plain = {
      manager: 'slurm',
      id: '17',
      name: 'mine',
      nodes: 'n[1-4]',
      partition: 'fast',
      restarts: 0,
    } as const;
    assert.deepEqual(readJob(JOB), plain);
    const array = { SLURM_ARRAY_JOB_ID: '15', SLURM_ARRAY_TASK_ID: '2', SLURM_RESTART_COUNT: '3' };
    assert.deepEqual(readJob({ ...JOB, ...array }), { ...plain, array: { id: '15', task: '2' }, restarts: 3 });
    assert.isUndefined(readJob({}));
  });

  it('has so much time left: by its environment, else as squeue says', () => {
    const never = (): string => assert.fail('nobody needs to be asked');
    assert.equal(secondsLeft({ ...JOB, SLURM_JOB_END_TIME: '1000' }, 940, never), 60);
    assert.equal(secondsLeft({ ...JOB, SLURM_JOB_END_TIME: '1000' }, 2000, never), 0);
    assert.equal(
      secondsLeft(JOB, 0, (id) => (id === '17' ? '1-02:03:04\n' : '')),
      93784,
    );
    assert.isUndefined(secondsLeft(JOB, 0, () => 'UNLIMITED\n'));
    assert.isUndefined(secondsLeft({}, 0, never));
    assert.deepEqual(['5', '1:05', '2:00:00', '', 'INVALID', 'NOT_SET'].map(secondsOf), [5, 65, 7200, undefined, undefined, undefined]); // prettier-ignore
  });
});

describe('the limit of a launch', () => {
  it("is its user's, or that of the job before it", () => {
    assert.isUndefined(limitOf(undefined, undefined).timeout);
    const own = limitOf(10, 100);
    assert.deepEqual([own.timeout, own.ending.isFinal, own.ending.reason], [10, false, 'ended after 10 s, as --timeout says']); // prettier-ignore
    const jobs = limitOf(90, 100);
    assert.deepEqual([jobs.timeout, jobs.ending.isFinal, jobs.ending.code], [80, true, 1]);
    assert.equal(limitOf(undefined, 100).timeout, 80);
    assert.deepEqual([usableOf(undefined), usableOf(50)], [undefined, 30]);
  });

  it('is refused where there is no time for any', () => {
    const job = readAllocation(JOB) ?? assert.fail();
    assert.throws(
      () => refuseTooLate(job, 20),
      'job 17 ends in 20 s, which is too little for a launch: give it more time',
    );
    refuseTooLate(job, 21);
    refuseTooLate(job, undefined);
  });
});

describe('srun', () => {
  const job = {
    ...{ program: 'srun', family: 'openmpi' as const, command: ['a.out'], ranks: 4, hosts: [], ranksPerNode: 2 },
    ...{ bindTo: 'core' as const, oversubscribe: false, yields: false, pml: undefined, root: false, environment: {} },
    extra: [],
  };
  it('gets the nodes of the job that have ranks', () => {
    const line = launchers.srun({ ...job, nodes: 2 }).argv.join(' ');
    assert.equal(line, 'srun --mpi=pmix --kill-on-bad-exit=1 -n 4 -N 2 --ntasks-per-node 2 --cpu-bind=cores a.out');
  });
  it('shares the processors of the step that it is started from', () => {
    assert.include(launchers.srun({ ...job, overlaps: true }).argv, '--overlap');
    assert.notInclude(launchers.srun({ ...job, overlaps: false }).argv, '--overlap');
  });
});

describe('a list of nodes', () => {
  it("is Slurm's short form", () => {
    const pairs: Readonly<Record<string, readonly string[]>> = {
      'n[1-3]': ['n1', 'n2', 'n3'],
      'a,b7': ['a', 'b7'],
      'n[08-10,12],m1': ['n08', 'n09', 'n10', 'n12', 'm1'],
      'r[1-2]n[1-2]': ['r1n1', 'r1n2', 'r2n1', 'r2n2'],
      'n[1-2].lan': ['n1.lan', 'n2.lan'],
    };
    for (const [text, names] of Object.entries(pairs)) assert.deepEqual(expandHostlist(text), names, text);
    for (const text of ['', 'a,,b', 'n[', 'n[1-', 'n[3-1]', 'n[]', 'a b', 'n[1-999999999]']) assert.isUndefined(expandHostlist(text), text); // prettier-ignore
  });

  it('has each of a run of numbers once, with its zeros', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.nat(200), fc.integer({ min: 1, max: 6 }), (first, more, width) => {
        const text = String(first).padStart(width, '0');
        const names = expandHostlist(`n[${text}-${first + more}]`) ?? [];
        assert.deepEqual(names.map((name) => Number(name.slice(1))), Array.from({ length: more + 1 }, (_, k) => first + k)); // prettier-ignore
        assert.equal(names[0], `n${text}`);
      }),
    );
  });
});
