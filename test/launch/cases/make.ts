/**
 * osu_latency, in which one rank says something else of what it runs:
 *
 *     make.js RANK '{"mpi":"..."}' [options]
 */
import { launch } from '../../../src/bench/main.js';
import type { Make } from '../../../src/bench/make.js';
import { readLauncher } from '../../../src/rendezvous/launcher.js';

const [rank = '', given = '{}', ...argv] = process.argv.slice(2);
const isOdd = String(readLauncher().rank) === rank;
launch('osu_latency', argv, {
  make: (own) => (isOdd ? { ...own, ...(JSON.parse(given) as Partial<Make>) } : own),
});
