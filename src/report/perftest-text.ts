/** What the ib_* programs show, byte for byte as perftest 4.5 does, but for the points of docs/differences.md. */
import type { PerftestOptions } from '../cli/perftest-options.js';
import { addressText, boxText, RULE, waitingForCmText, waitingText } from './perftest-box.js';
import { fixed, general, lines } from './perftest-format.js';
import type {
  BandwidthFigures,
  LatencyFigures,
  PerftestText,
  PerftestTextContext,
  PerftestTextFor,
  ShownStatistics,
} from './perftest-types.js';

const MIB = 2 ** 20;
const GBIT = 1e9 / 8;
const MILLION = 1e6;
const NANOSECONDS = 1e9;
/** Below it Gb/s have too few digits. */
const SMALL_GBITS = 0.1;

export const perftestText: PerftestTextFor = (options, context = {}) =>
  options.output === undefined ? tableText(options, context) : numberText(options, context);

/** The bandwidth in the unit of the report. */
export function inReportUnit(bytesPerSecond: number, gbits: boolean): number {
  return bytesPerSecond / (gbits ? GBIT : MIB);
}

interface Clock {
  readonly unit: 'usec' | 'cycles';
  readonly perSecond: number;
}

function clockOf({ cycles }: PerftestOptions, { cyclesPerSecond = NANOSECONDS }: PerftestTextContext): Clock {
  return cycles ? { unit: 'cycles', perSecond: cyclesPerSecond } : { unit: 'usec', perSecond: MILLION };
}

function tableText(options: PerftestOptions, context: PerftestTextContext): PerftestText {
  const clock = clockOf(options, context);
  const heads = options.kind === 'lat' ? latencyHeads(options, clock) : bandwidthHeads(options);
  const row = (figures: BandwidthFigures) => bandwidthRow(options, figures);
  // Three of the four have a blank here.
  const end = options.verb === 'atomic' ? ':' : ': ';
  const block = (title: string, figures: BandwidthFigures) => ['', ` ${title}${end}`, RULE, heads, row(figures), RULE];
  return {
    waiting: waitingText,
    header: (header) => boxText(options, header) + cmWords(options, header.sender),
    address: addressText,
    columns: () => lines([RULE, heads]),
    latency: (figures) => lines([options.duration ? timedRow(options, figures, clock) : latencyRow(figures, clock)]),
    samples: (seconds) => samplesText(options, clock, heads, seconds),
    statistics: (statistics) => (options.stats ? lines([statisticsLine(statistics, clock)]) : ''),
    bandwidth: (figures) => lines([row(figures)]),
    both: (local, remote) =>
      options.reportBoth ? lines([...block('Local results', local), ...block('Remote results', remote)]) : '',
    counters: (differences) =>
      differences.length === 0 ? '' : lines([...differences.map(([name, value]) => `\t${name}=${value}`), '']),
    end: () => lines([RULE]),
  };
}

function cmWords({ meeting }: PerftestOptions, sender = true): string {
  return meeting.rdmaCm && !sender ? waitingForCmText() : '';
}

/** `--output`: a number alone, with all digits of C's `%lf`. */
function numberText(options: PerftestOptions, context: PerftestTextContext): PerftestText {
  const { perSecond } = clockOf(options, context);
  const nothing = () => '';
  const chosen = ({ average, messageRate }: BandwidthFigures) =>
    options.output === 'message_rate' ? (messageRate ?? 0) / MILLION : inReportUnit(average ?? 0, options.gbits);
  return {
    ...{ waiting: nothing, header: nothing, address: nothing, columns: nothing, samples: nothing },
    ...{ statistics: nothing, both: nothing, counters: nothing, end: nothing },
    latency: ({ average }) => lines([fixed((average ?? 0) * perSecond, 6)]),
    bandwidth: (figures) => lines([fixed(chosen(figures), 6)]),
  };
}

function latencyHeads({ duration, cpuUtil }: PerftestOptions, { unit }: Clock): string {
  if (duration) return withLoadHead(` #bytes        #iterations       t_avg[${unit}]    tps average`, cpuUtil);
  return [
    ` #bytes #iterations    t_min[${unit}]    t_max[${unit}]  t_typical[${unit}]    t_avg[${unit}]    t_stdev[${unit}] `,
    `  99% percentile[${unit}]   99.9% percentile[${unit}] `,
  ].join('');
}

