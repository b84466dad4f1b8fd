/** Runs one benchmark: every row of its table, on every rank. Prints nothing and touches no global. */
import type { OsuOptions } from '../cli/options.js';
import type { Reporter } from '../report/types.js';
import type { RowRecord } from '../results/types.js';
import type { Figures } from './kernels/kernel.js';
import { countsFor } from './measure/counts.js';
import { SAMPLE_LIMIT, SampleStore } from './measure/samples.js';
import { Chunker, CHUNK_LIMIT, TimeBudget } from './measure/stopping.js';
import type { Plan, Section } from './plan.js';
import { measureRow, type Bench, type ChunkSource, type RowSeen, type RowTask, type WrongBytes } from './row.js';
import type { OsuRow } from './suites/osu.js';

export interface RunRequest {
  readonly row: OsuRow;
  readonly options: OsuOptions;
  readonly plan: Plan;
  readonly bench: Bench;
  /** On rank 0; none elsewhere. */
  readonly reporters: readonly Reporter[];
  /** Called before each row with what is about to be measured, for the watchdog. */
  readonly announce?: (what: string) => void;
  /** Takes this rank's wrong bytes, for `-c log`. */
  readonly logWrong?: (size: number, wrong: readonly WrongBytes[]) => void;
}

/** How a run ended, the same on every rank. */
export interface RunOutcome {
  /** Size of the row whose data was wrong; undefined when all of it was right. */
  readonly wrongAtSize?: number;
  /** Rows that the time limit left out. */
  readonly leftOut: number;
}

interface Cell {
  readonly size: number;
  readonly window: number;
  readonly datatype: string;
}

function taskOf({ row, options, plan, bench }: RunRequest, cell: Cell): RowTask & { iterations: number } {
  const counts = countsFor(row.defaults.counts, cell.size, options);
  // Large messages take so long that it doesn't show whether the loop around them was compiled.
  const steady = cell.size <= row.defaults.counts.threshold ? (bench.executor.steadyAfter ?? 0) : 0;
  const warmup = options.warmup ?? Math.max(counts.warmup, steady);
  return {
    ...cell,
    kernel: row.kernel,
    barriers: row.barriers,
    pairs: plan.pairs,
    layout: plan.layout,
    // A ping-pong has no window: its one message at a time uses one buffer.
    manyBuffers: options.buffers === 'multiple' && row.accepts.includes('window-size'),
    validationWarmup: options.validation ? options.validationWarmup : undefined,
    iterations: counts.iterations,
    warmup,
  };
}

/** What one rank tells the others about a row. */
interface Told extends Omit<RowSeen, 'wrong'> {
  readonly wrongBytes: number;
}

function figuresOf({ row, plan }: RunRequest, cell: Cell, seconds: number, iterations: number): Figures {
  return row.kernel.figures({ seconds, iterations, size: cell.size, window: cell.window, pairs: plan.pairs });
}

/** Keeps samples as what each says of the row's figure, a sample being one iteration. */
function storeFor(request: RunRequest, cell: Cell): SampleStore {
  const { figure } = request.row;
  return new SampleStore({
    limit: SAMPLE_LIMIT * request.plan.pairs,
    convert: (seconds) => figuresOf(request, cell, seconds, 1)[figure]?.value ?? NaN,
  });
}

function statisticsOf({ row, options }: RunRequest, figures: Figures, store: SampleStore): RowRecord['statistics'] {
  const unit = figures[row.figure]?.unit;
  if (unit === undefined) throw new Error(`${row.name}: its kernel gives no figure named ${row.figure}`);
  return { ...store.statistics({ tail: row.tail, percentiles: options.percentiles }), figure: row.figure, unit };
}

