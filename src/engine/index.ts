/** The engine as a library: operations, programs, executors, buffers, clock, affinity, watchdog. */
export {
  currentCpu,
  formatCpuList,
  getAffinity,
  onlineCpus,
  parseCpuList,
  setAffinity,
  threadsAffinity,
  type ThreadAffinity,
} from './affinity.js';
export { EngineBuffer, type BufferOptions } from './buffer.js';
export { lastLevelCacheBytes } from './cache.js';
export { clockInfo, engineClock } from './clock.js';
export { calibrateCompute, compute, computePieces, computeUnits, type ComputeRate } from './compute.js';
export {
  connect,
  ControlError,
  listen,
  type Connection,
  type ConnectOptions,
  type ControlReason,
  type Listener,
  type ListenOptions,
} from './control.js';
export { LoadError, OperationError, type OperationFailure } from './errors.js';
export {
  jsExecutor,
  makeJsExecutor,
  type HeldProgram,
  type JsExecutorOptions,
  type JsOperation,
} from './js-executor.js';
export {
  builtAddons,
  chooseMpiFamily,
  hookSettings,
  loadAddon,
  loadAddonFile,
  loadMpi,
  type HookSetting,
  type MpiFamily,
} from './load.js';
export { bindMemory, memoryPolicy, type MemoryPolicy } from './memory-policy.js';
export { nativeExecutor } from './native-executor.js';
export {
  checkNumbers,
  checkReduction,
  fillNumbers,
  numberTypes,
  type NumbersOptions,
  type ReductionOptions,
  type SenderNumbersOptions,
} from './numbers.js';
export {
  cancelRuns,
  check,
  checkResult,
  clearCancel,
  copy,
  fill,
  noop,
  releaseOperation,
  repeat,
  rotate,
  until,
  type CheckOperation,
  type CheckOptions,
  type CheckResult,
  type PatternBlock,
  type PatternOptions,
  type UntilOptions,
} from './operations.js';
export { connectRaw, listenRaw, type RawConnection, type RawListener, type RawTimeout } from './raw.js';
export { collect, pace, type CollectOptions, type Collecting } from './pace.js';
export { ShmSegments, type ShmLine } from './shm.js';
export { startThreads, type ThreadsAdvanceOptions, type ThreadsOptions, type ThreadsRun } from './threads.js';
export { clockBase, timestamp, type ClockBase } from './timestamp.js';
export { startWatchdog, WATCHDOG_LIMIT, type Watchdog, type WatchdogOptions } from './watchdog.js';
export type * from './types.js';
