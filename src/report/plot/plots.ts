/** What draws, as a bundle of its own. */
export { PlotReporter } from './reporter.js';
