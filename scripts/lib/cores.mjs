/** Prints how many whole cores this process may run on: hardware threads of one core count once. */
import { existsSync, readFileSync } from 'node:fs';

const allowed = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
const cpus = allowed.split(',').flatMap((range) => {
  const [first, last = first] = range.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
});
const coreOf = (cpu) => {
  const siblings = `/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`;
  return existsSync(siblings) ? readFileSync(siblings, 'utf8').trim() : String(cpu);
};
process.stdout.write(`${new Set(cpus.map(coreOf)).size}\n`);
