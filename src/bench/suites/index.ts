import { osuRows, type OsuRow } from './osu.js';

/** Every program of every suite, by name; the build writes one launcher for each. */
export const programs: ReadonlyMap<string, OsuRow> = new Map(osuRows.map((row) => [row.name, row]));

export const programNames: readonly string[] = [...programs.keys()];
