/** Shows what an ib_* test measures on stdout, and keeps record and tables. */
import type { Bound } from '../../binding/types.js';
import { takesStdout } from '../../cli/outputs.js';
import type { PerftestOptions } from '../../cli/perftest-options.js';
import { noiseReport, noiseWarnings } from '../../noise/report.js';
import type { Launcher } from '../../rendezvous/launcher.js';
import { Keepers, outputReporters, recordTarget } from '../../report/index.js';
import { perftestJson } from '../../report/perftest-json.js';
import type { BandwidthFigures, LatencyFigures, PerftestText } from '../../report/perftest-types.js';
import { say, type Streams } from '../../report/say.js';
import type { RankRecord, StatusRecord } from '../../results/types.js';
import { bindingReport, bindingWarnings } from '../binding.js';
import { recheckRanks } from '../binding-after.js';
import { gatherHead, gatherPlaces, type OwnPlace } from '../facts.js';
import type { Party } from '../meeting/party.js';
import { missedLimits, zeroTimeNote } from './figures.js';
import type { Opened } from './opened.js';
import { progressRecord, rowRecord } from './record.js';
import type { Row } from './rows.js';
import type { SizeResult } from './types.js';

export interface BookRequest {
  readonly name: string;
  readonly options: PerftestOptions;
  readonly launcher: Launcher;
  readonly streams: Streams;
  readonly started: Date;
  readonly party: Party;
  readonly text: PerftestText;
  readonly bound: Bound;
}

/** Exit code of rates below their limit, and of wrong data. */
const FAILED = 1;

export class Book {
  /** Of what was measured: 0, unless a limit or validation failed. */
  exitCode = 0;
  /** Whether this process shows anything: of ranks the first, else both sides. */
  readonly prints: boolean;
  readonly #request: BookRequest;
  /** Record and tables. */
  readonly #keepers: Keepers;
  /** Rows of `--out_json`, which this process writes. */
  readonly #shown: (LatencyFigures | BandwidthFigures)[] = [];
  #opened: Opened | undefined;
  #ranks: readonly RankRecord[] = [];
  /** Why the exit code isn't 0. */
  #problem = '';
  #both = '';

  constructor(request: BookRequest) {
    const { options, party, launcher, streams } = request;
    this.#request = request;
    this.prints = launcher.launcher === null || party.world.rank === 0;
    this.#keepers = new Keepers(party.world.rank === 0 ? outputReporters(options, streams.stdout) : []);
  }

  /** The box and the addresses; all processes call it together. */
  begin(opened: Opened): void {
    const { text } = this.#request;
    this.#opened = opened;
    this.#describe(opened);
    this.#write(text.header(opened.header));
    for (const which of ['local', 'remote'] as const)
      for (const addresses of opened.addresses) this.#write(text.address(which, addresses[which]));
    this.#write(this.#showsRows() ? text.columns() : '');
  }

