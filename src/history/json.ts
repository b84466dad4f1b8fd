/** A history as JSON: base units, unrounded. */
import { toJsonText } from '../results/json.js';
import type { FollowedTrack } from './changes.js';
import type { History } from './history.js';

export function historyJson({ folder, records, tracks, problems }: History): string {
  const document = {
    folder,
    records: records.map(({ file, record: { run, rows, ranks, status, environment } }) => ({
      ...{ file, name: run.name, label: run.label ?? null, started: run.started, state: status.state },
      ...{ hosts: environment.hosts.map(({ name }) => name), ranks: ranks.length, rows: rows.length },
    })),
    series: tracks.map(trackJson),
    problems,
  };
  return `${toJsonText(document)}\n`;
}

function trackJson({ name, test, figure, unit, moments, sizes, values, changes, enough }: FollowedTrack) {
  return {
    ...{ name, test, figure, unit, enough },
    moments: moments.map(({ time, file }) => ({ time: new Date(time).toISOString(), file })),
    sizes: sizes.map((size, row) => ({ size, values: values[row] ?? [] })),
    changes: changes.map(({ at, p, sizes: changed, worse, differences }) => ({
      ...{ at, time: new Date(moments[at]?.time ?? NaN).toISOString(), p, worse: worse ?? null, differences },
      sizes: changed.map(({ row, before, after, ratio }) => ({ size: sizes[row] ?? null, before, after, ratio })),
    })),
  };
}
