import type { Json, RowRecord } from '../results/types.js';

/** Parameters that have a place of their own in every output, or follow from the size. */
const OWN_PLACE: ReadonlySet<string> = new Set(['size', 'datatype', 'transmitSize']);

/** Names of the parameters besides the size that tell rows of one section apart, such as `window` under `-V`. */
export function varyingParameters(rows: readonly Pick<RowRecord, 'parameters'>[]): string[] {
  const names = new Set(rows.flatMap(({ parameters }) => Object.keys(parameters)));
  const valuesOf = (name: string): Set<string> =>
    new Set(rows.map(({ parameters }) => JSON.stringify(parameters[name] ?? null)));
  return [...names].filter((name) => !OWN_PLACE.has(name) && valuesOf(name).size > 1);
}

/** A parameter's value as text; nothing where there is none. */
export function parameterText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
