import { noop } from '../engine/operations.js';
import type { Rendezvous } from './types.js';

/** Raised where a real rendezvous would end the process. */
export class Aborted extends Error {
  constructor(readonly exitCode: number) {
    super(`the run was aborted with exit code ${exitCode}`);
    this.name = 'Aborted';
  }
}

/** One process that stands for all ranks of a run: every rank "says" what this one says. For tests over the mock transport. */
export function loopbackRendezvous(size: number, rank = 0): Rendezvous {
  const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
  return {
    kind: 'loopback',
    rank,
    size,
    allgather: (value) => Array.from({ length: size }, () => copy(value)),
    gather: (value) => (rank === 0 ? Array.from({ length: size }, () => copy(value)) : []),
    broadcast: (value) => copy(value),
    gatherNumbers: (values) => (rank === 0 ? Array.from({ length: size }, () => values.slice()) : []),
    barrier: () => undefined,
    progressBarrier: () => noop(),
    abort: (code) => {
      throw new Aborted(code);
    },
    close: () => undefined,
  };
}
