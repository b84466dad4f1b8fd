/** The osu_* programs: one row each. A new benchmark of a known pattern is one more row. */
import { collectives } from './osu/collectives.js';
import { oneSidedRows } from './osu/one-sided.js';
import { pointToPoint } from './osu/point-to-point.js';
import type { OsuRow } from './osu/row.js';
import { startUpRows } from './osu/start-up.js';

export type { Family, MeasuringRow, OsuRow, StartUpRow } from './osu/row.js';

export const osuRows: readonly OsuRow[] = [...pointToPoint, ...startUpRows, ...collectives, ...oneSidedRows];
