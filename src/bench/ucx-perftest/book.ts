/** Keeps and shows what a client measures: text on stdout, record and tables. */
import type { Bound } from '../../binding/types.js';
import { messageSize } from '../../cli/ucx-perftest-checks.js';
import { takesStdout } from '../../cli/outputs.js';
import type { UcxPerftestOptions, UcxPerftestRun } from '../../cli/ucx-perftest-options.js';
import { noiseReport, noiseWarnings } from '../../noise/report.js';
import type { Launcher } from '../../rendezvous/launcher.js';
import { Keepers, outputReporters } from '../../report/index.js';
import type { UcxFigures, UcxPerftestText } from '../../report/ucx-perftest-types.js';
import type { RunHead } from '../../report/types.js';
import type { RankRecord, RowRecord, StatusRecord } from '../../results/types.js';
import { ucxVersion } from '../../ucx/index.js';
import { bindingReport, bindingWarnings } from '../binding.js';
import { recheckRanks } from '../binding-after.js';
import { gatherHead, gatherPlaces, type OwnPlace } from '../facts.js';
import { devicesOf } from '../nic-distance.js';
import { say, type Streams } from '../../report/say.js';
import { ucxTest, type UcxTest } from '../suites/ucx-perftest.js';
import type { Party } from './party.js';
import type { Outcome, Watcher } from './session.js';

export interface BookRequest {
  readonly options: UcxPerftestOptions;
  readonly launcher: Launcher;
  readonly streams: Streams;
  readonly started: Date;
  readonly party: Party;
  readonly text: UcxPerftestText;
  /** Whether this is the one process that shows anything. */
  readonly prints: boolean;
  readonly bound: Bound;
  /** Over what messages of this process have gone; grows as they go. */
  readonly transports: Set<string>;
}

type PlaceRequest = Omit<BookRequest, 'text' | 'prints' | 'streams' | 'started'>;

/** The process's own place. Before the first message a test of UCT alone names its device. */
function placeOf({ options, launcher, party, bound, transports }: PlaceRequest): OwnPlace {
  const named = options.runs.flatMap(({ options: { device } }) => (device === undefined ? [] : [`uct/${device}`]));
  const nics = devicesOf(transports.size > 0 ? [...transports] : named);
  return { launcher, bound, nics, rendezvous: party.world };
}

/** Where all processes are now; all of them call it together, and the one that prints gets it. */
export function places(request: PlaceRequest): RankRecord[] | null {
  return gatherPlaces(placeOf(request));
}

/** Gathers what is known of all processes; all of them call it together, and the one that prints gets it. */
export function describe(request: PlaceRequest & Pick<BookRequest, 'started'>): RunHead | null {
  const { options, started } = request;
  const first = options.runs[0]?.options.test ?? '';
  return gatherHead({
    ...{ name: 'ucx_perftest', options, engine: 'native', layer: ucxTest(first)?.api ?? 'ucp' },
    ...{ started, noise: request.options.noise, ...placeOf(request) },
    stacks: { mpi: null, ucx: { version: ucxVersion() } },
  });
}

export class Book {
  readonly prints: boolean;
  readonly #request: BookRequest;
  /** Record and tables. */
  readonly #keepers: Keepers;
  #headed = false;
  #ranks: readonly RankRecord[] = [];
  #run: UcxPerftestRun | undefined;

  constructor(request: BookRequest) {
    const { options, streams, prints } = request;
    this.#request = request;
    this.prints = prints;
    this.#keepers = new Keepers(prints ? outputReporters(options, streams.stdout) : []);
  }

