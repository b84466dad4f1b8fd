/** Queues of a side: completion queues, the shared receive queue, and what they must hold. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { Cq, ProtectionDomain, Srq, VerbsContext, Xrcd } from '../../verbs/types.js';
import type { Made } from '../meeting/made.js';
import { PerftestRefusal } from './types.js';

export interface Queues {
  readonly sendCq: Cq;
  /** The same where nothing is received. */
  readonly recvCq: Cq;
  readonly srq: Srq | null;
  readonly xrcd: Xrcd | null;
}

/** Work requests that a queue pair has room for. */
export interface Depths {
  readonly send: number;
  readonly receive: number;
}

type Wanted = Pick<PerftestOptions, 'verb' | 'withImm' | 'txDepth' | 'rxDepth' | 'postList' | 'recvPostList'>;

/** Whether messages arrive in receives. */
export const receives = ({ verb, withImm }: Pick<PerftestOptions, 'verb' | 'withImm'>): boolean =>
  verb === 'send' || (verb === 'write' && withImm);

/** One more to send than asked for: a last request that is signaled. */
export function depthsOf(options: Wanted): Depths {
  const { txDepth, rxDepth, postList, recvPostList } = options;
  return {
    send: Math.max(txDepth, postList) + 1,
    receive: receives(options) ? Math.max(rxDepth, recvPostList) : 1,
  };
}

function createCq(context: VerbsContext, options: PerftestOptions, wanted: number, made: Made): Cq {
  const { maxCqe } = context.attributes;
  if (wanted > maxCqe)
    throw new PerftestRefusal(
      `${context.device.name} has completion queues of at most ${maxCqe}, and ${wanted} are needed: give less for -q, -t or -r`,
    );
  const channel = options.events
    ? made.keep(context.createCompChannel(), (one) => {
        one.destroy();
      })
    : undefined;
  const { vector } = options;
  return made.keep(context.createCq({ entries: wanted, vector, ...(channel ? { channel } : {}) }), (cq) => {
    cq.destroy();
  });
}

/** Whether receives are posted to one queue for all. */
export const sharesReceives = ({ useSrq, connection }: Pick<PerftestOptions, 'useSrq' | 'connection'>): boolean =>
  useSrq || connection === 'XRC' || connection === 'DC';

/** Each completion queue with a channel of its own, so that a wait for one isn't woken by the other. */
export function createQueues(pd: ProtectionDomain, options: PerftestOptions, lanes: number, made: Made): Queues {
  const { context } = pd;
  const { connection } = options;
  const depths = depthsOf(options);
  const sendCq = createCq(context, options, depths.send * lanes, made);
  const recvCq = receives(options) ? createCq(context, options, depths.receive * lanes, made) : sendCq;
  if (!sharesReceives(options)) return { sendCq, recvCq, srq: null, xrcd: null };
  const maxWr = Math.min(depths.receive * lanes, context.attributes.maxSrqWr);
  const xrcd =
    connection === 'XRC'
      ? made.keep(context.openXrcd(), (one) => {
          one.close();
        })
      : null;
  const srq = made.keep(pd.createSrq({ maxWr, ...(xrcd ? { xrc: { xrcd, cq: recvCq } } : {}) }), (one) => {
    one.destroy();
  });
  return { sendCq, recvCq, srq, xrcd };
}
