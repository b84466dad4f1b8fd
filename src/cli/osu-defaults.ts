/** Defaults of the osu_* programs: of all of them, and what one benchmark says of itself. */
import { DATA_TYPES } from './datatypes.js';
import type { NeighbourRequest, OneSidedDefaults, OsuSpec, RootRequest, Workers } from './options.js';

export const MIB = 2 ** 20;
export const DEFAULT_WINDOW = 64;
export const DEFAULT_WATCHDOG = 60;
export const DEFAULT_VALIDATION_WARMUP = 5;
export const DEFAULT_PERCENTILES: readonly number[] = [50, 90, 99];
export const DEFAULT_LOG_DIRECTORY = 'validation_output';
export const DEFAULT_MEM_LIMIT = 512 * MIB;
export const DEFAULT_ROOT: RootRequest = { kind: 'fixed', rank: 0 };
export const DEFAULT_NEIGHBOURS: NeighbourRequest = { kind: 'cart', dims: 1, radius: 1 };
export const DEFAULT_WORKERS: Workers = { send: 1, receive: 2 };
export const MOST_WORKERS = 127;

const DEFAULT_ONE_SIDED: OneSidedDefaults = {
  creation: 'allocate',
  synchronization: 'flush',
  synchronizations: ['lock', 'flush', 'flush_local', 'lock_all', 'pscw', 'fence'],
};

export function datatypesOf({ defaults }: OsuSpec): readonly string[] {
  return defaults.datatypes ?? DATA_TYPES;
}

export function oneSidedOf({ defaults }: OsuSpec): OneSidedDefaults {
  return defaults.oneSided ?? DEFAULT_ONE_SIDED;
}
