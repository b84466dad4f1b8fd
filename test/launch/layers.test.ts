/** `--layer`: every program over every layer with its data checked, records, refusals, and ranks that die. */
import { assert } from 'chai';
import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtAddons } from '../../src/engine/load.js';
import { describeUnder, launch, start, type LaunchOptions } from './mpirun.js';
import { assertFailed, ownLines, parseRecord, program, rowsOf } from './output.js';

const programs = ['osu_latency', 'osu_bw', 'osu_bibw', 'osu_multi_lat', 'osu_mbw_mr'];
const ucpLayers = ['ucp', 'ucp:am', 'ucp:stream'];
const uctLayers = ['uct:posix/memory', 'uct:sysv/memory', 'uct:tcp/lo'];
const layers = builtAddons().includes('ucx') ? ['shm', ...ucpLayers, ...uctLayers] : ['shm'];
const overUcx = builtAddons().includes('ucx') ? it : it.skip;
const sizes = ['--sizes', '1,8,1000,8K'];
const few = ['-i', '10', '-x', '2'];

/** Runs a program over a layer, which must end well; returns its record. */
async function run(name: string, args: readonly string[], options: LaunchOptions = {}) {
  const launched = await launch(program(name), [...args, '--json', '-'], options);
  assert.equal(launched.code, 0, launched.report);
  assert.equal(launched.strays, 0, launched.report);
  return { ...launched, record: parseRecord(launched.stdout) };
}

/** The only sentence of a run that must end with this code. */
async function sentenceOf(name: string, args: readonly string[], code: number, options: LaunchOptions = {}) {
  const launched = await launch(program(name), args, options);
  assertFailed(launched, code);
  const own = ownLines(launched).filter((line) => line.startsWith(name));
  assert.lengthOf(own, 1, launched.report);
  assert.deepEqual(rowsOf(launched.stdout), [], launched.report);
  return { sentence: own[0] ?? '', stdout: launched.stdout };
}

const shared = (): string[] => readdirSync('/dev/shm').filter((name) => name.startsWith('fabricbench'));

/** Transports that UCX may have chosen for a layer: those of UCT are named, UCP takes what it likes. */
function assertCarried(layer: string, transports: readonly string[] | undefined): void {
  if (layer === 'shm') {
    assert.isUndefined(transports);
  } else if (layer.startsWith('uct:')) {
    assert.deepEqual(transports, [layer.slice('uct:'.length)]);
  } else {
    assert.isNotEmpty(transports);
  }
}

for (const layer of layers) {
  describeUnder('openmpi')(`--layer ${layer}`, () => {
    for (const name of programs) {
      it(`carries ${name}'s data, and its record says so`, async () => {
        const { record } = await run(name, ['--layer', layer, '-c', ...sizes, ...few]);
        assert.equal(record.run.layer, layer);
        assertCarried(layer, record.environment.ucx?.transports);
        assert.deepEqual(
          record.rows.map(({ parameters, validation }) => [parameters.size, validation?.passed]),
          [1, 8, 1000, 8192].map((size) => [size, true]),
        );
      });
    }

    it('carries windows of one and of many, in one buffer each and in the same one', async () => {
      for (const window of ['1', '128']) {
        const args = ['--layer', layer, '-W', window, '-b', 'multiple', '-c', ...sizes, ...few];
        const { record } = await run('osu_bw', args);
        assert.isTrue(record.rows.every(({ validation }) => validation?.passed));
      }
    });

    it('lets ranks without a peer keep the barriers', async () => {
      const args = ['--layer', layer, '-p', '1', '-c', '--sizes', '8', ...few];
      const { record } = await run('osu_mbw_mr', args, { np: 4 });
      assert.deepEqual(
        record.rows.map(({ parameters, validation }) => [parameters.pairs, validation?.passed]),
        [[1, true]],
      );
    });

    it('ends within seconds when a rank is killed', async () => {
      const running = start(program('osu_latency'), ['--layer', layer, '-m', '8:8', '-i', '100000000']);
      const victim = await running.until(() => running.ranks().get(1));
      await sleep(1000);
      process.kill(victim, 'SIGKILL');
      const ended = await running.ended;
      assert.isFalse(ended.hung, ended.report);
      assert.notEqual(ended.code, 0, ended.report);
      assert.equal(ended.strays, 0, ended.report);
    });
  });
}

