/** Operations over the objects of verbs.node. */
import { loadAddon } from '../engine/load.js';
import { makeBind } from './bind-make.js';
import type { NativeOperations } from './bind-native.js';
import type { VerbsBind } from './bind-types.js';
import { IbvAh, IbvMr } from './pd.js';
import { IbvQp } from './queue-pair.js';
import { IbvCq, IbvSrq } from './queues.js';

/** Binds operations. Throws RangeError or TypeError for what can't be, and `LoadError` where verbs.node is missing. */
export const verbsBind: VerbsBind = makeBind(() => loadAddon('verbs') as NativeOperations, {
  qp: IbvQp,
  cq: IbvCq,
  mr: IbvMr,
  ah: IbvAh,
  srq: IbvSrq,
});
