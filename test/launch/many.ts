/** Many programs in one launch: MPI starts once for all of them. */
import { assert } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MARK, type Part, type Ran } from './cases/parts.js';
import { caseFile, launch, unbound, type LaunchOptions } from './mpirun.js';

/** Ranks that wait give their core to others: there may be more ranks than cores, or other work on them. */
const giveWay = { OMPI_MCA_mpi_yield_when_idle: '1' };

export interface ManyOptions extends LaunchOptions {
  /** How MPI starts (default by MPI_Init, with one thread that calls it). */
  readonly how?: 'multiple' | 'session';
}

/** A program and its options, as on a command line. */
export function part(line: string): Part {
  const [name = '', ...argv] = line.split(' ').filter(Boolean);
  return { name, argv };
}

/** Runs them in turn, each on all ranks. Fails where one of them kept the others from running. */
export async function runMany(parts: readonly Part[], options: ManyOptions = {}): Promise<Ran[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fabricbench-many-'));
  const file = join(folder, 'parts.json');
  writeFileSync(file, JSON.stringify(parts));
  const { how, ...rest } = options;
  const args = how === undefined ? [file] : [file, how];
  const where = { limit: 110, place: unbound(options), ...rest, env: { ...giveWay, ...rest.env } };
  const launched = await launch(caseFile('suite'), args, where).finally(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const lines = launched.stdout.split('\n').filter((line) => line.startsWith(MARK));
  const ran = lines.map((line) => JSON.parse(line.slice(MARK.length)) as Ran);
  const next = parts[ran.length];
  assert.lengthOf(ran, parts.length, `${next?.name} ${next?.argv.join(' ')}: ${launched.report}`);
  assert.equal(launched.code, 0, launched.report);
  assert.equal(launched.strays, 0, launched.report);
  return ran;
}

/** What went well: exit code 0. */
export function assertWell({ name, argv, code, stdout, stderr }: Ran): void {
  assert.equal(code, 0, `${name} ${argv.join(' ')}\n${stderr}\n${stdout}`);
}