function latencyRow(figures: LatencyFigures, { perSecond }: Clock): string {
  const { size, iterations, min, max, typical, average, stdev, p99, p999 } = figures;
  const [low, high, middle, mean, deviation, percentile, last] = [min, max, typical, average, stdev, p99, p999].map(
    (seconds) => fixed((seconds ?? 0) * perSecond, 2, 7),
  );
  return [
    ` ${String(size).padEnd(7)} ${iterations}          ${low}        ${high}      ${middle}  \t       ${mean}`,
    `     \t${deviation}\t\t${percentile} \t\t${last}`,
  ].join('');
}

function timedRow({ cpuUtil }: PerftestOptions, figures: LatencyFigures, { perSecond }: Clock): string {
  const { size, iterations, average, tps } = figures;
  const mean = fixed((average ?? 0) * perSecond, 2, 7);
  const row = ` ${String(size).padEnd(7)}       ${iterations}            ${mean}        ${fixed(tps ?? 0, 2, 7)}`;
  return withLoad(row, cpuUtil, figures);
}

function withLoadHead(heads: string, cpuUtil: boolean): string {
  return cpuUtil ? `${heads}    CPU_Util[%]` : heads;
}

function withLoad(row: string, shown: boolean, { cpuUtil = 0 }: LatencyFigures | BandwidthFigures): string {
  return shown ? `${row}\t    ${fixed(cpuUtil, 2, 3)}` : row;
}

/** Every sample, which perftest's `-H` doesn't show: the two largest are missing there. */
function samplesText(
  { histogram, unsorted }: PerftestOptions,
  { unit, perSecond }: Clock,
  heads: string,
  seconds: ArrayLike<number>,
): string {
  if (!histogram && !unsorted) return '';
  const times = Float64Array.from(seconds);
  if (!unsorted) times.sort();
  const rows = Array.from(times, (time, index) => `${index + 1}, ${general(time * perSecond)}`);
  return lines([`#, ${unit}`, ...rows, RULE, heads]);
}

/** What perftest doesn't have, in the words of ucx_perftest's `--stats`. */
function statisticsLine(statistics: ShownStatistics, { unit, perSecond }: Clock): string {
  const { n, medianInterval } = statistics;
  const time = (seconds: number | null): string => (seconds === null ? '-' : (seconds * perSecond).toFixed(3));
  const values = (['min', 'median', 'p90', 'p99', 'max', 'sd'] as const).map(
    (name) => `${name} ${time(statistics[name])}`,
  );
  const interval = medianInterval ? `${time(medianInterval.low)} to ${time(medianInterval.high)}` : '-';
  return `Samples:  ${[...values, `95% of the median ${interval}`, `n ${n}`].join(', ')} (${unit})`;
}

function bandwidthHeads({ gbits, cpuUtil }: PerftestOptions): string {
  const unit = gbits ? 'Gb/sec' : 'MB/sec';
  const heads = ` #bytes     #iterations    BW peak[${unit}]    BW average[${unit}]   MsgRate[Mpps]`;
  return withLoadHead(heads, cpuUtil);
}

function bandwidthRow({ gbits, cpuUtil }: PerftestOptions, figures: BandwidthFigures): string {
  const { size, iterations } = figures;
  const peak = inReportUnit(figures.peak ?? 0, gbits);
  const average = inReportUnit(figures.average ?? 0, gbits);
  const rate = fixed((figures.messageRate ?? 0) / MILLION, 6, 7);
  const start = ` ${String(size).padEnd(7)}    `;
  const row =
    gbits && average < SMALL_GBITS
      ? `${start}${iterations}           ${fixed(peak, 6, 7)}            ${fixed(average, 6, 7)}            ${rate}`
      : `${start}${String(iterations).padEnd(10)}       ${fixed(peak, 2, 7)}            ${fixed(average, 2, 7)}\t\t   ${rate}`;
  return withLoad(row, cpuUtil, figures);
}
