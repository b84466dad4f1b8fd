import { expect } from 'chai';
import { spawnSync } from 'node:child_process';

const MAIN = JSON.stringify(import.meta.resolve('../../src/bench/main.js'));

/** A rank that says on stderr, when it ends, whether it has loaded MPI. */
const rank = (name: string, argv: readonly string[]): string => `
  import { readFileSync } from 'node:fs';
  import { launch } from ${MAIN};
  process.on('exit', () => console.error('MPI loaded:', /libmpi/.test(readFileSync('/proc/self/maps', 'utf8'))));
  launch(${JSON.stringify(name)}, ${JSON.stringify(argv)});`;

/** Runs a rank as Open MPI would start it. */
function runRank(number: number, name: string, argv: readonly string[]) {
  const env = { ...process.env, OMPI_COMM_WORLD_RANK: String(number), OMPI_COMM_WORLD_SIZE: '2' };
  return spawnSync(process.execPath, ['--input-type=module', '-e', rank(name, argv)], { encoding: 'utf8', env });
}

describe('a wrong option', () => {
  // One of each file of rows: they go the same way.
  for (const name of ['osu_latency', 'osu_init', 'osu_allreduce', 'osu_ineighbor_alltoallw', 'osu_put_bw']) {
    it(`of ${name} is refused before MPI is loaded, by rank 0 alone`, () => {
      const first = runRank(0, name, ['--watchdog', 'abc']);
      const second = runRank(1, name, ['--watchdog', 'abc']);
      expect(first.stderr).to.match(/^Invalid Watchdog: .* \[--watchdog abc\]\n\nMPI loaded: false\n$/);
      expect(first.stdout).to.contain(`Usage: ${name} `);
      expect(first.status).to.equal(1);
      expect([second.stdout, second.stderr]).to.deep.equal(['', 'MPI loaded: false\n']);
    });
  }
});
