/** Argument: a core. Binds to it, then starts threads of every kind, and waits to be looked at. */
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { setAffinity, startThreads, startWatchdog } from '../../../src/engine/index.js';
import { testOperations } from '../test-addon.js';

setAffinity([Number(process.argv[2])]);
startWatchdog({ seconds: 1000, rank: 0 });
startThreads([{ timed: [testOperations().count()] }, { timed: [testOperations().count()] }]).advance({
  iterations: 10,
});
await Promise.all(Array.from({ length: 8 }, () => readFile('/proc/self/status')));
const worker = new Worker('setInterval(() => undefined, 1000)', { eval: true });
worker.once('online', () => process.stdout.write('bound\n'));
