/** osu_init and osu_hello: what it takes until MPI runs, and that it does. */
import type { MpiRendezvous } from '../rendezvous/mpi.js';
import type { Reporter, Sink } from '../report/types.js';
import { OMB_VERSION } from '../cli/options.js';
import type { Figure } from '../results/types.js';

export type StartUp = 'init' | 'hello';

/** Over all ranks, in seconds. */
interface Spread {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
}

function spreadOf(values: readonly number[]): Spread {
  return {
    min: Math.min(...values),
    max: Math.max(...values),
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
  };
}

/** `min: 31.482 ms, max: 32.001 ms, avg: 31.741 ms`: as the peer, with the fractions that it drops. */
function spreadText({ min, max, mean }: Spread): string {
  const milliseconds = (seconds: number): string => `${(seconds * 1000).toFixed(3)} ms`;
  return `min: ${milliseconds(min)}, max: ${milliseconds(max)}, avg: ${milliseconds(mean)}`;
}

function figuresOf(name: string, { min, max, mean }: Spread): Record<string, Figure> {
  const seconds = (value: number): Figure => ({ value, unit: 's' });
  return { [name]: seconds(mean), [`min-${name}`]: seconds(min), [`max-${name}`]: seconds(max) };
}

export interface StartUpRequest {
  readonly startUp: StartUp;
  readonly title: string;
  readonly rendezvous: MpiRendezvous;
  /** Where the text goes on rank 0. */
  readonly text: Sink;
  /** On rank 0; they get one row. */
  readonly reporters: readonly Reporter[];
}

/** Says what every rank measured while it started; every rank calls it together. */
export function reportStartUp({ startUp, title, rendezvous, text, reporters }: StartUpRequest): void {
  const all = rendezvous.gather(rendezvous.times);
  if (rendezvous.rank !== 0) return;
  const init = spreadOf(all.map(({ start }) => start));
  const ready = spreadOf(all.map((times) => times.ready));
  const lines = {
    init: [
      `nprocs: ${all.length}, ${spreadText(init)}`,
      `# From the start of Node until MPI ran: ${spreadText(ready)}`,
    ],
    hello: [`This is a test with ${all.length} processes`],
  };
  text.write([`# ${title} v${OMB_VERSION}`, ...lines[startUp], ''].join('\n'));
  for (const reporter of reporters) {
    reporter.section({});
    reporter.row({
      parameters: { size: null, ranks: all.length },
      n: all.length,
      figures: { ...figuresOf('init', init), ...figuresOf('ready', ready) },
      statistics: null,
    });
  }
}
