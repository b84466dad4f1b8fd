/** One test with several values of one option: from which size on each fills the link. */
import { SATURATED } from '../curve.js';
import type { CurveShape } from '../curve-types.js';
import { differingNames, pointsOf, wordsOf } from '../series.js';
import { timesOf } from '../curve.js';
import { bytes, scaled, scaleOf } from '../units.js';
import type { Entry, View } from '../views.js';
import { ofSides, type Statement } from './types.js';

interface Variant {
  readonly label: string;
  readonly entry: Entry;
  readonly shape: CurveShape;
  readonly saturation: number;
}

export function variantStatements(views: readonly View[]): Statement[] {
  const names = [...new Set(views.flatMap(({ entries }) => entries.map(({ series }) => series.test.name)))];
  return names.flatMap((name) => {
    const variants = views.flatMap((view) => variantsOf(view, name));
    const differing = differingNames(variants.map(({ entry }) => entry.series));
    const [option] = differing;
    if (option === undefined || differing.length > 1) return [];
    return [statementOf(name, option, variants, views.length)];
  });
}

/** Only curves of rates that reach a peak: of others there is no saying where they fill the link. */
function variantsOf({ side: { label }, entries }: View, name: string): Variant[] {
  return entries.flatMap((entry) => {
    const { series, shape } = entry;
    if (series.test.name !== name || !shape || shape.saturation === null || shape.kind === 'latency') return [];
    return [{ label, entry, shape, saturation: shape.saturation }];
  });
}

function statementOf(name: string, option: string, variants: readonly Variant[], sides: number): Statement {
  const values = [...new Set(variants.map(({ entry }) => wordsOf(option, entry.series.parameters[option])))];
  const parts = values.map((value) => {
    const own = variants.filter(({ entry }) => wordsOf(option, entry.series.parameters[option]) === value);
    const each = own.map((variant) => ({ label: variant.label, text: saturationText(variant) }));
    return `${value === '' ? `no ${option}` : value}: ${ofSides(each, sides)}`;
  });
  return {
    kind: 'variants',
    text: `${name} has ${SATURATED * 100} % of its peak with ${parts.join('. With ')}`,
    items: variants.map(({ label, entry, shape, saturation }) => ({
      ...{ side: label, test: entry.title, [option]: entry.series.parameters[option] ?? null },
      ...{ saturation, saturated: shape.saturated, peak: shape.peak && { ...shape.peak } },
    })),
  };
}

function saturationText({ entry: { series }, shape, saturation }: Variant): string {
  const scale = scaleOf({ test: series.test, unit: 'B/s' });
  const peak = `peak ${scaled(shape.peak?.value ?? 0, scale)} ${scale.unit}`;
  const last = shape.saturated ? '' : ', its largest size';
  return `from ${bytes(saturation)}${last} (${[shareBefore(series, saturation, shape), peak].filter((text) => text !== '').join(', ')})`;
}

/** How far from it the size before is. */
function shareBefore(series: Entry['series'], saturation: number, { kind, peak }: CurveShape): string {
  const before = timesOf(pointsOf(series), kind).findLast(({ size }) => size > 0 && size < saturation);
  if (!before || !peak) return '';
  return `${((before.size / before.seconds / peak.value) * 100).toFixed(0)} % at ${bytes(before.size)}`;
}
