/** The test-only operations of test/native/addon, typed. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadAddonFile } from '../../src/engine/load.js';
import type { Operation } from '../../src/engine/types.js';

export type JournalEntry = [mark: string, iteration: number, thread: number];

export interface TestOperations {
  /** Flips a bit of one byte, in one iteration or in all. */
  corrupt(buffer: unknown, offset: number, iteration?: number): Operation;
  /** Puts the data of the iteration before in the place of the new ones. */
  stale(buffer: unknown, length: number): Operation;
  failAt(iteration: number | undefined, code: number): Operation;
  sleepAt(iteration: number | undefined, milliseconds: number): Operation;
  /** Spins until it is cancelled. */
  spin(): Operation;
  /** A test that is pending so many times, and then done. */
  countdown(tests: number): Operation;
  count(anyThread?: boolean): Operation;
  counted(count: Operation): { executed: number; resets: number };
  record(mark: string): Operation;
  takeJournal(): JournalEntry[];
  /** Adds 1 to the first byte. */
  increment(buffer: unknown): Operation;
  /** An operation whose ABI version or size is off by so much. */
  malformed(versionBy: number, sizeBy: number): Operation;
  bytesOf(value: unknown): { byteLength: number; element: number; inEngineBuffer: boolean; address: bigint };
  /** How many of these operations have been destroyed. */
  destroyed(): number;
  /** Whether the system is to give no more threads. */
  refuseThreads(refuse: boolean): void;
  blockForEver(): void;
  /** From now on counts what UCX hears of unmappings that touch this memory. Needs an MPI that runs over UCX. */
  watchUnmaps(address: bigint, length: number): void;
  unmapsSeen(): number;
}

/** Path of an addon of the tests. */
export function testAddon(addon: string): string {
  const name = join('build', 'test', `${addon}.node`);
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, name)) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, name);
}

/** Loads the addon. Throws `LoadError` where it isn't built. */
export function testOperations(): TestOperations {
  return loadAddonFile(testAddon('test_operations')) as TestOperations;
}

/** The signals that the JavaScript thread blocks, as the kernel writes them. Needs the main thread. */
export function blockedSignals(): string {
  const line = /^SigBlk:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  if (line?.[1] === undefined) throw new Error('/proc/self/status names no blocked signals');
  return line[1];
}
