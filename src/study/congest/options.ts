/** The options of `fabricbench congest`. */
import type { Given } from '../../cli/commands/command.js';
import { DEFAULT_WINDOW } from '../../cli/osu-defaults.js';
import { parseBytes } from '../../cli/values.js';
import { WrongUse } from '../../cli/commands/command.js';
import { listOf, numberOf, textOf, type OptionRow } from '../options.js';
import { AGGRESSORS, VICTIMS, type AggressorName, type VictimName } from './roles.js';

export interface CongestOptions {
  readonly victims: readonly VictimName[];
  readonly aggressors: readonly AggressorName[];
  /** Of the victims; undefined = a fifth of all. */
  readonly victimRanks: number | undefined;
  /** Bytes of the victims' messages. */
  readonly size: number;
  /** Of the aggressors'. */
  readonly aggressorSize: number;
  readonly window: number;
  readonly rounds: number;
  /** Of each measurement; undefined = as the victim has it. */
  readonly iterations: number | undefined;
  readonly warmup: number | undefined;
}

const DEFAULT_SIZE = 8;
const DEFAULT_AGGRESSOR_SIZE = 16384;
/** From 6 on there is an interval of their median. */
const DEFAULT_ROUNDS = 8;

const victimNames = Object.keys(VICTIMS) as VictimName[];
const aggressorNames = Object.keys(AGGRESSORS) as AggressorName[];

export const congestRows: readonly OptionRow[] = [
  { name: 'victim', describe: `what is measured: ${victimNames.join(', ')} (default: both, one after the other)` },
  {
    name: 'aggressors',
    describe: `what is beside it, one after the other: ${aggressorNames.join(', ')} (all three at once) (default: the first three)`,
  },
  { name: 'victims', describe: 'ranks of the victim, an even number (default: a fifth of all, 2 at least)' },
  { name: 'size', describe: `bytes of the victim's messages (default ${DEFAULT_SIZE})` },
  { name: 'aggressor-size', describe: "bytes of the aggressors' messages (default 16K)" },
  { name: 'window', describe: `messages in flight of an aggressor's stream (default ${DEFAULT_WINDOW})` },
  {
    name: 'rounds',
    describe: `how often all is measured in turn (default ${DEFAULT_ROUNDS}; below 6 without intervals)`,
  },
  {
    name: 'iterations',
    describe: 'of the victim in each measurement (default: latency 5000, allreduce 1000, and 2 s at most)',
  },
  { name: 'warmup', describe: 'of the victim before those that count (default: a hundredth)' },
];

export function readCongest(given: Given): CongestOptions {
  return {
    victims: listOf(given, 'victim', wordOf(victimNames), victimNames.join(' or ')) ?? victimNames,
    aggressors:
      listOf(given, 'aggressors', wordOf(aggressorNames), `some of ${aggressorNames.join(', ')}`) ??
      aggressorNames.filter((name) => name !== 'mixed'),
    victimRanks: victimRanksOf(given),
    size: bytesOf(given, 'size') ?? DEFAULT_SIZE,
    aggressorSize: bytesOf(given, 'aggressor-size') ?? DEFAULT_AGGRESSOR_SIZE,
    window: numberOf(given, 'window', 1) ?? DEFAULT_WINDOW,
    rounds: numberOf(given, 'rounds', 1) ?? DEFAULT_ROUNDS,
    iterations: numberOf(given, 'iterations', 1),
    warmup: numberOf(given, 'warmup', 0),
  };
}

const wordOf =
  <T extends string>(words: readonly T[]) =>
  (text: string): T | undefined =>
    words.find((word) => word === text);

/** No empty messages: an allreduce of nothing is none, and traffic without bytes either. */
function bytesOf(given: Given, name: string): number | undefined {
  const text = textOf(given, name);
  if (text === undefined) return undefined;
  const value = parseBytes(text);
  if (value === undefined || value < 4 || value % 4 !== 0)
    throw new WrongUse(`--${name} ${text}: give bytes from 4 that 4 divides, as 8 or 16K`);
  return value;
}

function victimRanksOf(given: Given): number | undefined {
  const ranks = numberOf(given, 'victims', 2);
  if (ranks !== undefined && ranks % 2 !== 0)
    throw new WrongUse(`--victims ${ranks}: give an even number, for they work in pairs`);
  return ranks;
}
