/** Runs one benchmark: every row of its table, on every rank. Prints nothing and touches no global. */
import type { OsuOptions } from '../cli/options.js';
import type { Reporter } from '../report/types.js';
import type { RowRecord } from '../results/types.js';
import { agreedChunks, enoughOf } from './chunks.js';
import { counterRecords } from './counters.js';
import type { Figures, Measured, Times } from './kernels/kernel.js';
import { countsFor, MOST_FOR_TARGET } from './measure/counts.js';
import { RankTimes } from './measure/rank-times.js';
import { SAMPLE_LIMIT, SampleStore } from './measure/samples.js';
import { CHUNK_LIMIT, TimeBudget, type Chunker } from './measure/stopping.js';
import type { Statistics } from './measure/types.js';
import type { Plan, Section } from './plan.js';
import {
  measureRow,
  type Bench,
  type ChunkSource,
  type RowSeen,
  type Collect,
  type RowTask,
  type WrongBytes,
} from './row.js';
import type { MeasuringRow } from './suites/osu.js';

export interface RunRequest {
  readonly row: MeasuringRow;
  readonly options: OsuOptions;
  readonly plan: Plan;
  readonly bench: Bench;
  /** Tells parts of a table apart that were measured on so many ranks each. */
  readonly ranks?: number;
  /** On rank 0; none elsewhere. */
  readonly reporters: readonly Reporter[];
  /** Called before each row with what is about to be measured, for the watchdog. */
  readonly announce?: (what: string) => void;
  /** On rank 0, where ranks are compared: takes what each rank took in a row. */
  readonly ranksTook?: (times: ReturnType<RankTimes['medians']>) => void;
  /** Takes this rank's wrong bytes, for `-c log`. */
  readonly logWrong?: (size: number, wrong: readonly WrongBytes[]) => void;
}

/** How a run ended, the same on every rank. */
export interface RunOutcome {
  /** Size of the row whose data was wrong; undefined when all of it was right. */
  readonly wrongAtSize?: number;
  /** Rows that the time limit left out. */
  readonly leftOut: number;
  /** Rows whose median is not as sure as `--target-ci` asks; only rank 0 knows. */
  readonly unsure: number;
}

interface Cell {
  /** Bytes; null where a row has no size. */
  readonly size: number | null;
  readonly window: number;
  readonly datatype: string | undefined;
}

interface SizedTask extends RowTask {
  readonly iterations: number;
  /** Iterations that the row may have until its median is sure enough. */
  readonly most: number;
}

function taskOf({ row, options, plan, bench }: RunRequest, cell: Cell): SizedTask {
  const size = cell.size ?? 0;
  const asked = countsFor(row.defaults.counts, size, options);
  const messages = row.kernel.messages?.(options) ?? 1;
  const rounds = (count: number): number => Math.ceil(count / messages);
  const counts = { iterations: rounds(asked.iterations), warmup: rounds(asked.warmup) };
  const goesOn = options.targetCi !== undefined && options.iterations === undefined;
  const most = counts.iterations * (goesOn ? MOST_FOR_TARGET : 1);
  // Large messages take so long that it doesn't show whether the loop around them was compiled.
  const steady = size <= row.defaults.counts.threshold ? (bench.executor.steadyAfter ?? 0) : 0;
  const warmup = options.warmup === undefined ? Math.max(counts.warmup, steady) : counts.warmup;
  return {
    ...{ window: cell.window, size, datatype: cell.datatype ?? 'MPI_BYTE', options },
    kernel: row.kernel,
    barriers: row.barriers,
    pairs: plan.pairs,
    layout: plan.layout,
    // A ping-pong has no window: its one message at a time uses one buffer.
    manyBuffers: options.buffers === 'multiple' && row.accepts.includes('window-size'),
    stamps: options.perRepetition ? Math.min(most, CHUNK_LIMIT) : undefined,
    validationWarmup: options.validation ? options.validationWarmup : undefined,
    ...{ iterations: counts.iterations, most, warmup },
  };
}

/** What one rank tells the others about a row. */
interface Told extends Omit<RowSeen, 'wrong'> {
  readonly wrongBytes: number;
}

function timesOf(told: readonly Told[], phase: number): Times {
  const sums = told.flatMap(({ times, phases }) => (times ? [phases[phase]?.seconds ?? NaN] : []));
  return {
    mean: sums.reduce((sum, seconds) => sum + seconds, 0) / sums.length,
    least: Math.min(...sums),
    most: Math.max(...sums),
    iterations: told[0]?.phases[phase]?.iterations ?? 0,
  };
}

