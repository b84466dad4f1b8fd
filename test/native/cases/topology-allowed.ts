/** Prints the processors that a topology says are allowed, and those that the kernel lets this process run on. */
import { writeSync } from 'node:fs';
import { getAffinity, onlineCpus, setAffinity } from '../../../src/engine/affinity.js';
import { allowedCores, firstThread, readTopology } from '../../../src/topology/index.js';

/** The kernel drops what is forbidden from what is asked for, and `setAffinity` tells the rest in its refusal. */
function permitted(): number[] {
  try {
    setAffinity(onlineCpus());
    return getAffinity();
  } catch (error) {
    const [, list = ''] = /allows ([\d,-]+)/.exec(String(error)) ?? [];
    return list.split(',').flatMap((part) => {
      const [first = NaN, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
  }
}

const topology = readTopology({ devices: 'none' });
const allowed = topology.threads.filter((thread) => thread.allowed).map(({ os }) => os);
const cores = allowedCores(topology).map((core) => firstThread(topology, core)?.os);
const bound = getAffinity();
writeSync(1, JSON.stringify({ allowed: allowed.sort((a, b) => a - b), cores, bound, permitted: permitted() }));
