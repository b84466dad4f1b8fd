/** Colours that people with any colour vision tell apart, dark enough for lines on white. */

/** Of different things: Okabe and Ito's, without those too light for lines. */
export const DIFFERENT: readonly string[] = ['#0072b2', '#d55e00', '#009e73', '#b3588b', '#333333', '#a87900'];
/** Of steps of one thing, from dark violet to green: their lightness rises with the step. */
const RAMP: readonly (readonly [red: number, green: number, blue: number])[] = [
  [59, 15, 112],
  [59, 82, 139],
  [33, 145, 140],
  [74, 168, 69],
];

export const INK = '#1a1a1a';
export const FAINT_INK = '#595959';
export const GRID = '#dcdcdc';
export const FAINT_GRID = '#f0f0f0';

/** The colour of series `index` of `count`. */
export function seriesColour(index: number, count: number, ordinal: boolean): string {
  if (!ordinal) return DIFFERENT[index % DIFFERENT.length] ?? INK;
  return rampColour(count < 2 ? 0 : index / (count - 1));
}

function rampColour(at: number): string {
  const place = at * (RAMP.length - 1);
  const from = RAMP[Math.floor(place)] ?? [0, 0, 0];
  const to = RAMP[Math.ceil(place)] ?? from;
  const part = place - Math.floor(place);
  const mixed = from.map((channel, index) => Math.round(channel + ((to[index] ?? channel) - channel) * part));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
