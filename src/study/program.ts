/** What a study is: the row that a command is made of. */
import type { Sink } from '../report/types.js';
import type { Given } from '../cli/commands/command.js';
import type { OptionRow } from './options.js';
import type { Recorder } from './recorder.js';
import type { Field } from './types.js';

/** What rank 0 has while it leads. */
export interface Study<Options> {
  readonly options: Options;
  readonly field: Field;
  /** Where tables go: stdout, or stderr where the record goes there. */
  readonly table: Sink;
  /** Tells a line on stderr, and the record. */
  readonly warn: (text: string) => void;
  readonly record: Recorder;
}

export interface StudyProgram<Options> {
  readonly name: 'scan' | 'map' | 'congest';
  readonly summary: string;
  readonly options: readonly OptionRow[];
  /** From what was given; throws `WrongUse` for what makes no sense whatever the ranks. */
  readonly read: (given: Given) => Options;
  /** What carries the messages, as records name it; default `mpi`. */
  readonly layer?: (options: Options) => string;
  /**
   * Ranks where nobody says how many.
   *
   * @param cores of all hosts, if those are as this one
   */
  readonly ranks: (options: Options, cores: number) => number;
  /** Whether it may have windows of MPI. */
  readonly windows?: boolean;
  /** Ranks of each host where hosts are named and nobody says how many. */
  readonly ranksPerNode?: number;
  /**
   * Measures, tells and records; on rank 0 alone. Returns the exit code. Throws `WrongUse` for what these ranks can't do and
   * `Impossible` for what can't be had here, before anything is measured or between two steps.
   */
  readonly lead: (study: Study<Options>) => number;
}
