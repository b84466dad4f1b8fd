/** Kernels of collectives: every rank calls the same operation, and every rank's time counts. */
import { computePieces } from '../../engine/compute.js';
import { timestamp } from '../../engine/timestamp.js';
import type { CheckOperation } from '../../engine/operations.js';
import type { Operation, Program } from '../../engine/types.js';
import type { CollectiveName } from '../../transport/collective-shapes.js';
import type { Collective, Started } from '../../transport/types.js';
import type { Built, Kernel, Measured, Phase } from '../kernels/kernel.js';
import type { Bench, RowTask } from '../row.js';
import { operationsOf, releaseAll } from './buffers.js';
import { CollectiveData, type Turn } from './collective-data.js';

/** Where the ranks meet, untimed: after each repetition, before it, or never. */
export type Meets = 'after' | 'before' | 'never';

export interface CollectiveKernel {
  readonly name: CollectiveName;
  /** As the peer does it (default `after`). */
  readonly meets?: Meets;
}

/** Everything of one row that has to be given back. */
class Layout {
  readonly checks: CheckOperation[] = [];
  readonly #programs: Program[] = [];
  constructor(
    readonly data: CollectiveData,
    private readonly task: RowTask,
    private readonly bench: Bench,
    private readonly meets: Meets,
    private readonly stamps: Built['stamps'],
  ) {}

  /**
   * A program around the timed part: data, the meeting of the ranks, and the stamps of begin and end.
   *
   * @param bare what the untimed repeats of validation run, where that is not all of the timed part
   */
  program(timed: readonly Operation[], bare = timed): Program {
    const { before, after, checks } = this.data.checked(bare);
    this.checks.push(...checks);
    const meeting = this.#meeting();
    const stamp = (array: Float64Array | undefined): Operation[] =>
      array ? [timestamp(array, this.bench.clockBase)] : [];
    const untimed = {
      before: [...before, ...(this.meets === 'before' ? meeting : []), ...stamp(this.stamps?.begin)],
      after: [...stamp(this.stamps?.end), ...after, ...(this.meets === 'after' ? meeting : [])],
    };
    const program = { timed, ...(untimed.before.length + untimed.after.length > 0 ? { untimed } : {}) };
    this.#programs.push(program);
    return program;
  }