/** Mean over the timing ranks of each named part of the last phase. */
function partsOf(told: readonly Told[]): Record<string, number> {
  const all = told.flatMap(({ times, phases }) => (times ? [phases.at(-1)?.parts ?? {}] : []));
  const mean = (name: string): number => all.reduce((sum, parts) => sum + (parts[name] ?? NaN), 0) / all.length;
  return Object.fromEntries(Object.keys(all[0] ?? {}).map((name) => [name, mean(name)]));
}

function measuredOf(told: readonly Told[]): Omit<Measured, 'size' | 'window' | 'pairs' | 'calls'> {
  const names = told[0]?.phases.map(({ name }) => name) ?? [];
  const { mean: seconds, least, most, iterations } = timesOf(told, names.length - 1);
  const earlier = Object.fromEntries(names.slice(0, -1).map((name, phase) => [name, timesOf(told, phase)]));
  return { seconds, least, most, iterations, parts: partsOf(told), earlier };
}

function figuresOf(
  { row, plan, options }: RunRequest,
  { size, window }: Cell,
  measured: ReturnType<typeof measuredOf>,
): Figures {
  const calls = row.kernel.calls?.(options) ?? 1;
  return row.kernel.figures({ ...measured, size: size ?? 0, window, pairs: plan.pairs, calls });
}

/** Keeps samples as what each says of the row's figure, a sample being one iteration. */
function storeFor({ row, plan, options }: RunRequest, { size, window }: Cell): SampleStore {
  const { figure, kernel, samples } = row;
  const calls = kernel.calls?.(options) ?? 1;
  // One for all: there may be a million samples.
  const measured = {
    ...{ size: size ?? 0, window, pairs: plan.pairs, calls, iterations: 1, parts: {}, earlier: {} },
    ...{ seconds: NaN, least: NaN, most: NaN },
  };
  return new SampleStore({
    limit: SAMPLE_LIMIT * (samples === 'mean' ? 1 : plan.pairs),
    convert: (seconds) => {
      measured.seconds = measured.least = measured.most = seconds;
      return kernel.figures(measured)[figure]?.value ?? NaN;
    },
  });
}

/** Adds the mean time of a repetition as the slowest rank had it, where samples are such times. */
function withSlowest({ options }: RunRequest, figures: Figures, { mean }: Statistics): Figures {
  return options.perRepetition ? { ...figures, slowest: { value: mean ?? NaN, unit: 's' } } : figures;
}

function statisticsOf({ row, options }: RunRequest, figures: Figures, statistics: Statistics): RowRecord['statistics'] {
  const unit = figures[row.figure]?.unit;
  if (unit === undefined) throw new Error(`${row.name}: its kernel gives no figure named ${row.figure}`);
  return { ...statistics, figure: options.perRepetition ? 'slowest' : row.figure, unit };
}

function recordOf(
  request: RunRequest,
  cell: Cell,
  warmup: number,
  told: readonly Told[],
  store: SampleStore,
): RowRecord {
  const { row, plan, options, bench } = request;
  const measured = measuredOf(told);
  // Of a million samples they take a third of a second: once.
  const statistics = store.statistics({ tail: row.tail, percentiles: options.percentiles });
  const figures = withSlowest(request, figuresOf(request, cell, measured), statistics);
  const wrong = told.reduce((sum, { wrongBytes }) => sum + wrongBytes, 0);
  return {
    parameters: {
      size: cell.size,
      ...(request.ranks === undefined ? {} : { ranks: request.ranks }),
      ...(cell.datatype === undefined ? {} : { datatype: cell.datatype }),
      ...(row.accepts.includes('window-size') ? { window: cell.window } : {}),
      ...(row.ranks === 'pairs' ? { pairs: plan.pairs } : {}),
      ...(plan.layout ? { transmitSize: told[0]?.transmitSize ?? 0 } : {}),
    },
    n: measured.iterations,
    warmup,
    figures,
    statistics: statisticsOf(request, figures, statistics),
    ...(bench.counters ? { counters: counterRecords(told.map(({ counters }) => counters)) } : {}),
    ...(options.validation ? { validation: { passed: wrong === 0, wrongBytes: wrong } } : {}),
  };
}

/** The mean over ranks of each iteration. */
function meanOf(all: readonly Float64Array[]): Float64Array {
  const mean = new Float64Array(all[0]?.length ?? 0);
  for (const samples of all) samples.forEach((seconds, i) => (mean[i] = (mean[i] ?? 0) + seconds / all.length));
  return mean;
}

/** What each repetition took from the first rank's begin to the last rank's end, by one clock. */
function slowestOf(
  begins: readonly Float64Array[],
  ends: readonly Float64Array[],
  globalTime: Bench['globalTime'] = (_rank, seconds) => seconds,
): Float64Array {
  const at = (all: readonly Float64Array[], i: number) => all.map((own, rank) => globalTime(rank, own[i] ?? NaN));
  return Float64Array.from({ length: begins[0]?.length ?? 0 }, (_, i) =>
    Math.max(0, Math.max(...at(ends, i)) - Math.min(...at(begins, i))),
  );
}

