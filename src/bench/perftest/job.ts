/** One size that is being measured on one side: what it works with, what must be released, and where both sides meet. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import { noop } from '../../engine/operations.js';
import type { collect } from '../../engine/pace.js';
import type { Executor, Operation, Program, Run } from '../../engine/types.js';
import type { BandwidthFigures } from '../../report/perftest-types.js';
import type { VerbsBind } from '../../verbs/bind-types.js';
import { PerftestRefusal, type Role, type Side } from './types.js';

/** What measuring is done with; tests put others in their place. */
export interface Tools {
  readonly bind: VerbsBind;
  readonly executor: Executor;
  /** Seconds since some moment of the past. */
  readonly now: () => number;
  readonly collect: typeof collect;
  readonly release: (operations: Iterable<Operation>) => void;
  /** A file of /proc or /sys. */
  readonly readText: (path: string) => string;
}

export interface JobRequest {
  readonly side: Side;
  readonly size: number;
  readonly progress: (figures: BandwidthFigures) => void;
}

export class Job {
  readonly side: Side;
  readonly size: number;
  readonly options: PerftestOptions;
  readonly role: Role;
  readonly progress: JobRequest['progress'];
  readonly warnings: string[] = [];
  readonly #operations: Operation[] = [];

  constructor(
    readonly tools: Tools,
    { side, size, progress }: JobRequest,
  ) {
    this.side = side;
    this.size = size;
    this.options = side.options;
    this.role = side.role;
    this.progress = progress;
  }

  /** Whether the other side is a stock perftest, which meets at the begin and at the end of a size alone. */
  get stock(): boolean {
    return this.options.meeting.stockPeer;
  }

  /** Remembers what must be released once the size is measured. */
  keep<T extends Operation>(operation: T): T {
    this.#operations.push(operation);
    return operation;
  }

  release(): void {
    this.tools.release(this.#operations.splice(0));
  }

  /** Runs a program; whatever happens it lets go of its operations. */
  run<T>(program: Program, action: (run: Run) => T): T {
    const run = this.tools.executor.start(program);
    try {
      return action(run);
    } finally {
      run.finish();
    }
  }

  /** Both sides are ready. Of several pairs all begin together. */
  begin(): void {
    const { pair, world } = this.side;
    if (world !== pair && !this.stock) world.barrier();
    pair.barrier();
  }

  /** Both sides are done; whoever comes first waits. */
  end(): void {
    this.side.pair.barrier();
  }

  /** A barrier of our own exchange as an operation; `meanwhile` runs while it waits. */
  barrier(meanwhile: Operation = this.keep(noop())): Operation {
    const { pair } = this.side;
    if (pair.progressBarrier) return this.keep(pair.progressBarrier(meanwhile));
    throw new PerftestRefusal(
      `the exchange by ${pair.kind} has no barrier that makes progress, which this test needs: meet over TCP or by mpirun`,
    );
  }
}
