import type { OptionShape } from './getopt.js';
import type { OptionName, OsuSpec } from './options.js';

/** One option of the osu_* programs: what it looks like and what its help says. */
export interface OsuOptionRow extends OptionShape {
  readonly name: OptionName | 'help' | 'version';
  /** How the argument is shown, with its blank or bracket: ` ITER`, `[p,p,...]`. */
  readonly shown?: string;
  /** One or two sentences, with the defaults of this benchmark. */
  readonly help: (spec: OsuSpec) => string;
}
