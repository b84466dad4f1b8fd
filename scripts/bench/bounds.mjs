/** What the bench demands. */
export const BOUNDS = {
  /** Native engine over C, times as a ratio. */
  native: 1.02,
  /** The same for collectives, one-sided calls and persistent requests. */
  collective: 1.03,
  /** JavaScript engine over native engine, times of window operations as a ratio. */
  js: 1.05,
  /** Nanoseconds more per operation call, JavaScript engine over native engine. */
  call: 25,
  /** Seconds more of wall time from start to end, osu_latency over C. */
  startUp: 0.12,
  /** Files of the project that a rank opens. */
  files: 8,
  /** Bytes resident per rank, VmHWM: shared mappings count. */
  memory: 90e6,
  /** Seconds of wall time within which a job of CROWD ranks must end, far more than there are cores. */
  crowd: 300,
};

/** Ranks of such a job. */
export const CROWD = 64;
