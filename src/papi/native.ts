/** What papi.node exports, as csrc/papi/module.cc has it. */
import { loadAddon } from '../engine/load.js';

/** Why events can't be counted: see `Failure` in csrc/papi/event_sets.hpp. Texts that don't apply are empty. */
export interface PapiFailure {
  readonly step: 'library' | 'event' | 'together' | 'start';
  /** PAPI's. */
  readonly code: number;
  readonly text: string;
  readonly event: string;
  /** PAPI knows an event of this name. */
  readonly known: boolean;
  readonly component: string;
  /** Why the component doesn't work here. */
  readonly disabled: string;
}

export interface NativeEvents {
  /** Null where the events are counted, from the construction on and on the thread that constructs. */
  readonly failure: PapiFailure | null;
  /** Counts so far; returns PAPI's words where it failed, else null. */
  read(values: Float64Array): string | null;
  close(): void;
}

export interface NativePapi {
  readonly Events: new (names: readonly string[]) => NativeEvents;
  /** PAPI's code where the kernel forbids. */
  readonly permission: number;
}

/** papi.node. Throws `LoadError` where it wasn't built or PAPI is missing. */
export function papi(): NativePapi {
  return loadAddon('papi') as NativePapi;
}
