/** What the bench demands. */
export const BOUNDS = {
  /** Native engine over C, times as a ratio. */
  native: 1.02,
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
};