describeUnder('mpich')('layers under MPICH', () => {
  for (const layer of layers) {
    it(`${layer} carries data`, async () => {
      const { record } = await run('osu_bibw', ['--layer', layer, '-c', ...sizes, ...few], { mpi: 'mpich' });
      assert.equal(record.run.layer, layer);
      assert.isTrue(record.rows.every(({ validation }) => validation?.passed));
    });
  }
});

describeUnder('openmpi')('layers that are refused', () => {
  it('names what there is, where the text is none', async () => {
    for (const text of ['nonsense', 'UCP', 'uct:posix', 'shm:1', 'ucp:put', 'verbs:put', 'verbs/', 'verbs:send/', '']) {
      const launched = await launch(program('osu_latency'), ['--layer', text]);
      assertFailed(launched, 1);
      assert.match(ownLines(launched)[0] ?? '', /^Invalid Layer: give mpi, shm, ucp.* as in --layer uct:posix\/memory/);
    }
  });

  it('is no option of other programs, and not for derived data types', async () => {
    const other = await launch(program('osu_allreduce'), ['--layer', 'shm']);
    assertFailed(other, 1);
    assert.deepEqual(ownLines(other), ['Invalid option [--layer]']);
    const derived = await launch(program('osu_latency'), ['--layer', 'shm', '-D', 'vect:8:4']);
    assertFailed(derived, 1);
    assert.match(ownLines(derived)[0] ?? '', /^Derived data types are of MPI alone/);
  });

  const cases: Readonly<Record<string, RegExp>> = {
    'uct:cma/memory': /cma\/memory has no active messages/,
    'uct:self/memory0': /self\/memory0 does not reach rank \d from rank \d$/,
    'uct:nope/memory': /this host has no UCT transport nope\/memory: it has .*posix\/memory/,
  };
  for (const [layer, sentence] of Object.entries(cases)) {
    overUcx(`${layer}: one sentence before any table`, async () => {
      const said = await sentenceOf('osu_mbw_mr', ['--layer', layer, ...few], 77);
      assert.match(said.sentence, sentence);
      assert.include(said.sentence, `osu_mbw_mr: --layer ${layer}: `);
      assert.equal(said.stdout, '');
    });
  }

  // The lab has a device: see test/lab/layers.test.ts.
  const withoutDevice =
    existsSync('/sys/class/infiniband') && readdirSync('/sys/class/infiniband').length > 0 ? it.skip : it;
  for (const layer of ['verbs', 'verbs:write', 'verbs:read/mlx5_0']) {
    withoutDevice(`${layer} without a device: one sentence that says how to get one`, async () => {
      const said = await sentenceOf('osu_latency', ['--layer', layer, ...few], 77);
      assert.match(said.sentence, /: no RDMA device: \/sys\/class\/infiniband is empty; scripts\/softroce gives one/);
      assert.include(said.sentence, `osu_latency: --layer ${layer}: `);
      assert.equal(said.stdout, '');
    });
  }

  for (const tls of ['cma', 'self', 'nonsense']) {
    overUcx(`ucp with UCX_TLS=${tls}: one sentence before any table`, async () => {
      const options = { pml: 'ob1', env: { UCX_TLS: tls, UCX_LOG_LEVEL: 'fatal' } } as const;
      const said = await sentenceOf('osu_bw', ['--layer', 'ucp', ...few], 77, options);
      assert.match(said.sentence, /^osu_bw: --layer ucp: ucp_\w+ failed: /);
      assert.equal(said.stdout, '');
    });
  }

  overUcx('leaves size 0 out where a stream can not carry it', async () => {
    const args = ['--layer', 'ucp:stream', '-m', '0:2', ...few];
    const launched = await launch(program('osu_latency'), args);
    assert.equal(launched.code, 0, launched.report);
    assert.deepEqual(
      rowsOf(launched.stdout).map(([size]) => size),
      ['1', '2'],
    );
    assert.deepEqual(ownLines(launched), ['warning: sizes 0 are left out: a stream carries no messages without bytes']);
  });

  it('leaves nothing in /dev/shm after an end, a refusal and a kill', async () => {
    const before = shared();
    await run('osu_latency', ['--layer', 'shm', '-m', '8:8', ...few]);
    await launch(program('osu_latency'), ['--layer', 'shm', '-D', 'vect:8:4']);
    const running = start(program('osu_latency'), ['--layer', 'shm', '-m', '8:8', '-i', '100000000']);
    const victim = await running.until(() => running.ranks().get(0));
    await sleep(1000);
    process.kill(victim, 'SIGKILL');
    await running.ended;
    assert.includeMembers(before, shared());
  });
});
