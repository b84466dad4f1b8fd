/** All checks, in the order in which they are told. */
import type { Check } from '../types.js';
import { clockChecks } from './clock.js';
import { frequencyChecks } from './frequency.js';
import { idleChecks } from './idle.js';
import { kernelChecks } from './kernel.js';
import { loadChecks } from './load.js';
import { memoryChecks } from './memory.js';
import { mpiChecks } from './mpi.js';
import { nicChecks } from './nics.js';
import { pcieChecks } from './pcie.js';
import { pmlChecks } from './pml.js';
import { processorChecks } from './processors.js';
import { quotaChecks } from './quota.js';
import { ucxChecks } from './ucx.js';
import { verbsChecks } from './verbs.js';

export const checks: readonly Check[] = [
  ...frequencyChecks,
  ...idleChecks,
  ...processorChecks,
  ...quotaChecks,
  ...loadChecks,
  ...memoryChecks,
  ...kernelChecks,
  ...clockChecks,
  ...nicChecks,
  ...verbsChecks,
  ...pcieChecks,
  ...mpiChecks,
  ...pmlChecks,
  ...ucxChecks,
];
