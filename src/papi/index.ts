/** Hardware counters through PAPI, where it was there at build. */
export { openCounters, type Counters, type CounterValue } from './counters.js';
export { CountersError } from './errors.js';
export { CounterTotals } from './totals.js';
