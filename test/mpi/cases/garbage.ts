/** The garbage collector, made callable without a flag of Node's. */
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Collects garbage; finalizers may still wait for the event loop. */
export function collect(): void {
  for (let i = 0; i < 3; i++) gc();
}

/** Collects garbage until finalizers have run. */
export async function collectAndFinalize(): Promise<void> {
  for (let i = 0; i < 5; i++) {
    gc();
    await setTimeout(1);
  }
}
