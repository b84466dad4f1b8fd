/** Which records of a store are wanted. */
import { testOf } from '../analysis/tests.js';
import { WrongUse } from '../cli/commands/command.js';
import type { ResultRecord } from '../results/types.js';
import type { StoredRecord } from './scan.js';

export interface Filter {
  /** A host's name, whole or up to its first dot; `*` stands for anything. */
  readonly host?: string | undefined;
  /** A program or a test of one; `*` stands for anything. */
  readonly benchmark?: string | undefined;
  /** `2026-01-31`, or with a time `2026-01-31T12:00`; UTC. */
  readonly since?: string | undefined;
  /** Likewise; a day counts whole. */
  readonly until?: string | undefined;
}

/** @throws WrongUse for a date that is none */
export function filtered(records: readonly StoredRecord[], { host, benchmark, since, until }: Filter): StoredRecord[] {
  const from = since === undefined ? undefined : timeOf(since, '--since', false);
  const to = until === undefined ? undefined : timeOf(until, '--until', true);
  return records.filter(
    ({ record }) =>
      (host === undefined || hostsOf(record).some((name) => matches(name, host))) &&
      (benchmark === undefined || namesOf(record).some((name) => matches(name, benchmark))) &&
      (from === undefined || Date.parse(record.run.started) >= from) &&
      (to === undefined || Date.parse(record.run.started) <= to),
  );
}

function hostsOf({ environment: { hosts } }: ResultRecord): string[] {
  return hosts.flatMap(({ name }) => [name, name.split('.')[0] ?? name]);
}

function namesOf(record: ResultRecord): string[] {
  return [record.run.name, ...new Set(record.rows.map((row) => testOf(record, row).name))];
}

function matches(name: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const LAST_OF_DAY = 'T23:59:59.999Z';

function timeOf(text: string, option: string, whole: boolean): number {
  const isDay = DATE.test(text);
  const full = isDay ? `${text}${whole ? LAST_OF_DAY : 'T00:00:00Z'}` : /(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`; // prettier-ignore
  const time = /^\d{4}-\d{2}-\d{2}(T.*)?$/.test(text) ? Date.parse(full) : NaN;
  if (Number.isNaN(time)) throw new WrongUse(`${option} takes a date as 2026-01-31, or with a time 2026-01-31T12:00 (UTC), and not "${text}"`); // prettier-ignore
  return time;
}
