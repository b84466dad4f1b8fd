/** `--dry-run` of a program: what it says, and its exit code. */
import { dryRun } from '../binding/dry-run.js';
import type { BindingOptions, DryRun } from '../binding/types.js';
import { LoadError } from '../engine/errors.js';
import type { Launcher } from '../rendezvous/launcher.js';
import { say, tell, type Streams } from '../report/say.js';

export interface DryRunRequest {
  readonly name: string;
  readonly options: BindingOptions & { readonly dryRun: DryRun };
  readonly launcher: Launcher;
  readonly streams: Streams;
}

const EXIT = { done: 0, failed: 1, refused: 1, notPossibleHere: 77 } as const;

/** Says on rank 0 which cores ranks of its host would get. Returns the exit code, which is rank 0's to give. */
export function tellDryRun({ name, options, launcher, streams }: DryRunRequest): number {
  if ((launcher.rank ?? 0) !== 0) return EXIT.done;
  try {
    const told = dryRun(options, launcher);
    if (told.ok) return tell(streams, told.value) ? EXIT.done : EXIT.failed;
    say(streams.stderr, `${name}: ${told.reason}`);
    return EXIT.refused;
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    say(streams.stderr, `${name}: ${error.message}`);
    return EXIT.notPossibleHere;
  }
}

/** Whether options ask for one. */
export function asksDryRun<Options extends BindingOptions>(
  options: Options,
): options is Options & { readonly dryRun: DryRun } {
  return options.dryRun !== undefined;
}
