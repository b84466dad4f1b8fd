/** Gives memory back in the ways that programs do, and prints whether UCX heard of it and whether it is still mapped. */
import { readFileSync } from 'node:fs';
import { EngineBuffer } from '../../../src/engine/index.js';
import * as MPI from '../../../src/mpi/index.js';
import { testOperations } from '../../native/test-addon.js';
import { collectAndFinalize } from './garbage.js';

/** More than libc ever takes from its heap unless told to. */
const BYTES = 40 << 20;

export interface GivenBack {
  readonly heard: boolean;
  /** Whether all of it is still memory of this process. */
  readonly mapped: boolean;
}

MPI.Init();
const operations = testOperations();

function isMapped(from: bigint, to: bigint): boolean {
  let reached = from;
  for (const [, first = '', last = ''] of readFileSync('/proc/self/maps', 'latin1').matchAll(/^(\w+)-(\w+) /gm)) {
    const [start, end] = [BigInt(`0x${first}`), BigInt(`0x${last}`)];
    if (start <= reached && reached < end) reached = end;
  }
  return reached >= to;
}

function watch(memory: unknown): bigint {
  const { address } = operations.bytesOf(memory);
  operations.watchUnmaps(address, BYTES);
  return address;
}

function report(address: bigint): GivenBack {
  return { heard: operations.unmapsSeen() > 0, mapped: isMapped(address, address + BigInt(BYTES)) };
}

function freeEngineBuffer(): GivenBack {
  const buffer = EngineBuffer.allocate(BYTES);
  const address = watch(buffer);
  buffer.free();
  return report(address);
}

async function dropArray(): Promise<GivenBack> {
  const address = ((): bigint => watch(new Uint8Array(BYTES).fill(1)))();
  await collectAndFinalize();
  return report(address);
}

const seen = { 'an engine buffer': freeEngineBuffer(), 'a TypedArray': await dropArray() };
if (MPI.Comm_rank(MPI.COMM_WORLD) === 0) process.stdout.write(`${JSON.stringify(seen)}\n`);
MPI.Finalize();
