/** Prints where a topology comes from that nobody names, what of it there is, and which libraries it took. */
import { readFileSync, writeSync } from 'node:fs';
import { readTopology } from '../../../src/topology/index.js';

try {
  const { source, thisSystem, threads } = readTopology();
  const libraries = readFileSync('/proc/self/maps', 'latin1').match(/lib(uc[pst]|mpi|ibverbs|hwloc|OpenCL)\b/g) ?? [];
  const loaded = [...new Set(libraries)].sort();
  writeSync(1, JSON.stringify({ source, thisSystem, threads: threads.length, loaded }));
} catch (error) {
  writeSync(1, error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}
