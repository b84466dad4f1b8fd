/** Reads topologies many times over, the file that argument 1 names among them, and prints what this process has then. */
import { readdirSync, readFileSync, writeSync } from 'node:fs';
import { readTopology } from '../../../src/topology/index.js';

const [, , file = ''] = process.argv;

function state(): { files: number; children: string; mib: number } {
  globalThis.gc?.();
  return {
    files: readdirSync('/proc/self/fd').length,
    children: readFileSync('/proc/thread-self/children', 'latin1').trim(),
    mib: process.memoryUsage.rss() / 2 ** 20,
  };
}

function round(): void {
  readTopology({ xml: file });
  readTopology({ devices: 'no-gpus' });
  readTopology({ synthetic: 'package:8 core:4 pu:2' });
  try {
    readTopology({ synthetic: 'x' });
  } catch {
    // it is to be refused
  }
}

for (let times = 0; times < 50; ++times) round();
const before = state();
for (let times = 0; times < 300; ++times) round();
writeSync(1, JSON.stringify({ before, after: state() }));
