/** The test-only operations of test/native/addon, typed. */
import { existsSync } from 'node:fs';
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
  blockForEver(): void;
}

function find(): string {
  const name = join('build', 'test', 'test_operations.node');
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, name)) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, name);
}

/** Loads the addon. Throws `LoadError` where it isn't built. */
export function testOperations(): TestOperations {
  return loadAddonFile(find()) as TestOperations;
}