  /** A row of a run that goes on; of several clients each knows its own alone, and the first shows it. */
  progress(figures: BandwidthFigures): void {
    // Whoever sees the row and ends the run finds it in the record.
    if (this.#opened) this.#keepers.row(progressRecord(this.#request, this.#opened, figures));
    this.#write(this.#request.text.bandwidth(figures));
  }

  /** Shows and records a size. */
  row(row: Row, result: SizeResult): void {
    const { text, party } = this.#request;
    const { latency, bandwidth, samples } = row;
    if (latency) this.#write(text.samples(samples[0] ?? []) + text.latency(latency));
    else if (bandwidth) this.#write(text.bandwidth(bandwidth));
    if (row.store) this.#write(text.statistics(row.store.statistics()));
    this.#write(text.counters(result.counters ?? []));
    this.#writeOutJson(latency ?? bandwidth);
    if (row.both) this.#both = text.both(row.both.local, row.both.remote);
    if (party.world.rank === 0 && this.#opened) {
      for (const [client, seconds] of samples.entries()) this.#keepers.samples(client, seconds);
      this.#keepers.row(rowRecord(this.#request, this.#opened, row, result));
    }
    for (const warning of result.warnings ?? []) {
      this.#complain(warning);
      this.#keepers.warning(warning);
    }
    this.#judge(row);
  }

  /** What comes below the rows. */
  finish(): void {
    this.#write(this.#request.text.end() + this.#both);
  }

  /** Sees whether all processes are still where they were; all of them call it together. */
  recheck(): void {
    const { streams } = this.#request;
    const now = this.#opened && gatherPlaces(this.#place(this.#opened));
    if (!now) return;
    const { ranks, warnings } = recheckRanks(this.#ranks, now);
    for (const warning of warnings) {
      if (this.prints) say(streams.stderr, `warning: ${warning}`);
      this.#keepers.warning(warning);
    }
    this.#keepers.amend({ ranks });
  }

  /** Ends the record; may be called again, which adds nothing. */
  end(status?: StatusRecord): void {
    const own: StatusRecord = this.exitCode === 0 ? { state: 'done' } : { state: 'failed', message: this.#problem };
    this.#keepers.end(status ?? own);
  }

  /** READ and ATOMIC latency tests have nothing to show on the side that waits. */
  #showsRows(): boolean {
    const { options, party } = this.#request;
    return options.kind === 'bw' || party.role === 'client' || options.verb === 'send' || options.verb === 'write';
  }

  #place({ verbs }: Opened): OwnPlace {
    const { launcher, bound, party } = this.#request;
    return { launcher, bound, nics: verbs.device === undefined ? [] : [verbs.device], rendezvous: party.world };
  }

  #describe(opened: Opened): void {
    const { name, options, started, streams } = this.#request;
    const head = gatherHead({
      ...{ name, options, engine: 'native', layer: 'verbs', started, ...this.#place(opened) },
      noise: options.noise,
      stacks: { mpi: null, ucx: null, verbs: opened.verbs },
    });
    if (!head) return;
    this.#ranks = head.ranks;
    for (const line of options.reportBinding && this.prints ? bindingReport(head.ranks) : []) say(streams.stderr, line);
    for (const line of noiseReport(head.ranks)) say(streams.stderr, line);
    this.#keepers.begin(head);
    for (const warning of bindingWarnings(head.ranks)) this.#keepers.warning(warning);
    for (const warning of noiseWarnings(head.ranks)) {
      this.#complain(`warning: ${warning}`);
      this.#keepers.warning(warning);
    }
  }

  #judge({ wrongBytes, latency, bandwidth }: Row): void {
    const { options } = this.#request;
    const shown = latency ?? bandwidth;
    const note = shown ? zeroTimeNote(shown) : undefined;
    if (note !== undefined) this.#complain(note);
    const wrong = wrongBytes ? [`${wrongBytes} ${wrongBytes === 1 ? 'byte' : 'bytes'} arrived wrong`] : [];
    for (const problem of [...wrong, ...(bandwidth ? missedLimits(options, bandwidth) : [])]) {
      this.exitCode = FAILED;
      this.#problem ||= problem;
      this.#complain(problem);
    }
  }

  /** The whole file anew for each row. */
  #writeOutJson(figures: LatencyFigures | BandwidthFigures | null): void {
    const { options, streams } = this.#request;
    if (!this.prints || options.outJson === undefined || !figures || !this.#opened) return;
    this.#shown.push(figures);
    const { header } = this.#opened;
    const target = recordTarget(options.outJson, streams.stdout, 'report');
    target.save([perftestJson({ options, header, rows: this.#shown })], true);
  }

  #complain(text: string): void {
    if (this.prints) say(this.#request.streams.stderr, `${this.#request.name}: ${text}`);
  }

  #write(text: string): void {
    const { streams, options } = this.#request;
    if (this.prints && text !== '') (takesStdout(options) ? streams.stderr : streams.stdout).write(text);
  }
}
