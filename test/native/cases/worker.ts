/** Runs in a Worker: tries to use the engine, and posts what that says. */
import { parentPort } from 'node:worker_threads';
import { noop } from '../../../src/engine/index.js';

try {
  noop();
  parentPort?.postMessage('it was loaded');
} catch (error) {
  parentPort?.postMessage((error as Error).message);
}
