/** Protection domains and what is made in them: memory regions, address handles, shared receive queues. */
import { EngineBuffer } from '../engine/buffer.js';
import { Closable } from '../engine/closable.js';
import { instanceOf, placeOf, sameContext, VerbsUnsupported, within } from './arguments.js';
import type { IbvContext } from './context.js';
import { verbsNative } from './native.js';
import type { AhBox, MrBox, PdBox } from './native-types.js';
import { nativePath } from './paths.js';
import { IbvQp, nativeQp, refusedByDevice } from './queue-pair.js';
import { IbvCq, IbvSrq, IbvXrcd } from './queues.js';
import type {
  AccessFlag,
  AddressHandle,
  AddressPath,
  MemoryRegion,
  ProtectionDomain,
  QpOptions,
  Xrcd,
  Cq,
} from './types.js';

/** By the bits of ibv_access_flags. */
const accessBits: Record<AccessFlag, number> = {
  LOCAL_WRITE: 1,
  REMOTE_WRITE: 2,
  REMOTE_READ: 4,
  REMOTE_ATOMIC: 8,
  ON_DEMAND: 1 << 6,
  RELAXED_ORDERING: 1 << 20,
};
const accessNames = Object.keys(accessBits) as AccessFlag[];

const isList = (value: unknown): boolean => Array.isArray(value);

/** Checks rights of a memory region, and gives their mask. */
function accessMask(access: readonly AccessFlag[], { what, attributes }: IbvContext): number {
  if (!isList(access)) throw new TypeError(`access must be a list of ${accessNames.join(', ')}`);
  for (const flag of access) placeOf(flag, accessNames, 'access');
  const writes = access.find((flag) => flag === 'REMOTE_WRITE' || flag === 'REMOTE_ATOMIC');
  if (writes !== undefined && !access.includes('LOCAL_WRITE')) throw new RangeError(`${writes} needs LOCAL_WRITE`);
  if (access.includes('ON_DEMAND') && !attributes.odp) {
    throw new VerbsUnsupported(`${what} has no on-demand paging (ODP)`);
  }
  if (access.includes('REMOTE_ATOMIC') && attributes.atomicCap === 'NONE') {
    throw new VerbsUnsupported(`${what} has no atomics`);
  }
  return access.reduce((mask, flag) => mask | accessBits[flag], 0);
}

export class IbvMr extends Closable<MrBox> implements MemoryRegion {
  readonly address: bigint;
  readonly lkey: number;
  readonly rkey: number;
  constructor(
    readonly pd: IbvPd,
    box: MrBox,
    readonly buffer: EngineBuffer,
  ) {
    super(box, 'the memory region', 'deregistered');
    ({ address: this.address, lkey: this.lkey, rkey: this.rkey } = verbsNative().verbsMrInfo(box));
  }
  dereg(): void {
    this.closeBy((box) => {
      verbsNative().verbsDeregMr(box);
    });
  }
}

export class IbvAh extends Closable<AhBox> implements AddressHandle {
  constructor(
    readonly pd: IbvPd,
    box: AhBox,
  ) {
    super(box, 'the address handle', 'destroyed');
  }
  destroy(): void {
    this.closeBy((box) => {
      verbsNative().verbsDestroyAh(box);
    });
  }
}

interface SrqOptions {
  readonly maxWr: number;
  readonly xrc?: { readonly xrcd: Xrcd; readonly cq: Cq };
}

export class IbvPd extends Closable<PdBox> implements ProtectionDomain {
  constructor(
    readonly context: IbvContext,
    box: PdBox,
  ) {
    super(box, 'the protection domain', 'deallocated');
  }

  regMr(buffer: EngineBuffer, access: readonly AccessFlag[]): IbvMr {
    if (!(buffer instanceof EngineBuffer)) throw new TypeError('the buffer must be an EngineBuffer');
    if (buffer.freed) throw new Error('the buffer was freed: allocate a new one');
    if (buffer.byteLength === 0) throw new RangeError('the buffer is empty: a memory region needs at least one byte');
    const mask = accessMask(access, this.context);
    return new IbvMr(this, verbsNative().verbsRegMr(this.box, buffer, mask), buffer);
  }

  createQp(options: QpOptions): IbvQp {
    const made = nativeQp(this, options);
    return new IbvQp(
      this,
      refusedByDevice(() => verbsNative().verbsCreateQp(this.box, made)),
      options,
    );
  }

  createSrq({ maxWr, xrc }: SrqOptions): IbvSrq {
    const { attributes, what } = this.context;
    if (attributes.maxSrqWr === 0) throw new VerbsUnsupported(`${what} has no shared receive queues`);
    within(maxWr, 'maxWr', 1, attributes.maxSrqWr);
    const xrcd = xrc && instanceOf(xrc.xrcd, IbvXrcd, 'xrcd');
    const cq = xrc && instanceOf(xrc.cq, IbvCq, 'cq');
    if (xrcd) sameContext(xrcd, this.context, 'xrcd');
    if (cq) sameContext(cq, this.context, 'cq');
    return new IbvSrq(this.context, verbsNative().verbsCreateSrq(this.box, maxWr, xrcd?.box, cq?.box), maxWr);
  }

  createAh(path: AddressPath): IbvAh {
    return new IbvAh(this, verbsNative().verbsCreateAh(this.box, nativePath(this.context, path)));
  }

  dealloc(): void {
    this.closeBy((box) => {
      verbsNative().verbsDeallocPd(box);
    });
  }
}
