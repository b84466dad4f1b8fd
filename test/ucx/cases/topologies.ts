/** Reads topologies before and after UCX has put its hooks in, and prints which plugins hwloc has, and which stay loaded. */
import { existsSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { readTopology } from '../../../src/topology/index.js';
import { Pair } from '../ucp-pair.js';

const [, , file = ''] = process.argv;

const matches = (pattern: RegExp): string[] =>
  [...new Set([...readFileSync('/proc/self/maps', 'latin1').matchAll(pattern)].map(([, found = '']) => found))].sort();

/** Which plugins are in memory after so many topologies. */
function after(topologies: number): string[] {
  for (let time = 0; time < topologies; ++time) readTopology(time % 2 === 0 ? {} : { xml: file });
  return matches(/\/hwloc\/(hwloc_\w+\.so)$/gm);
}

const alone = after(1);
const pair = new Pair('posix');
const beside = after(200);
pair.close();
const [folder = ''] = matches(/(\/\S+\/)libhwloc\.so/g).map((path) => `${path}hwloc`);
const plugins = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.so')) : [];
writeSync(1, JSON.stringify({ plugins: plugins.sort(), alone, beside }));
