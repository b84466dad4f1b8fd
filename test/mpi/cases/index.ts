/** All cases, in the order in which they run. */
import { bound } from './bound.js';
import { collectives } from './collectives.js';
import { communicators, groups } from './communicators.js';
import { datatypes } from './datatypes.js';
import { environment } from './environment.js';
import { lifetime } from './lifetime.js';
import { neighborhood } from './neighborhood.js';
import { oneSidedBound } from './one-sided-bound.js';
import { oneSidedRefusals } from './one-sided-refusals.js';
import { oneSided } from './one-sided.js';
import { persistent } from './persistent.js';
import { pointToPoint } from './point-to-point.js';
import { refusals } from './refusals.js';
import { sessions } from './sessions.js';
import type { Cases } from './support.js';
import { topology } from './topology.js';

const all: Readonly<Record<string, Cases>> = {
  environment,
  communicators,
  groups,
  datatypes,
  'point to point': pointToPoint,
  collectives,
  topology,
  neighborhood,
  'persistent collectives': persistent,
  sessions,
  refusals,
  bound,
  lifetime,
  'one-sided': oneSided,
  'one-sided, bound': oneSidedBound,
  'one-sided, refused': oneSidedRefusals,
};

export const cases: Cases = Object.fromEntries(
  Object.entries(all).flatMap(([group, inside]) =>
    Object.entries(inside).map(([name, one]) => [`${group}: ${name}`, one]),
  ),
);
