/** Launches in which one rank is not like the others, as one node of a cluster may not be. */
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../src/bench/version.js';
import { projectRoot } from '../unit/project.js';

/** What one rank runs with, and no other. */
export interface Unlike {
  readonly rank: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder that takes the place of dist/. */
  readonly dist?: string;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** What is to run Node on each rank (`wrapRank`). */
export function unlike({ rank, env = {}, dist }: Unlike): string[] {
  const settings = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)};`);
  const own = quoted(join(projectRoot, 'dist'));
  const moves =
    dist === undefined ? '' : `node=$1; script=${quoted(dist)}\${2#${own}}; shift 2; set -- "$node" "$script" "$@";`;
  const is = `[ "\${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = ${rank} ]`;
  return ['sh', '-c', `if ${is}; then ${settings.join(' ')} ${moves} true; fi; exec "$@"`, 'sh'];
}

/** A copy of dist/ that says it is of another version. */
export function otherVersion(folder: string, version: string): string {
  const dist = join(folder, 'dist');
  cpSync(join(projectRoot, 'dist'), dist, { recursive: true });
  for (const name of readdirSync(dist).filter((file) => file.endsWith('.js'))) {
    const text = readFileSync(join(dist, name), 'utf8');
    writeFileSync(join(dist, name), text.replaceAll(`"${VERSION}"`, `"${version}"`));
  }
  return dist;
}

/** A folder of libraries that can't be loaded, in UCX's place: for LD_LIBRARY_PATH. */
export function withoutUcx(folder: string): string {
  for (const name of ['libucp.so.0', 'libuct.so.0', 'libucs.so.0']) writeFileSync(join(folder, name), 'no library');
  return folder;
}
