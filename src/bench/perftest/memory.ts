/** The memory of a side: for each queue pair one half to send from and one to receive into. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import { EngineBuffer } from '../../engine/buffer.js';
import { OperationError } from '../../engine/errors.js';
import type { AccessFlag, MemoryRegion, ProtectionDomain, Verbs } from '../../verbs/types.js';
import type { Made } from '../meeting/made.js';
import type { Lane } from './types.js';

const PAGE = 4096;
/** Of the header that UD puts before what it receives. */
export const UD_HEADER = 40;

const EINVAL = 22;
const EOPNOTSUPP = 95;

/** Where the halves of a queue pair lie. */
export type Place = Pick<Lane, 'mr' | 'sendOffset' | 'receiveOffset' | 'half'>;

/** Bytes of each half: whole pages, so that each begins with one. */
export function halfOf({ sizes, connection }: Pick<PerftestOptions, 'sizes' | 'connection'>): number {
  const greatest = Math.max(...sizes) + (connection === 'UD' ? UD_HEADER : 0);
  return Math.max(1, Math.ceil(greatest / PAGE)) * PAGE;
}

/** What the peer and the device may do with the memory. */
export function accessFor({ verb, kind, relaxedOrdering, odp }: PerftestOptions): readonly AccessFlag[] {
  const remote: Readonly<Record<PerftestOptions['verb'], readonly AccessFlag[]>> = {
    send: [],
    write: ['REMOTE_WRITE'],
    read: ['REMOTE_READ'],
    atomic: ['REMOTE_ATOMIC'],
  };
  // A reader of the last byte must not see it before the others.
  const relaxed: readonly AccessFlag[] =
    relaxedOrdering && !(verb === 'write' && kind === 'lat') ? ['RELAXED_ORDERING'] : [];
  return ['LOCAL_WRITE', ...remote[verb], ...relaxed, ...(odp ? (['ON_DEMAND'] as const) : [])];
}

/** Relaxed ordering is a wish: some devices refuse what they don't know. */
function register(pd: ProtectionDomain, buffer: EngineBuffer, access: readonly AccessFlag[]): MemoryRegion {
  try {
    return pd.regMr(buffer, access);
  } catch (error) {
    const unknown = error instanceof OperationError && (error.code === EINVAL || error.code === EOPNOTSUPP);
    if (!unknown || !access.includes('RELAXED_ORDERING')) throw error;
    return pd.regMr(
      buffer,
      access.filter((flag) => flag !== 'RELAXED_ORDERING'),
    );
  }
}

/** What memory is made with. */
export interface MemoryGround {
  readonly verbs: Pick<Verbs, 'hugeBuffer'>;
  readonly pd: ProtectionDomain;
  readonly options: PerftestOptions;
  readonly made: Made;
}

function region({ verbs, pd, options, made }: MemoryGround, bytes: number): MemoryRegion {
  const allocated = options.hugePages ? verbs.hugeBuffer(bytes) : EngineBuffer.allocate(bytes);
  const buffer = made.keep(allocated, (one) => {
    one.free();
  });
  return made.keep(register(pd, buffer, accessFor(options)), (mr) => {
    mr.dereg();
  });
}

/** Allocates and registers the memory of so many queue pairs: in one region, or one for each (`--mr_per_qp`). */
export function placesFor(ground: MemoryGround, lanes: number): Place[] {
  const { options } = ground;
  const half = halfOf(options);
  const shared = options.mrPerQp ? undefined : region(ground, 2 * half * lanes);
  return Array.from({ length: lanes }, (_, index) => {
    const mr = shared ?? region(ground, 2 * half);
    const begin = shared ? 2 * half * index : 0;
    return { mr, sendOffset: begin, receiveOffset: begin + half, half };
  });
}
