import type { BindingOptionName } from './binding-options.js';
import type { OptionShape } from './getopt.js';

export type UcxOptionGroup = 'test' | 'run' | 'output' | 'uct' | 'ucp' | 'own';

/** One option of ucx_perftest: what it looks like, where it may stand, and what its help says. */
export interface UcxOptionRow extends OptionShape {
  readonly name: UcxOptionName;
  /** Whether a line of a batch file may have it too. */
  readonly inBatch: boolean;
  readonly group: UcxOptionGroup;
  /** How the argument is shown, with its blank: ` ITERS`. */
  readonly shown?: string;
  readonly help: string;
}

/** What one test is made of; these are what a line of a batch file may say. */
export type UcxTestOptionName =
  | 'test'
  | 'pieces'
  | 'memory'
  | 'iterations'
  | 'warmup'
  | 'outstanding'
  | 'stride'
  | 'loopback'
  | 'one-sided'
  | 'non-blocking'
  | 'percentile'
  | 'validate'
  | 'quiet'
  | 'device'
  | 'transport'
  | 'layout'
  | 'flow-control'
  | 'header'
  | 'async-mode'
  | 'threads'
  | 'thread-mode'
  | 'wildcard'
  | 'unexpected'
  | 'stream-receive'
  | 'error-handling'
  | 'wait-mode'
  | 'preregistered'
  | 'am-copy'
  | 'info';

export type UcxOptionName =
  | UcxTestOptionName
  | 'cpus'
  | 'batch'
  | 'port'
  | 'ipv6'
  | 'launcher-mode'
  | 'help'
  | 'thousands'
  | 'final'
  | 'csv'
  | 'extra-info'
  | 'sizes'
  | 'stats'
  | 'json'
  | 'csv-file'
  | 'markdown'
  | 'samples'
  | 'watchdog'
  | 'noise'
  | BindingOptionName
  | 'once';
