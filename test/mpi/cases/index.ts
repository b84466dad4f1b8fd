/** All cases, in the order in which they run. */
import { environment } from './environment.js';
import { pointToPoint } from './point-to-point.js';
import type { Cases } from './support.js';

const groups: Readonly<Record<string, Cases>> = {
  environment,
  'point to point': pointToPoint,
};

export const cases: Cases = Object.fromEntries(
  Object.entries(groups).flatMap(([group, inside]) =>
    Object.entries(inside).map(([name, one]) => [`${group}: ${name}`, one]),
  ),
);
