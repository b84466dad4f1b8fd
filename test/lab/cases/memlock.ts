/** Registers memory of so many KiB each, by its arguments, and prints what came of each as a line of JSON. */
import { EngineBuffer } from '../../../src/engine/index.js';
import { verbs } from '../../../src/verbs/index.js';

const context = verbs().open();
const pd = context.allocPd();
for (const kib of process.argv.slice(2).map(Number)) {
  let outcome = 'registered';
  try {
    pd.regMr(EngineBuffer.allocate(kib * 1024), ['LOCAL_WRITE']);
  } catch (error) {
    outcome = String(error);
  }
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
