/** Takes times in turn with children of its own, all on its base; prints them as JSON. With a base as argument: a child. */
import { clockBase, timestamp, type ClockBase } from '../../../src/engine/index.js';
import { runCase } from '../run-case.js';

const [given] = process.argv.slice(2);

function time(base: ClockBase): number {
  const array = new Float64Array(1);
  timestamp(array, base)();
  return array[0] ?? NaN;
}

function childTime(base: ClockBase): number {
  return Number(runCase('timestamps', { args: [JSON.stringify(base)] }).stdout);
}

if (given === undefined) {
  const base = clockBase();
  const rounds = Array.from({ length: 3 }, () => [time(base), childTime(base), time(base)]);
  process.stdout.write(JSON.stringify(rounds));
} else {
  process.stdout.write(String(time(JSON.parse(given) as ClockBase)));
}
