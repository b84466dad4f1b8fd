/** Waiting for other ranks without taking part of what they measure: MPI's own waits poll as fast as they can. */
import type { Mpi, RequestArray } from '../mpi/types.js';
import type { MpiRendezvous } from '../rendezvous/mpi.js';
import { sleep } from '../report/sink.js';

/** Milliseconds between two looks: at first, and at most. What a step takes must not grow by its end being seen late. */
const FIRST_SLEEP = 0.05;
const LONGEST_SLEEP = 1;
const GROWTH = 1.5;

/** A barrier of all ranks in which those that are early sleep most of the time. */
export class QuietBarrier {
  readonly #mpi: Mpi;
  readonly #rendezvous: MpiRendezvous;
  readonly #requests: RequestArray;

  constructor(MPI: Mpi, rendezvous: MpiRendezvous) {
    this.#mpi = MPI;
    this.#rendezvous = rendezvous;
    this.#requests = MPI.requests(1);
  }

  /** Throws an Error of one sentence after so many seconds. */
  wait(limit: number): void {
    const MPI = this.#mpi;
    // Nobody to wait for; and MPICH 4.0 crashes in MPI_Test where there is one rank.
    if (this.#rendezvous.size === 1) return;
    MPI.bind.Ibarrier(this.#rendezvous.comm, this.#requests, 0)();
    const until = performance.now() + limit * 1000;
    let pause = FIRST_SLEEP;
    while (MPI.Test(this.#requests, 0) === null) {
      if (performance.now() > until) throw new Error(`other ranks have not ended their part of a step for ${limit} s`);
      sleep(pause);
      pause = Math.min(pause * GROWTH, LONGEST_SLEEP);
    }
  }

  close(): void {
    if (this.#mpi.running()) this.#mpi.freeRequests(this.#requests);
  }
}
