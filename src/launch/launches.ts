/** Whole launches, repeated: one launch is one sample. */
import { median } from '../bench/measure/robust.js';
import type { ResultRecord } from '../results/types.js';
import { asFailed, ofLaunch, withoutSamples } from './records.js';
import type { Ended } from './running.js';
import { isTight, overLaunches, reach, type LaunchRow } from './spread.js';

/** When to stop; at least one launch is made. */
export interface Rules {
  /** Undefined = as many as the other rules want, and MOST_LAUNCHES at most. */
  readonly launches: number | undefined;
  /** Relative: each median's interval reaches no farther than this part of it. */
  readonly targetCi: number | undefined;
  /** Seconds in which launches begin and, as far as those before tell, end. */
  readonly timeLimit: number | undefined;
}

/** Where nobody says how many there may be: an interval that never gets narrow must not launch for ever. */
export const MOST_LAUNCHES = 100;

/** One launch, after its end. */
export interface Launched {
  readonly ended: Ended;
  /** Undefined where it left none. */
  readonly record: ResultRecord | undefined;
}

export interface Series {
  readonly launch: (index: number) => Promise<Launched>;
  /** Takes the record of each launch, those of failed ones too. */
  readonly keep: (record: ResultRecord) => void;
  /** Seconds of a clock that only advances. */
  readonly now: () => number;
}

export interface Repeated {
  readonly rows: readonly LaunchRow[];
  /** Launches that went well. */
  readonly count: number;
  readonly exitCode: number;
  /** Why it ended early, and which launches failed. */
  readonly remarks: readonly string[];
  /** How the last one ended. */
  readonly last: Ended;
}

/** What fails so often in a row will not go well the next time. */
const FAILURES_IN_A_ROW = 3;

/**
 * Launches until a rule says that it is enough. A launch that failed counts for nothing, but it is told, kept and makes
 * the exit code; when the first one fails, whatever was asked for can't be had, and it is the last.
 */
export async function repeat(rules: Rules, { launch, keep, now }: Series): Promise<Repeated> {
  const began = now();
  const tally = new Tally();
  for (let index = 1; ; index++) {
    const { ended, record } = await launch(index);
    // Also one that was complete before its launch failed, so that the file tells which of them count.
    const told = record && ended.code !== 0 ? asFailed(record, reasonOf(ended)) : record;
    if (told) keep(ofLaunch(told, { index, of: rules.launches ?? null }));
    tally.add(index, ended, record);
    const rows = overLaunches(tally.good);
    const progress = { index, rows, elapsed: now() - began, next: median(tally.seconds) };
    const stop = tally.isHopeless ? { remarks: [] } : stopOf(rules, progress);
    if (!stop) continue;
    const { good, exitCode, remarks } = tally;
    return { rows, count: good.length, exitCode, remarks: [...stop.remarks, ...remarks], last: ended };
  }
}

/** What became of the launches so far. */
class Tally {
  readonly good: ResultRecord[] = [];
  readonly seconds: number[] = [];
  readonly remarks: string[] = [];
  exitCode = 0;
  #inARow = 0;
  #isFinal = false;

  add(index: number, ended: Ended, record: ResultRecord | undefined): void {
    this.seconds.push(ended.seconds);
    if (ended.code === 0 && record) {
      this.good.push(withoutSamples(record));
      this.#inARow = 0;
      return;
    }
    this.#inARow += 1;
    this.#isFinal = ended.ending?.isFinal === true;
    this.exitCode ||= ended.code === 0 ? 1 : ended.code;
    this.remarks.push(`launch ${index} ${howFailed(ended)}, and doesn't count`);
  }

  get isHopeless(): boolean {
    return this.#isFinal || this.good.length === 0 || this.#inARow >= FAILURES_IN_A_ROW;
  }
}

function howFailed({ code, ending, cause }: Ended): string {
  if (ending && ending.reason !== cause) return `was ${ending.reason}`;
  if (code !== 0 && cause !== undefined) return `failed (${cause})`;
  return code === 0 ? 'left no record' : `failed with exit code ${code}`;
}

/** Why a launch failed, for its record. */
export function reasonOf({ code, ending, cause }: Ended): string {
  return ending?.reason ?? cause ?? `the launch ended with exit code ${code}`;
}

interface Progress {
  readonly index: number;
  readonly rows: readonly LaunchRow[];
  readonly elapsed: number;
  /** Seconds that another launch would take. */
  readonly next: number;
}

interface Stop {
  /** Why, unless it is as planned. */
  readonly remarks: readonly string[];
}

/** Undefined = go on. */
function stopOf({ launches, targetCi, timeLimit }: Rules, { index, rows, elapsed, next }: Progress): Stop | undefined {
  if (targetCi !== undefined && isTight(rows, targetCi))
    return { remarks: [`each median is known to within ${percent(targetCi)}`] };
  const missed = targetCi === undefined ? [] : [farthest(rows, targetCi)];
  if (index >= (launches ?? MOST_LAUNCHES)) return { remarks: missed };
  if (timeLimit === undefined || elapsed + next <= timeLimit) return undefined;
  return { remarks: [`the time limit of ${timeLimit} s leaves no room for launch ${index + 1}`, ...missed] };
}

/** How well the median is known that is known worst. */
function farthest(rows: readonly LaunchRow[], target: number): string {
  const worst = rows.reduce((most, row) => Math.max(most, reach(row) ?? Infinity), 0);
  const wish = `where ${percent(target)} was wished for`;
  return worst === Infinity
    ? `the intervals of the medians are not known, ${wish}: that takes 6 launches`
    : `medians are known to within ${percent(worst)}, ${wish}`;
}

const percent = (part: number): string => `${Number((part * 100).toPrecision(3))} %`;
