/** The options of `fabricbench map`. */
import { WrongUse, type Given } from '../../cli/commands/command.js';
import { parseTarget } from '../../cli/outputs.js';
import { parseBytes, parseDecimal, parseInteger } from '../../cli/values.js';
import { checkWritable } from '../../report/record-target.js';
import { textOf, type OptionRow } from '../options.js';
import type { Effort, PlanRequest } from './budget.js';

export type Mode = 'latency' | 'bw' | 'both';

export interface MapOptions {
  readonly mode: Mode;
  readonly congested: boolean;
  /** Partners of each node; undefined = all others. */
  readonly sample: number | undefined;
  /** Ranks in a row that make a node; undefined = those of a host. */
  readonly nodesBy: number | undefined;
  /** Seconds. */
  readonly timeLimit: number;
  /** As a share: 0.1 = 10 % worse than expected. */
  readonly threshold: number;
  /** What is done with each pair where there is time. */
  readonly wanted: Effort;
  readonly fixed: NonNullable<PlanRequest['fixed']>;
  readonly seed: number;
  readonly csv: string | undefined;
  /** FILE.svg or FILE.html. */
  readonly output: string | undefined;
  readonly colour: boolean;
  readonly failOnOutlier: boolean;
}

const DEFAULTS = {
  timeLimit: 300,
  threshold: '10%',
  latencySize: 8,
  iterations: 100,
  size: '1M',
  window: 16,
  windows: 5,
  seed: 1,
} as const;
const LATENCY_WARMUP = 10;
const WINDOW_WARMUP = 1;
/** From so few on every node is reached from every other. */
const FEWEST_PARTNERS = 2;
const LARGEST_SEED = 2 ** 31;

export const mapRows: readonly OptionRow[] = [
  { name: 'mode', describe: 'what is measured: latency, bw or both (default)' },
  { name: 'congested', describe: 'all nodes send and receive at once, in shifts; bandwidth alone', flag: true },
  {
    name: 'sample',
    describe: 'partners of each node, 2 or more (default: all others, or as many as there is time for)',
  },
  {
    name: 'nodes-by',
    describe: 'so many ranks in a row are a node, of which the first takes part (default: those of a host)',
  },
  { name: 'time-limit', describe: `seconds that it may take (default ${DEFAULTS.timeLimit})` },
  { name: 'threshold', describe: `how much worse than expected is worth telling (default ${DEFAULTS.threshold})` },
  { name: 'latency-size', describe: `bytes of a message there and back (default ${DEFAULTS.latencySize})` },
  {
    name: 'iterations',
    describe: `messages there and back of each pair (default ${DEFAULTS.iterations}, fewer where time is short)`,
  },
  { name: 'size', describe: `bytes of a message in a stream (default ${DEFAULTS.size}, less where time is short)` },
  { name: 'window', describe: `messages of a window (default ${DEFAULTS.window}, fewer where time is short)` },
  { name: 'windows', describe: `windows each way (default ${DEFAULTS.windows}, fewer where time is short)` },
  { name: 'seed', describe: `order of the nodes and choice of samples (default ${DEFAULTS.seed})` },
  { name: 'csv', describe: 'write the figures of every pair here' },
  { name: 'output', alias: 'o', describe: 'write the picture here: FILE.svg or FILE.html' },
  { name: 'colour', describe: 'show the map in colours, whatever the output is', flag: true },
  {
    name: 'fail-on-outlier',
    describe: 'exit code 1 where a host, a link or a direction is slower than it should be',
    flag: true,
  },
];

