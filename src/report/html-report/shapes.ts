/** What a curve's shape says, in the cells of a table. */
import type { CurveShape, CurveSwitch } from '../../analysis/curve-types.js';
import type { Series } from '../../analysis/series.js';
import { bytes, change, number, scaled, scaleOf, sizeRange } from '../../analysis/units.js';

export const SHAPE_HEADS: readonly string[] = [
  'Small messages',
  'Peak',
  '95 % of it from',
  'Half of it at (N½)',
  'Switches',
  'Dips',
];

const NOTHING = '–';

/** One cell for each of the heads. */
export function shapeCells(series: Series, shape: CurveShape): string[] {
  const scale = scaleOf({ test: series.test, unit: 'B/s' });
  const { peak, saturation, saturated, halfBandwidth, switches, dips } = shape;
  return [
    smallText(series, shape),
    peak ? `${scaled(peak.value, scale)} ${scale.unit} at ${bytes(peak.size)}` : NOTHING,
    saturation === null ? NOTHING : `${bytes(saturation)}${saturated ? '' : ' (the largest)'}`,
    halfBandwidth === null ? NOTHING : bytes(halfBandwidth),
    switches.length === 0 ? 'none found' : switches.map(switchText).join('; '),
    dips.length === 0
      ? 'none found'
      : dips.map(({ at, drop }) => `−${(drop * 100).toFixed(0)} % at ${bytes(at)}`).join('; '),
  ];
}

/** Latencies at 0, 1 and 8 bytes; of rates the smallest size. */
function smallText({ unit, kind, rows, test }: Series, { latencies }: CurveShape): string {
  if (latencies.length > 0)
    return latencies
      .map(({ size, seconds, measured }) => `${number(seconds * 1e6)} µs at ${bytes(size)}${measured ? '' : ' (fit)'}`)
      .join('; ');
  const [first] = rows;
  const value = first?.launches[0]?.value;
  if (!first || first.size === null || value === undefined || kind === 'latency') return NOTHING;
  const scale = scaleOf({ test, unit });
  return `${scaled(value, scale)} ${scale.unit} at ${bytes(first.size)}`;
}

/** `jump between 4 and 8 KiB, +38 %`. */
export function switchText({ before, at, kind, change: part }: CurveSwitch): string {
  const between = sizeRange([before, at], 'and');
  return `${kind} between ${between}, ${change(1 + part)}`;
}
