/** What two sides do once they have met: compare what they were told, open, measure size after size, tell and close. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import { OperationError } from '../../engine/errors.js';
import type { Watchdog } from '../../engine/watchdog.js';
import { sentence } from '../../report/say.js';
import { sleep } from '../../report/sink.js';
import { whyEnded } from '../meeting/dialogue.js';
import type { Party } from '../meeting/party.js';
import { Refusal } from '../meeting/refusal.js';
import type { Book } from './book.js';
import type { Opened, OpenSide } from './opened.js';
import { compareParameters } from './parameters.js';
import { gatherRow } from './rows.js';
import type { MeasureSize, Side } from './types.js';

/** What a session works with; tests put others in their place. */
export interface Parts {
  readonly open: OpenSide;
  readonly measure: MeasureSize;
  readonly tamper?: Side['tamper'];
}

export interface SessionRequest {
  readonly name: string;
  readonly options: PerftestOptions;
  readonly party: Party;
  readonly host?: string | undefined;
  readonly parts: Parts;
  readonly book: Book;
  readonly watchdog: Watchdog;
}

/** In the words that the process ends with: that the other side is gone says more than what failed thereby. */
function whyFailed(error: unknown, { connection }: Party): string {
  const lost = connection ? whyEnded(error, connection) : null;
  return lost ?? sentence(error);
}

const WENT_DOWN = /^port error/;
/** Requests may fail before the device's own word of the cause has come. */
const WORD_MILLISECONDS = 200;
const POLL_MILLISECONDS = 10;

/** What the device says of its own accord, now or shortly. */
function deviceEvents({ side }: Opened): readonly string[] {
  for (let waited = 0; waited < WORD_MILLISECONDS; waited += POLL_MILLISECONDS) {
    const events = side.context.asyncEvents();
    if (events.length > 0) return events;
    sleep(POLL_MILLISECONDS);
  }
  return [];
}

/** What the device says of a failure, beside the operation that saw it first. */
function explain(error: unknown, opened: Opened): unknown {
  if (!(error instanceof OperationError)) return error;
  try {
    const events = deviceEvents(opened).map((event) =>
      WENT_DOWN.test(event) ? `${event}, so its link went down` : event,
    );
    return events.length === 0 ? error : new Error(`${error.message}; the device says: ${events.join(', ')}`);
  } catch {
    return error;
  }
}

/** Both sides refuse what can't be measured: nobody waits for this one. */
function measureSize({ parts, book }: SessionRequest, side: Side, size: number): ReturnType<MeasureSize> {
  try {
    return parts.measure(side, size, (figures) => {
      book.progress(figures);
    });
  } catch (error) {
    if (error instanceof Refusal) error.told = true;
    throw error;
  }
}

function measureAll(request: SessionRequest, opened: Opened): void {
  const { name, party, book, watchdog, parts } = request;
  const side: Side = { ...opened.side, ...(parts.tamper ? { tamper: parts.tamper } : {}) };
  for (const size of opened.sizes) {
    watchdog.context(`${name}, size ${size}`);
    const result = measureSize(request, side, size);
    book.row(gatherRow(side.options, party, result), result);
  }
  party.world.barrier();
}

/** Everything that was opened is closed, whatever happens. */
function run(request: SessionRequest, opened: Opened): void {
  const { book, options } = request;
  try {
    book.begin(opened);
    measureAll(request, opened);
    book.finish();
    book.recheck();
  } catch (error) {
    const explained = explain(error, opened);
    opened.abandon();
    throw explained;
  }
  if (options.waitDestroy > 0) sleep(options.waitDestroy * 1000);
  opened.close();
}

/**
 * Runs a side of a test; all processes call it together. What was measured before a failure is shown and recorded.
 *
 * @returns the exit code
 * @throws Refusal on all of them (`told`) where it can't be done; what failed on one of them otherwise
 */
export function runSession(request: SessionRequest): number {
  const { options, party, host, parts, book } = request;
  try {
    compareParameters(party, options);
    run(request, parts.open({ options, party, host }));
    book.end();
    return book.exitCode;
  } catch (error) {
    book.end({ state: 'failed', message: whyFailed(error, party) });
    throw error;
  }
}
