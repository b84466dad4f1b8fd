/** What of a point can be drawn: the printed figure, the median, percentiles, other figures. */
import type { PageGroup, PagePoint, View } from './types.js';

export interface Measure {
  readonly id: string;
  readonly name: string;
  readonly unit: string;
}

const OF_SAMPLES: readonly (readonly [id: 'median' | 'min' | 'p90' | 'p99' | 'max', name: string])[] = [
  ['median', 'median'],
  ['min', 'minimum'],
  ['p90', '90th percentile'],
  ['p99', '99th percentile'],
  ['max', 'maximum'],
];
const FIGURE = 'figure:';

/** In the order of the list that a reader chooses from. */
export function measuresOf(group: PageGroup): Measure[] {
  const [own] = group.figures;
  if (!own) return [];
  const sampled = group.series.some(({ points }) => points.some(({ statistics }) => statistics !== null));
  const samples = sampled
    ? OF_SAMPLES.map(([id, name]) => ({ id, name: `${name} of ${own.name}`, unit: own.unit }))
    : [];
  const figures = group.figures.map(({ name, unit }, index) => ({
    id: `${FIGURE}${index}`,
    name: index === 0 ? `${name} as printed` : name,
    unit,
  }));
  return [...samples.slice(0, 1), ...figures.slice(0, 1), ...samples.slice(1), ...figures.slice(1)];
}

/** Medians where every point has one, since intervals are theirs; else what the program printed. */
export function usualMeasure(group: PageGroup): string {
  const points = group.series.flatMap((series) => series.points);
  const all = points.length > 0 && points.every(({ statistics }) => typeof statistics?.median === 'number');
  return all ? 'median' : `${FIGURE}0`;
}

export function usualView(group: PageGroup): View {
  return {
    measure: usualMeasure(group),
    linear: false,
    spread: group.series.length <= 3,
    switches: group.series.length <= 6,
    hidden: [],
  };
}

/** In the shown unit; null where it isn't known. */
export function valueOf({ figures, statistics }: PagePoint, measure: string): number | null {
  if (measure.startsWith(FIGURE)) return figures[Number(measure.slice(FIGURE.length))] ?? null;
  const found = OF_SAMPLES.find(([id]) => id === measure);
  return found ? (statistics?.[found[0]] ?? null) : null;
}

export function measureOf(group: PageGroup, id: string): Measure {
  const all = measuresOf(group);
  return all.find((measure) => measure.id === id) ?? all[0] ?? { id, name: '', unit: '' };
}

/** Whether intervals of the median and the samples' spread belong to what is drawn. */
export function isOfSamples(measure: string): boolean {
  return measure === 'median' || measure === `${FIGURE}0`;
}

/** With a capital letter at its start. */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
