/** Plots for those who asked for them: the bundle that draws is loaded on use, on rank 0 alone. */
import { createRequire } from 'node:module';
import type { Reporter } from '../types.js';
import type { PlotOptions } from './types.js';

/** The reporter behind `-G`. It writes at the end of the run; its `end` throws a `RecordError` or `SinkError`. */
export function plotReporter(options: PlotOptions): Reporter {
  // Beside this file in the sources, and beside core.js in dist.
  const { PlotReporter } = createRequire(import.meta.filename)('./plots.js') as typeof import('./plots.js');
  return new PlotReporter(options);
}
