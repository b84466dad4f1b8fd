/** Hardware counters of this process, by PAPI. */
import { CountersError, explainFailure } from './errors.js';
import { papi, type NativeEvents, type NativePapi } from './native.js';

/** What one event was counted to. */
export interface CounterValue {
  /** PAPI's name of the event. */
  readonly name: string;
  readonly value: number;
}

/** Events that are counted on the thread that opened them. */
export interface Counters {
  /** Begins a span. Throws a `CountersError` where the counters can't be read. */
  start(): void;
  /** What the events were counted to since `start`, in the order of their names. Throws likewise. */
  stop(): readonly CounterValue[];
  /** Gives the counters back. */
  close(): void;
}

/**
 * Counts events by their PAPI names from here on, on the calling thread: that which makes the MPI calls. Events may
 * belong to different components.
 *
 * @param load for tests
 * @throws LoadError where fabricbench was built without PAPI; CountersError where an event can't be counted
 */
export function openCounters(events: readonly string[], load: () => NativePapi = papi): Counters {
  const twice = events.find((event, index) => events.indexOf(event) !== index);
  if (events.length === 0) throw new CountersError('there is no event to count: name one', 'wrong-use');
  if (twice !== undefined) throw new CountersError(`${twice} is named twice: name each event once`, 'wrong-use');
  const native = load();
  const counted = new native.Events(events);
  if (counted.failure) throw explainFailure(counted.failure, events, native.permission);
  return new OpenCounters(events, counted);
}

/** The counters run all the time and a span is the difference of two readings: nothing is reset, and little is called. */
class OpenCounters implements Counters {
  readonly #events: readonly string[];
  readonly #counted: NativeEvents;
  readonly #before: Float64Array;
  readonly #after: Float64Array;

  constructor(events: readonly string[], counted: NativeEvents) {
    this.#events = events;
    this.#counted = counted;
    this.#before = new Float64Array(events.length);
    this.#after = new Float64Array(events.length);
  }

  start(): void {
    this.#read(this.#before);
  }

  stop(): readonly CounterValue[] {
    this.#read(this.#after);
    return this.#events.map((name, index) => ({
      name,
      value: (this.#after[index] ?? NaN) - (this.#before[index] ?? NaN),
    }));
  }

  close(): void {
    this.#counted.close();
  }

  #read(values: Float64Array): void {
    const problem = this.#counted.read(values);
    if (problem !== null) {
      const names = this.#events.join(', ');
      throw new CountersError(`the counters of ${names} can't be read (${problem}): name fewer events`, 'not-here');
    }
  }
}
