/** What of a store can be followed over time: one test of one configuration, size by size. */
import { statedOptions } from '../analysis/differences.js';
import type { Better } from '../analysis/figures.js';
import { seriesOf, wordsOf, type Series } from '../analysis/series.js';
import { scaleOf, type Scale } from '../analysis/units.js';
import { median } from '../bench/measure/robust.js';
import { groupsBy } from '../report/plot/panels.js';
import { unitText } from '../report/plot/svg-parts.js';
import type { ResultRecord } from '../results/types.js';
import type { StoredRecord } from './scan.js';

/** One visit: a record, or the launches that were made together. */
export interface Moment {
  readonly time: number;
  readonly file: string;
  readonly record: ResultRecord;
}

export interface Track {
  /** Test, and in what it differs from others of its name. */
  readonly name: string;
  readonly test: string;
  readonly figure: string;
  readonly unit: string;
  readonly better: Better | undefined;
  readonly scale: Scale;
  readonly moments: readonly Moment[];
  /** Bytes; null where there is no size. */
  readonly sizes: readonly (number | null)[];
  /** By size and moment, in base units; NaN where it was not measured. */
  readonly values: readonly (readonly number[])[];
}

/** What tells configurations apart, in words; `''` where there is nothing to say. */
type Traits = ReadonlyMap<string, string>;

interface Seen {
  readonly moment: Moment;
  readonly series: Series;
  readonly traits: Traits;
}

/** Settings by which people choose the way of their messages, besides the PML. Others are what a history is to reveal. */
const CHOSEN = /^(OMPI_MCA_(osc|btl|mtl|coll)|UCX_(TLS|NET_DEVICES)|MPIR_CVAR_CH4_NETMOD|FI_PROVIDER|I_MPI_FABRICS)$/;

/** Whether a record says when it was made, as a date that there is. */
export const isDated = ({ run }: ResultRecord): boolean => !Number.isNaN(Date.parse(run.started));

/** Tracks by the order of their first records; records that don't say when they were made, or whose run failed, are in none. */
export function tracksOf(records: readonly StoredRecord[]): Track[] {
  const known = records.filter(({ record }) => isDated(record) && record.status.state === 'done');
  const seen = [...groupsBy(known, visitOf).values()].flatMap(seriesOfVisit);
  const tests = groupsBy(seen, ({ series }) => JSON.stringify([series.test.name, series.figure, series.unit]));
  return [...tests.values()].flatMap((all) =>
    [...groupsBy(all, ({ traits }) => JSON.stringify([...traits].sort()))].map(([, members]) => trackOf(members, all)),
  );
}

/** Launches of one file were made together; all other records are visits of their own. */
function visitOf({ file, record: { run } }: StoredRecord): string {
  return JSON.stringify([
    file,
    run.name,
    run.label,
    run.launch === undefined ? run.started : 'launches',
    run.commandLine,
  ]);
}

function seriesOfVisit(visit: readonly StoredRecord[]): Seen[] {
  const [first] = visit;
  if (!first) return [];
  const { file, record } = first;
  const moment = { time: Date.parse(record.run.started), file, record };
  return seriesOf(visit.map((one) => one.record)).map((series) => ({
    moment,
    series,
    traits: traitsOf(record, series),
  }));
}

function traitsOf({ run, environment, ranks }: ResultRecord, { parameters, test }: Series): Traits {
  const hosts = environment.hosts.map(({ name }) => name).sort();
  const traits: (readonly [string, string])[] = [
    ['layer', test.layer],
    ['engine', run.engine],
    ['label', run.label ?? ''],
    ['MPI', environment.mpi?.family ?? ''],
    ['PML', environment.mpi?.pml ?? ''],
    ['hosts', hosts.join(' ')],
    ['ranks', ranks.length === 0 ? '' : String(ranks.length)],
    ...Object.entries(parameters).map(([name, value]) => [name, wordsOf(name, value)] as const),
    ...[...statedOptions(run)].filter(([name]) => !name.startsWith('sizes')).map(([name, value]) => [`option ${name}`, value] as const), // prettier-ignore
    ...Object.entries(environment.settings).filter(([name]) => CHOSEN.test(name)),
  ];
  return new Map(traits.filter(([, value]) => value !== ''));
}

function trackOf(members: readonly Seen[], all: readonly Seen[]): Track {
  const inTime = members.toSorted((a, b) => a.moment.time - b.moment.time);
  const sizes = [...new Set(inTime.flatMap(({ series }) => series.rows.map(({ size }) => size)))];
  sizes.sort((a, b) => (a ?? -1) - (b ?? -1));
  const [first] = inTime;
  const series = first?.series;
  const scale = series ? scaleOf(series) : { unit: '', factor: 1 };
  return {
    name: nameOf(inTime, all),
    ...{ test: series?.test.name ?? '', figure: series?.figure ?? '', unit: series?.unit ?? '' },
    better: series?.better,
    scale: { ...scale, unit: unitText(scale.unit) },
    moments: inTime.map(({ moment }) => moment),
    sizes,
    values: sizes.map((size) => inTime.map((one) => valueAt(one.series, size))),
  };
}

/** Medians where a row has one, since means follow every interruption; of launches the median of theirs. */
function valueAt({ rows }: Series, size: number | null): number {
  const launches = rows.find((row) => row.size === size)?.launches ?? [];
  const values = launches.map(({ typical }) => typical);
  return values.length === 0 ? NaN : median(values);
}

/** `osu_bw, hosts node1 node2`: only what tells it from others of the same test. */
function nameOf(members: readonly Seen[], all: readonly Seen[]): string {
  const names = [...new Set(all.flatMap(({ traits }) => [...traits.keys()]))];
  const differing = names.filter((name) => new Set(all.map(({ traits }) => traits.get(name))).size > 1);
  const [first] = members;
  const words = differing.flatMap((name) => {
    const value = first?.traits.get(name);
    return value === undefined ? [] : [value.startsWith(`${name} `) ? value : `${name} ${value}`];
  });
  return [first?.series.test.name ?? '', ...words].join(', ');
}