/**
 * Takes the samples of the ranks whose times make the figure to rank 0's store and reporters. With `--per-repetition` a
 * sample is the time from the first rank's begin to the last one's end.
 */
function collector(
  { bench, row, plan, reporters, options }: RunRequest,
  store: SampleStore,
  times: RankTimes | undefined,
): Collect {
  const { rendezvous } = bench;
  const first = rendezvous.rank === 0;
  const none = new Float64Array(0);
  const gather = (own: Float64Array | undefined): readonly Float64Array[] => rendezvous.gatherNumbers(own ?? none);
  return ({ seconds, times: counts, stamps }) => {
    const own = counts ? seconds : none;
    // Of two ranks the first one keeps the time: nothing needs to be sent.
    const gathered = row.ranks === 2 ? (first ? [own] : []) : gather(own);
    const timing = row.ranks === 'pairs' ? gathered.slice(0, plan.pairs) : gathered;
    const all = timing.flatMap((samples, from) => (samples.length > 0 ? [{ samples, from }] : []));
    for (const { samples, from } of all) for (const reporter of reporters) reporter.samples?.(from, samples);
    if (times) for (const { samples, from } of all) times.add(from, samples);
    const every = all.map(({ samples }) => samples);
    if (options.perRepetition) {
      const [begins, ends] = [gather(stamps?.begin), gather(stamps?.end)];
      if (first) store.add(slowestOf(begins, ends, bench.globalTime));
    } else {
      const kept = row.samples === 'mean' && first ? [{ samples: meanOf(every), from: 0 }] : all;
      for (const { samples, from } of kept) store.add(samples, samples.length, from);
    }
  };
}

function announcement({ name, accepts }: MeasuringRow, { datatype, size, window }: Cell): string {
  const parts = [
    ...(datatype === undefined ? [] : [datatype]),
    ...(size === null ? [] : [`size ${size}`]),
    ...(accepts.includes('window-size') ? [`window ${window}`] : []),
  ];
  return [name, ...parts].join(', ');
}

/** What became of a row. */
interface RowOutcome {
  /** Whether all data was right. */
  readonly right: boolean;
  /** Whether the median is as sure as it should be; as far as this rank knows. */
  readonly sure: boolean;
}

/** Measures one row and reports it. */
function oneRow(request: RunRequest, cell: Cell, budget: TimeBudget): RowOutcome {
  const { bench, reporters, row } = request;
  const { iterations, most, ...task } = taskOf(request, cell);
  request.announce?.(announcement(row, cell));
  const store = storeFor(request, cell);
  const enough = enoughOf(request.options, store);
  let chunker: Chunker | undefined;
  const chunksOf = (last: boolean): ChunkSource => {
    const chunks = agreedChunks(bench.rendezvous, last ? most : iterations, budget, last ? enough : undefined);
    ({ chunker } = chunks);
    return chunks;
  };
  const times = request.ranksTook && new RankTimes();
  const { wrong, ...seen } = measureRow(task, bench, chunksOf, collector(request, store, times));
  if (wrong.length > 0) request.logWrong?.(cell.size ?? 0, wrong);
  const wrongBytes = wrong.reduce((sum, { bytes }) => sum + bytes, 0);
  const told = bench.rendezvous.allgather<Told>({ ...seen, wrongBytes });
  const first = bench.rendezvous.rank === 0;
  if (first) {
    const record = recordOf(request, cell, task.warmup, told, store);
    const stopped = chunker?.stopped;
    if (times) request.ranksTook?.(times.medians());
    for (const reporter of reporters) reporter.row(stopped ? { ...record, stopped } : record);
  }
  return { right: told.every((one) => one.wrongBytes === 0), sure: !first || chunker?.reached !== false };
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
  let [leftOut, unsure] = [0, 0];
  for (const section of plan.sections) {
    const { datatype } = section;
    const { ranks } = request;
    const named = { ...(datatype === undefined ? {} : { datatype }), ...(ranks === undefined ? {} : { ranks }) };
    for (const reporter of reporters) reporter.section(named);
    for (const cell of cellsOf(section, plan.windows)) {
      if (budget.limit !== undefined && bench.rendezvous.broadcast(budget.exhausted)) {
        leftOut++;
        continue;
      }
      const { right, sure } = oneRow(request, cell, budget);
      if (!sure) unsure++;
      if (!right) return { wrongAtSize: cell.size ?? 0, leftOut, unsure };
    }
  }
  return { leftOut, unsure };
}
