/** Time limits, as people write them and as Slurm takes them. */

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86400 };
const DAY = 86400;
const HOUR = 3600;
const MINUTE = 60;
/** A year: more is a typing error. */
const MOST = 365 * DAY;

/** `[D-]HH:MM:SS` of minutes, `MM:SS`, `HH:MM:SS`, `D-HH[:MM[:SS]]` or `45m`; undefined for anything else, and for nothing. */
export function slurmTime(text: string): string | undefined {
  const seconds = secondsOf(text);
  return seconds === undefined || seconds < 1 || seconds > MOST ? undefined : written(seconds);
}

function secondsOf(text: string): number | undefined {
  const simple = /^(\d+)([smhd])$/.exec(text);
  if (simple) return Number(simple[1]) * (UNITS[simple[2] ?? ''] ?? NaN);
  const match = /^(?:(\d+)-)?(\d+(?::[0-5]?\d){0,2})$/.exec(text);
  if (match === null) return undefined;
  const parts = (match[2] ?? '').split(':').map(Number);
  if (match[1] !== undefined) return Number(match[1]) * DAY + inSeconds(parts);
  return inSeconds(parts.length === 3 ? parts : [0, ...parts]);
}

/** Hours, minutes, seconds; those at the end may be missing. */
const inSeconds = ([hours = 0, minutes = 0, seconds = 0]: readonly number[]): number =>
  hours * HOUR + minutes * MINUTE + seconds;

function written(seconds: number): string {
  const days = Math.floor(seconds / DAY);
  const clock = [Math.floor((seconds % DAY) / HOUR), Math.floor((seconds % HOUR) / MINUTE), seconds % MINUTE];
  return (days > 0 ? `${days}-` : '') + clock.map((part) => String(part).padStart(2, '0')).join(':');
}
