/** A folder of records over time: which there are, how their figures went, and where these changed. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { seriesOf, titleOf, type Series } from '../analysis/series.js';
import { WrongUse } from '../cli/commands/command.js';
import { loadRecords } from '../results/load.js';
import type { ResultRecord } from '../results/types.js';
import { changePoints, type ChangePoint } from './change-points.js';

export interface Kept {
  readonly file: string;
  readonly record: ResultRecord;
}

export interface Store {
  /** By time of their start. */
  readonly kept: readonly Kept[];
  /** Files that hold none, in sentences. */
  readonly skipped: readonly string[];
}

export interface Wanted {
  readonly host?: string | undefined;
  readonly benchmark?: string | undefined;
  /** ISO 8601, or its beginning. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** A figure of one size of one test on one host, over time. */
export interface Track {
  readonly title: string;
  readonly host: string;
  readonly size: number | null;
  readonly unit: string;
  readonly series: Series;
  readonly entries: readonly { readonly started: string; readonly value: number; readonly file: string }[];
  readonly changes: readonly ChangePoint[];
}

const RECORDS = /\.(?:json|ndjson|jsonl)$/;

/** Reads the records of a folder and those below it. */
export function readStore(folder: string, wanted: Wanted): Store {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new WrongUse(`${folder} is no folder`);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => RECORDS.test(name)).sort(); // prettier-ignore
  const kept: Kept[] = [];
  const skipped: string[] = [];
  for (const file of files.map((name) => join(folder, name))) {
    try {
      kept.push(...loadRecords(file).records.map((record) => ({ file, record })));
    } catch (error) {
      if (!(error instanceof WrongUse)) throw error;
      skipped.push(error.message);
    }
  }
  const asked = kept.filter(({ record }) => isWanted(record, wanted));
  return { kept: asked.sort((a, b) => (a.record.run.started < b.record.run.started ? -1 : 1)), skipped };
}

export const hostOf = ({ environment }: ResultRecord): string => environment.hosts.map(({ name }) => name).join(' ');

function isWanted(record: ResultRecord, { host, benchmark, since, until }: Wanted): boolean {
  const { started, name } = record.run;
  return (
    (host === undefined || hostOf(record).split(' ').includes(host)) &&
    (benchmark === undefined || name === benchmark) &&
    (since === undefined || started >= since) &&
    // The day, or the hour, that is named belongs to it.
    (until === undefined || started.slice(0, until.length) <= until)
  );
}

/** Every figure that was measured more than once, over time. `threshold`: smaller changes are noise. */
export function tracksOf(kept: readonly Kept[], threshold: number): Track[] {
  const done = kept.filter(({ record }) => record.status.state === 'done' && record.run.started !== '');
  const hosts = [...new Set(done.map(({ record }) => hostOf(record)))];
  return hosts.flatMap((host) => tracksOfHost(host, done.filter(({ record }) => hostOf(record) === host), threshold)); // prettier-ignore
}

function tracksOfHost(host: string, kept: readonly Kept[], threshold: number): Track[] {
  const files = new Map(kept.map(({ record, file }) => [record, file]));
  const all = seriesOf(kept.map(({ record }) => record));
  return all.flatMap((series) =>
    series.rows
      .filter(({ launches }) => launches.length > 1)
      .map(({ size, launches }) => {
        const entries = launches.map(({ value, record }) => ({ started: record.run.started, value, file: files.get(record) ?? '' })); // prettier-ignore
        const changes = changePoints(entries.map(({ value }) => value), threshold); // prettier-ignore
        return { title: titleOf(series, all), host, size, unit: series.unit, series, entries, changes };
      }),
  );
}