export function readMap(given: Given): MapOptions {
  const congested = given['congested'] === true;
  const mode = modeOf(textOf(given, 'mode'), congested);
  const iterations = numberOf(given, 'iterations', 1);
  const windows = numberOf(given, 'windows', 1);
  const [size, window] = [bytesOf(given, 'size', 1), numberOf(given, 'window', 1)];
  const sample = numberOf(given, 'sample', FEWEST_PARTNERS);
  return {
    ...{ mode, congested, sample },
    nodesBy: numberOf(given, 'nodes-by', 1),
    timeLimit: secondsOf(given),
    threshold: thresholdOf(given),
    wanted: {
      latencySize: bytesOf(given, 'latency-size', 0) ?? DEFAULTS.latencySize,
      latencyIterations: mode === 'bw' ? 0 : (iterations ?? DEFAULTS.iterations),
      latencyWarmup: LATENCY_WARMUP,
      size: size ?? parseBytes(DEFAULTS.size) ?? 0,
      window: window ?? DEFAULTS.window,
      windows: mode === 'latency' ? 0 : (windows ?? DEFAULTS.windows),
      windowWarmup: WINDOW_WARMUP,
    },
    fixed: {
      size: size !== undefined || window !== undefined,
      iterations: iterations !== undefined || windows !== undefined,
      rounds: sample !== undefined,
    },
    seed: numberOf(given, 'seed', 0, LARGEST_SEED) ?? DEFAULTS.seed,
    ...{ csv: fileOf(given, 'csv', 'CSV'), output: pictureOf(given) },
    ...{ colour: given['colour'] === true, failOnOutlier: given['fail-on-outlier'] === true },
  };
}

function modeOf(text: string | undefined, congested: boolean): Mode {
  const mode = (['latency', 'bw', 'both'] as const).find((one) => one === text);
  if (text !== undefined && mode === undefined) throw new WrongUse(`--mode ${text}: give latency, bw or both`);
  if (!congested) return mode ?? 'both';
  if (mode === 'latency' || mode === 'both')
    throw new WrongUse(
      `--congested measures bandwidth: leave --mode ${mode} out, and see fabricbench congest for latency`,
    );
  return 'bw';
}

function numberOf(given: Given, name: string, least: number, most?: number): number | undefined {
  const text = textOf(given, name);
  if (text === undefined) return undefined;
  const value = parseInteger(text, least, most);
  const range = most === undefined ? `from ${least}` : `from ${least} to ${most}`;
  if (value === undefined) throw new WrongUse(`--${name} ${text}: give a whole number ${range}`);
  return value;
}

function bytesOf(given: Given, name: string, least: number): number | undefined {
  const text = textOf(given, name);
  if (text === undefined) return undefined;
  const value = parseBytes(text);
  if (value === undefined || value < least) throw new WrongUse(`--${name} ${text}: give bytes from ${least}, as 64K`);
  return value;
}

function secondsOf(given: Given): number {
  const text = textOf(given, 'time-limit');
  if (text === undefined) return DEFAULTS.timeLimit;
  const value = parseDecimal(text, Number.MIN_VALUE);
  if (value === undefined) throw new WrongUse(`--time-limit ${text}: give seconds above 0, as 120 or 2.5`);
  return value;
}

function thresholdOf(given: Given): number {
  const text = textOf(given, 'threshold') ?? DEFAULTS.threshold;
  const share = parseTarget(text);
  if (!share.ok) throw new WrongUse(`--threshold ${text}: give a percentage above 0 and below 100, as 10%`);
  return share.value;
}

/** Found out before anything is started, where it can be. */
function fileOf(given: Given, name: string, what: string): string | undefined {
  const file = textOf(given, name);
  if (file === undefined) return undefined;
  if (file === '-') throw new WrongUse(`--${name} takes the name of a file`);
  const problem = checkWritable(file, what);
  if (problem !== undefined) throw new WrongUse(problem.replace(/\.$/, ''));
  return file;
}

function pictureOf(given: Given): string | undefined {
  const file = fileOf(given, 'output', 'picture');
  if (file === undefined || /\.(svg|html)$/i.test(file)) return file;
  throw new WrongUse(`--output ${file}: give a name that ends in .svg or .html`);
}
