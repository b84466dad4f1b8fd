/** Heads of the tables of Intel MPI Benchmarks. */
import { UNITS } from './cells.js';
import { heading, type Column, type Heading } from './columns.js';

const us = (name: string): Column => ({ kind: 'figure', name, unit: UNITS.microseconds });

/** Rates stand as if MB were 10^6 bytes; `imb-units.ts` puts right what was computed with 2^20. */
export const IMB_HEADS: readonly Heading[] = [
  heading('#bytes', { kind: 'size' }),
  heading('#repetitions', { kind: 'iterations' }),
  heading('Group', { kind: 'parameter', name: 'group' }),
  heading('t[usec]', us('latency')),
  heading('t_min[usec]', us('minLatency')),
  heading('t_max[usec]', us('maxLatency')),
  heading('t_avg[usec]', us('latency')),
  heading('t_ovrl[usec]', us('overall')),
  heading('t_pure[usec]', us('pure')),
  heading('t_CPU[usec]', us('compute')),
  heading('overlap[%]', { kind: 'figure', name: 'overlap', unit: UNITS.percent }),
  heading('Mbytes/sec', { kind: 'figure', name: 'bandwidth', unit: UNITS.megabytes }),
  heading('Msg/sec', { kind: 'figure', name: 'rate', unit: UNITS.perSecond }),
  heading('defects', { kind: 'figure', name: 'defects', unit: { base: '' } }),
];

export const isHead = (text: string): boolean => /^(?:Group\s+)?(?:#bytes\s+)?#repetitions\s+\S/i.test(text);
