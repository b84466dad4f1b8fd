/** What is to be run: one of the programs in dist, or a script of the user's own. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { perftestNames } from '../bench/suites/perftest.js';
import { programs } from '../bench/suites/index.js';
import type { OsuRow } from '../bench/suites/osu.js';
import { WrongUse } from '../cli/commands/command.js';

export interface Benchmark {
  readonly name: string;
  readonly script: string;
  /**
   * How many ranks it gets where nobody says.
   *
   * @param places what --ranks-per-node makes on all hosts; undefined where it isn't given
   * @param cores of all hosts, if those are as this one
   */
  readonly ranks: (places: number | undefined, cores: number) => number;
  /** Whether it is known to take `--bind`. */
  readonly takesBind: boolean;
  /** Its ranks have threads or children that work at once, which one core would make take turns. */
  readonly manyThreads: boolean;
  /** It has windows, and calls of one side. */
  readonly oneSided: boolean;
  /** What one of its MB is, in bytes. */
  readonly megabyte: 1e6 | 1048576;
}

const exactlyTwo: Benchmark['ranks'] = () => 2;
const two: Benchmark['ranks'] = (places) => places ?? 2;
const PLAIN = { manyThreads: false, oneSided: false } as const;
const OSU = { megabyte: 1e6 } as const;
/** As perftest and ucx_perftest have it. */
const MEBIBYTE = 1048576;
const FEWEST_NEIGHBOURS = 3;

/** The benchmark of a name, or of a path to a script; throws `WrongUse` where there is none. */
export function findBenchmark(name: string, folder = import.meta.dirname): Benchmark {
  if (/[/.]/.test(name)) return ownScript(name);
  const row = programs.get(name);
  if (row) return { ...OSU, name, script: scriptOf(name, folder), ...ofRow(row) };
  if (name === 'ucx_perftest' || (perftestNames as readonly string[]).includes(name)) {
    const script = scriptOf(name, folder);
    return { name, script, ranks: two, ...PLAIN, takesBind: true, megabyte: MEBIBYTE };
  }
  throw new WrongUse(`there is no benchmark named ${name}${similarTo(name)}; fabricbench list names all of them`);
}

function ofRow(row: OsuRow): Pick<Benchmark, 'ranks' | 'takesBind' | 'manyThreads' | 'oneSided'> {
  return {
    ranks: ranksOf(row),
    takesBind: row.accepts.includes('bind'),
    manyThreads: row.threads === true || row.children === true,
    oneSided: row.family === 'one-sided',
  };
}

function ranksOf({ ranks, accepts }: OsuRow): Benchmark['ranks'] {
  if (ranks === 2) return exactlyTwo;
  if (ranks !== 'many') return two;
  const fewest = accepts.includes('nhbr') ? FEWEST_NEIGHBOURS : 2;
  return (places, cores) => places ?? Math.max(cores, fewest);
}

function ownScript(path: string): Benchmark {
  const script = resolve(path);
  if (!existsSync(script)) throw new WrongUse(`there is no script ${path}`);
  return { ...OSU, name: path, script, ranks: two, ...PLAIN, takesBind: false };
}

/** Beside this file (in dist), else in the dist/ of a folder above (in tests). */
export function scriptOf(name: string, start = import.meta.dirname): string {
  const file = `${name}.js`;
  const beside = join(start, file);
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    const found = [join(folder, file), join(folder, 'dist', file)].find((path) => existsSync(path));
    if (found !== undefined) return found;
  }
  return beside;
}

/** Names that someone may have meant. */
function similarTo(name: string): string {
  const all = [...programs.keys(), ...perftestNames, 'ucx_perftest'];
  const close = all.filter((other) => other.endsWith(`_${name}`) || other.startsWith(name) || name.startsWith(other));
  return close.length === 0 ? '' : ` (there is ${close.slice(0, 3).join(', ')})`;
}