function recordOf(
  request: RunRequest,
  cell: Cell,
  warmup: number,
  told: readonly Told[],
  store: SampleStore,
): RowRecord {
  const { row, plan, options } = request;
  const times = told.flatMap(({ seconds }) => (seconds === null ? [] : [seconds]));
  const mean = times.reduce((sum, seconds) => sum + seconds, 0) / times.length;
  const n = told[0]?.iterations ?? 0;
  const figures = figuresOf(request, cell, mean, n);
  const wrong = told.reduce((sum, { wrongBytes }) => sum + wrongBytes, 0);
  return {
    parameters: {
      size: cell.size,
      datatype: cell.datatype,
      ...(row.accepts.includes('window-size') ? { window: cell.window } : {}),
      ...(row.ranks === 'pairs' ? { pairs: plan.pairs } : {}),
      ...(plan.layout ? { transmitSize: told[0]?.transmitSize ?? cell.size } : {}),
    },
    n,
    warmup,
    figures,
    statistics: statisticsOf(request, figures, store),
    ...(options.validation ? { validation: { passed: wrong === 0, wrongBytes: wrong } } : {}),
  };
}

/** Chunks that all ranks agree on: without a time limit by counting alike, with one by doing what rank 0 says. */
function agreedChunks(
  { bench: { rendezvous } }: RunRequest,
  iterations: number,
  budget: TimeBudget,
): ChunkSource & { chunker: Chunker } {
  const chunker = new Chunker({ iterations, budget });
  const next = (): number => chunker.next();
  return {
    chunker,
    most: Math.min(iterations, CHUNK_LIMIT),
    next: budget.limit === undefined ? next : () => rendezvous.broadcast(rendezvous.rank === 0 ? next() : 0),
    ran: (count, seconds) => {
      if (count === 0) budget.spend(seconds);
      else chunker.ran(count, seconds);
    },
  };
}

/** Takes the samples of the ranks whose times make the figure to rank 0's store and reporters. */
function collector(
  { bench: { rendezvous }, plan, reporters }: RunRequest,
  store: SampleStore,
): (seconds: Float64Array) => void {
  const { rank } = rendezvous;
  return (seconds) => {
    const own = rank < plan.pairs ? seconds : new Float64Array(0);
    const all = plan.pairs === 1 ? (rank === 0 ? [own] : []) : rendezvous.gatherNumbers(own);
    all.slice(0, plan.pairs).forEach((samples, from) => {
      store.add(samples);
      for (const reporter of reporters) reporter.samples?.(from, samples);
    });
  };
}

/** Measures one row and reports it. Returns whether all data was right. */
function oneRow(request: RunRequest, cell: Cell, budget: TimeBudget): boolean {
  const { bench, reporters, row } = request;
  const { iterations, ...task } = taskOf(request, cell);
  request.announce?.(`${row.name}, ${cell.datatype}, size ${cell.size}, window ${cell.window}`);
  const store = storeFor(request, cell);
  const chunks = agreedChunks(request, iterations, budget);
  const { wrong, ...seen } = measureRow(task, bench, chunks, collector(request, store));
  if (wrong.length > 0) request.logWrong?.(cell.size, wrong);
  const wrongBytes = wrong.reduce((sum, { bytes }) => sum + bytes, 0);
  const told = bench.rendezvous.allgather<Told>({ ...seen, wrongBytes });
  if (bench.rendezvous.rank === 0) {
    const record = recordOf(request, cell, task.warmup, told, store);
    const { stopped } = chunks.chunker;
    for (const reporter of reporters) reporter.row(stopped ? { ...record, stopped } : record);
  }
  return told.every((one) => one.wrongBytes === 0);
}

function cellsOf(section: Section, windows: readonly number[]): Cell[] {
  const { datatype, sizes } = section;
  return sizes.flatMap((size) => windows.map((window) => ({ size, window, datatype })));
}

/**
 * Measures all rows. Every rank calls it with the same request, but for `reporters`.
 *
 * @throws OperationError where a communication call fails; rows measured before it were reported
 */
export function runBenchmark(request: RunRequest): RunOutcome {
  const { plan, options, bench, reporters } = request;
  const budget = new TimeBudget(options.timeLimit);
  let leftOut = 0;
  for (const section of plan.sections) {
    for (const reporter of reporters) reporter.section({ datatype: section.datatype });
    for (const cell of cellsOf(section, plan.windows)) {
      if (budget.limit !== undefined && bench.rendezvous.broadcast(budget.exhausted)) {
        leftOut++;
      } else if (!oneRow(request, cell, budget)) {
        return { wrongAtSize: cell.size, leftOut };
      }
    }
  }
  return { leftOut };
}