  /** Says what is known of all processes. */
  begin(): void {
    const { options, streams } = this.#request;
    const head = describe(this.#request);
    if (!head) return;
    this.#ranks = head.ranks;
    for (const line of options.reportBinding ? bindingReport(head.ranks) : []) say(streams.stderr, line);
    for (const line of noiseReport(head.ranks)) say(streams.stderr, line);
    this.#keepers.begin(head);
    const threads = Math.max(...options.runs.map((run) => run.options.threads));
    for (const warning of bindingWarnings(head.ranks, () => threads)) this.#keepers.warning(warning);
    for (const warning of noiseWarnings(head.ranks)) this.#warn(warning);
  }

  /** Sees whether all processes are still where they were; all of them call `places` together, by this or by itself. */
  recheck(): void {
    const now = places(this.#request);
    if (!now) return;
    const { ranks, warnings } = recheckRanks(this.#ranks, now);
    for (const warning of warnings) {
      say(this.#request.streams.stderr, `warning: ${warning}`);
      this.#keepers.warning(warning);
    }
    this.#keepers.amend({ ranks });
  }

  /** What is to be shown while a test runs, and noted. */
  watcher(run: UcxPerftestRun): Watcher {
    this.#run = run;
    const { options, party, transports } = this.#request;
    const carried = (names: readonly string[]): void => {
      for (const name of names) transports.add(name);
    };
    if (!this.prints) return { carried };
    return {
      carried,
      begin: (test, testOptions) => {
        this.#head(test, testOptions);
      },
      ...(options.finalOnly || party.clients > 1 || run.options.threads > 1
        ? {}
        : {
            progress: (figures: UcxFigures) => {
              this.#write(this.#request.text.progress(0, figures, run.labels));
            },
          }),
      ...(this.#keepers.some
        ? {
            samples: (thread: number, seconds: Float64Array) => {
              this.#keepers.samples(thread, seconds);
            },
          }
        : {}),
    };
  }

  /** Shows the last row of a test, and adds it to the record. */
  finish(labels: readonly string[], outcome: Outcome): void {
    if (!this.prints) return;
    const { text, options } = this.#request;
    const several = outcome.clients.length > 1 || (outcome.clients[0]?.threads ?? 1) > 1;
    const figures = several ? together(outcome) : outcome.measurement.figures;
    const statistics = options.stats ? { statistics: statisticsOf(outcome) } : {};
    this.#write(text.final({ ...figures, ...statistics }, labels, { several, info: outcome.info }));
    this.#keepers.row(this.#record(outcome, figures));
  }

  end(status: StatusRecord): void {
    this.#keepers.end(status);
  }

  #warn(warning: string): void {
    say(this.#request.streams.stderr, `warning: ${warning}`);
    this.#keepers.warning(warning);
  }

  #write(text: string): void {
    const { streams, options } = this.#request;
    if (text !== '') (takesStdout(options) ? streams.stderr : streams.stdout).write(text);
  }

  /** The box, once in batches, where this process is server as well or there is no other to show it. CSV has none. */
  #head(test: UcxTest, testOptions: UcxPerftestRun['options']): void {
    const { text, party, launcher, options } = this.#request;
    const alone = party.role === 'both' || launcher.launcher !== null;
    if (alone && !options.csv && !(this.#headed && this.#request.options.batchFiles.length > 0))
      this.#write(text.parameters(test, testOptions));
    if (!this.#headed) this.#write(text.header(test));
    this.#headed = true;
    this.#write(text.label(this.#run?.labels ?? []));
  }

  #record({ measurement, clients, transports, info, wrongBytes }: Outcome, figures: UcxFigures): RowRecord {
    const { options } = this.#run ?? {};
    if (!options) throw new Error('a row without a test');
    const { percentile } = options;
    const test = ucxTest(options.test);
    const data = test?.api === 'uct' ? { layout: options.layout } : { datatypes: options.datatypes };
    return {
      parameters: {
        ...{ test: options.test, size: messageSize(options), sizes: options.sizes, ...data },
        ...{ outstanding: options.outstanding ?? test?.outstanding ?? 1, transports },
        ...{ pairs: clients.length, threads: options.threads, roundTrip: test?.pattern === 'stream' },
        ...(info === null ? {} : { protocol: info }),
      },
      n: measurement.iterations,
      warmup: measurement.warmup,
      figures: {
        latency: { value: figures.latency.overall, unit: 's' },
        bandwidth: { value: figures.bandwidth.overall, unit: 'B/s' },
        rate: { value: figures.rate.overall, unit: '1/s' },
        ...Object.fromEntries(
          clients.length > 1
            ? clients.map(({ rate }, pair) => [`rate of pair ${pair}`, { value: rate, unit: '1/s' }])
            : [],
        ),
      },
      statistics: {
        ...measurement.store.statistics({ percentiles: [percentile] }),
        figure: 'latency',
        unit: 's',
      },
      ...(measurement.perSample > 1 ? { perSample: measurement.perSample } : {}),
      ...(wrongBytes === null ? {} : { validation: { passed: wrongBytes === 0, wrongBytes } }),
    };
  }
}

/** Several clients or threads at once: mean time of a message, rates added up. */
function together({ clients, measurement }: Outcome): UcxFigures {
  const sum = (of: (client: Outcome['clients'][number]) => number): number =>
    clients.reduce((total, client) => total + of(client), 0);
  const latency = sum((client) => client.latency) / clients.length;
  const bandwidth = sum((client) => client.bandwidth);
  const rate = sum((client) => client.rate);
  const both = (value: number): { average: number; overall: number } => ({ average: value, overall: value });
  return {
    iterations: measurement.iterations,
    percentile: null,
    latency: both(latency),
    bandwidth: both(bandwidth),
    rate: both(rate),
  };
}

function statisticsOf({ measurement }: Outcome): Record<string, number | null> {
  const { n, min, median, mean, sd, p90, p99, max } = measurement.store.statistics();
  return { n, min, median, mean, sd, p90, p99, max };
}