  built(phases: readonly Phase[]): Built {
    return {
      phases,
      times: true,
      checks: this.checks,
      transmitSize: this.data.turns[0]?.collective.transmitSize ?? 0,
      ...(this.stamps ? { stamps: this.stamps } : {}),
      release: () => {
        releaseAll([...new Set(this.#programs.flatMap(operationsOf))], this.bench.executor);
        this.data.free();
      },
    };
  }

  #meeting(): Operation[] {
    const { processSync } = this.task.options;
    if (this.meets === 'never' || processSync === 'none') return [];
    return [this.bench.transport.barrier(processSync)];
  }
}

function layoutOf({ name, meets = 'after' }: CollectiveKernel, task: RowTask, bench: Bench, agreed = false): Layout {
  const room = (): Float64Array => new Float64Array(task.stamps ?? 0);
  const stamps = task.stamps === undefined ? undefined : { begin: room(), end: room() };
  return new Layout(
    new CollectiveData(name, task, bench, { neighbours: bench.neighbours, agreed }),
    task,
    bench,
    meets,
    stamps,
  );
}

/** The mean over ranks of their mean times, and the least and the most of these means. */
function averages({ seconds, least, most, iterations }: Measured) {
  return {
    latency: { value: seconds / iterations, unit: 's' },
    minLatency: { value: least / iterations, unit: 's' },
    maxLatency: { value: most / iterations, unit: 's' },
  } as const;
}

/** A collective in one blocking call. */
export function blocking(kernel: CollectiveKernel): Kernel {
  return Object.freeze<Kernel>({
    name: kernel.name,
    figures: averages,
    build: (task, bench) => {
      const layout = layoutOf(kernel, task, bench);
      const timed = [layout.data.turning(({ collective, buffers }) => collective.run(buffers))];
      const program = layout.program(timed);
      return layout.built([{ name: 'collective', program: () => program }]);
    },
  });
}

type Begin = (collective: Collective, buffers: Turn['buffers'], like: Started | undefined) => Started;

/** Each turn's start, wait and tests, as operations that turn with the iterations. */
function startedOf({ data }: Layout, begin: Begin): Started {
  const started = new Map<Turn, Started>();
  let first: Started | undefined;
  for (const turn of data.turns) {
    const one = begin(turn.collective, turn.buffers, first);
    first ??= one;
    started.set(turn, one);
  }
  const each = (of: (one: Started) => Operation): Operation =>
    data.turning((turn) => {
      const one = started.get(turn);
      if (!one) throw new Error('a turn was not started');
      return of(one);
    });
  const start = each((one) => one.start);
  if (first && [...started.values()].every(({ wait }) => wait === first.wait)) return { ...first, start };
  return { start, wait: each(({ wait }) => wait), test: () => each(({ test }) => test()) };
}

/**
 * Where many take turns, each is run once beforehand: some may never have theirs, and MPICH 4.0 holds a persistent collective
 * that was never started to be in flight.
 */
function prepared({ data }: Layout): Begin {
  return (collective, buffers) => {
    const made = collective.prepare(buffers);
    if (data.turns.length > 1) for (const once of [made.start, made.wait]) once();
    return made;
  };
}

/** A collective that was initialised once, started and waited for. */
export function persistent(kernel: CollectiveKernel): Kernel {
  return Object.freeze<Kernel>({
    name: `${kernel.name} persistent`,
    figures: averages,
    build: (task, bench) => {
      const layout = layoutOf(kernel, task, bench, true);
      const { start, wait } = startedOf(layout, prepared(layout));
      const program = layout.program([start, wait]);
      return layout.built([{ name: 'collective', program: () => program }]);
    },
  });
}

/** The timed part with as much computing as the bare collective takes, cut by the tests, and which part each step is. */
function overlapped({ start, wait, test }: Started, seconds: number, tests: number) {
  const computing = computePieces(seconds, tests + 1).flatMap((piece, index) => [
    ...(index === 0 ? [] : [{ part: 'test', operation: test() } as const]),
    { part: 'compute', operation: piece } as const,
  ]);
  return [{ part: 'init', operation: start } as const, ...computing, { part: 'wait', operation: wait } as const];
}

/** Seconds of each part, of those of each step. */
function partsOf(steps: ReturnType<typeof overlapped>, split: Float64Array): Record<string, number> {
  const parts = { init: 0, compute: 0, test: 0, wait: 0 };
  steps.forEach(({ part }, index) => (parts[part] += split[index] ?? NaN));
  return parts;
}

/**
 * `Overlap = max(0, 100 - (Overall - Compute) / Pure * 100)` in per cent, all of them means over ranks: how much of the
 * bare collective's time the computing hid (OMB's formula).
 */
function overlapFigures({ seconds, iterations, parts, earlier }: Measured) {
  const pure = earlier['pure'];
  const per = (sum: number | undefined, count = iterations) => ({ value: (sum ?? NaN) / count, unit: 's' }) as const;
  const hidden =
    100 -
    ((seconds - (parts['compute'] ?? NaN)) / iterations / ((pure?.mean ?? NaN) / (pure?.iterations ?? NaN))) * 100;
  return {
    overall: per(seconds),
    compute: per(parts['compute']),
    init: per(parts['init']),
    test: per(parts['test']),
    wait: per(parts['wait']),
    pure: per(pure?.mean, pure?.iterations),
    minPure: per(pure?.least, pure?.iterations),
    maxPure: per(pure?.most, pure?.iterations),
    overlap: { value: Math.max(0, hidden), unit: '%' },
  } as const;
}

/** A non-blocking collective: bare, then with computing between its start and the wait for it. */
export function overlapping(kernel: CollectiveKernel): Kernel {
  return Object.freeze<Kernel>({
    name: `i${kernel.name}`,
    figures: overlapFigures,
    build: (task, bench) => {
      const layout = layoutOf(kernel, task, bench);
      // Each phase has operations of its own: a program holds its operations until all of it is given back.
      const begin = (): Started => startedOf(layout, (collective, buffers, like) => collective.start(buffers, like));
      const bare = begin();
      const pure = layout.program([bare.start, bare.wait]);
      let steps: ReturnType<typeof overlapped> = [];
      const overlap: Phase = {
        name: 'overlap',
        program: ([seconds = 0]) => {
          const started = begin();
          steps = overlapped(started, seconds, task.options.testCalls);
          const timed = steps.map(({ operation }) => operation);
          return { ...layout.program(timed, [started.start, started.wait]), split: true };
        },
        parts: (split) => partsOf(steps, split),
      };
      return layout.built([{ name: 'pure', program: () => pure }, overlap]);
    },
  });
}
