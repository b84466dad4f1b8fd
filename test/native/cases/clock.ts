/** Measures stretches of time by every clock there is; prints JSON. */
import { clockInfo, compute, engineClock, nativeExecutor } from '../../../src/engine/index.js';

const now = engineClock();
// Short, and without sleeping: after a long stretch JavaScript's own code may have to come back into memory first.
const run = nativeExecutor.start({ timed: [compute(0.01)] });
const stretches = Array.from({ length: 20 }, () => {
  const nodeStart = process.hrtime.bigint();
  const clockStart = now();
  const { seconds } = run.advance({ iterations: 1 });
  const clock = now() - clockStart;
  return { clock, executor: seconds, node: Number(process.hrtime.bigint() - nodeStart) / 1e9 };
});

let monotonic = true;
for (let i = 0, last = now(); i < 100_000; i++) {
  const time = now();
  monotonic &&= time >= last;
  last = time;
}
process.stdout.write(JSON.stringify({ info: clockInfo(), monotonic, stretches }));
