/** What is launched, as plain data, and the seam of launchers: who starts ranks, and how. */
import type { MpiFamily } from '../engine/load.js';

/** What a rank is bound to by its launcher: one core, one hardware thread, or nothing. */
export type BindTo = 'core' | 'hwthread' | 'none';

/** One job: the ranks that one launch starts. */
export interface Job {
  /** Path or name of the launcher's program. */
  readonly program: string;
  /** The MPI that the ranks load. */
  readonly family: MpiFamily;
  /** What each rank runs, with its arguments. */
  readonly command: readonly string[];
  readonly ranks: number;
  /** Names of hosts in the order in which they get ranks; empty = this one, or those of the allocation. */
  readonly hosts: readonly string[];
  /** How many of an allocation's nodes get ranks; undefined = all that the launcher sees. */
  readonly nodes?: number | undefined;
  /** Whether it shares the processors of the step that it is started from (Slurm). */
  readonly overlaps?: boolean | undefined;
  /** Undefined = as many on each as there are ranks for. */
  readonly ranksPerNode: number | undefined;
  readonly bindTo: BindTo;
  /** More ranks than cores are allowed. */
  readonly oversubscribe: boolean;
  /** Ranks that wait give their core to others: there are more of them than hardware threads. */
  readonly yields: boolean;
  /** Open MPI's point-to-point component; undefined = Open MPI's own choice. */
  readonly pml: string | undefined;
  /** Open MPI's component of windows; likewise. */
  readonly osc?: string | undefined;
  /** Whether it is root who starts them, which Open MPI refuses unless told that it may. */
  readonly root: boolean;
  /** Variables that all ranks get, on whatever host they run. */
  readonly environment: Readonly<Record<string, string>>;
  /** Further options for the launcher, as its user gave them. */
  readonly extra: readonly string[];
}

/** A command line with the variables that it needs beside those that are set already. */
export interface LaunchCommand {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Who starts ranks: a pure function, so that what it makes can be printed, run and tested alike. */
export type Launcher = (job: Job) => LaunchCommand;

export type LauncherName = 'openmpi' | 'mpich' | 'srun';
