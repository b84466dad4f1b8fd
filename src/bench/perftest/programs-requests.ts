/** Work requests of the tests: what a queue pair sends, and where messages arrive. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { Opcode, RecvWr, SendWr, Walk } from '../../verbs/bind-types.js';
import type { Lane, Side } from './types.js';

/** Small messages walk within a page, by steps of whole cache lines. */
const PAGE = 4096;
const CACHE_LINE = 64;
/** Of the header that UD puts before what it receives. */
const UD_HEADER = 40;

export const WORD_BYTES = 8;
/** What atomics add; what they compare with, and put in its place. */
export const ADDED = 1n;
export const COMPARED = 0n;
export const SWAPPED = 0x5a5a_f00d_0bad_cafen;

type Test = Pick<PerftestOptions, 'verb' | 'kind' | 'withImm' | 'bidirectional'>;

/** Whether a message takes a receive where it arrives. */
export const isReceived = ({ verb, withImm }: Pick<Test, 'verb' | 'withImm'>): boolean => verb === 'send' || withImm;

/** Whether a message that is lost is not sent again. */
export const isUnreliable = ({ connection }: Pick<PerftestOptions, 'connection'>): boolean =>
  connection === 'UC' || connection === 'UD';

/** Whether the server sends too. */
export const isBothWays = ({ verb, kind, bidirectional }: Test): boolean =>
  kind === 'lat' ? verb === 'send' || verb === 'write' : bidirectional;

/** Where small messages of a stream walk; undefined for large ones, which all have one place. */
export function walkOf(size: number): Walk | undefined {
  if (size > PAGE / 2) return undefined;
  const step = Math.max(1, Math.ceil(size / CACHE_LINE)) * CACHE_LINE;
  return { step, span: Math.floor(PAGE / step) * step };
}

function opcodeOf({ verb, withImm, atomicType }: PerftestOptions): Opcode {
  switch (verb) {
    case 'send':
      return withImm ? 'SEND_WITH_IMM' : 'SEND';
    case 'write':
      return withImm ? 'RDMA_WRITE_WITH_IMM' : 'RDMA_WRITE';
    case 'read':
      return 'RDMA_READ';
    case 'atomic':
      return atomicType === 'CMP_AND_SWAP' ? 'ATOMIC_CMP_AND_SWP' : 'ATOMIC_FETCH_AND_ADD';
  }
}

function atomicOperands({ verb, atomicType }: PerftestOptions): Pick<SendWr, 'compareAdd' | 'swap'> {
  if (verb !== 'atomic') return {};
  return atomicType === 'CMP_AND_SWAP' ? { compareAdd: COMPARED, swap: SWAPPED } : { compareAdd: ADDED };
}

/** A message of a queue pair. What it reads or fetches arrives in the half that others are sent from. */
export function sendWr({ options, inlineSize }: Side, lane: Lane, size: number): SendWr {
  const { verb } = options;
  const { qp, mr, sendOffset, remote, ud, srqn } = lane;
  const carries = verb === 'send' || verb === 'write';
  return {
    ...{ qp, opcode: opcodeOf(options), local: { mr, offset: sendOffset, length: size } },
    ...(verb === 'send' ? {} : { remote }),
    ...(ud ? { ud } : {}),
    ...(srqn === undefined ? {} : { srqn }),
    ...(carries ? { inline: size <= inlineSize } : {}),
    ...atomicOperands(options),
  };
}

export const sendWrs = (side: Side, size: number): SendWr[] => side.lanes.map((lane) => sendWr(side, lane, size));

/** The queue pairs with receives of their own; of a shared queue the first, whose memory all messages arrive in. */
export const receivingLanes = ({ lanes, srq }: Side): readonly Lane[] => (srq ? lanes.slice(0, 1) : lanes);

/**
 * Receives for any size: those that one size leaves posted serve the next. A write with immediate data takes one and puts
 * nothing in it.
 */
export function recvWrs(side: Side): RecvWr[] {
  const { srq, options } = side;
  return receivingLanes(side).map(({ qp, mr, receiveOffset, half }) => ({
    to: srq ?? qp,
    local: { mr, offset: receiveOffset, length: options.verb === 'write' ? 0 : half },
  }));
}

/** Where the data of a received message begin. */
export const arrivalOffset = ({ options }: Side, lane: Lane): number =>
  lane.receiveOffset + (options.connection === 'UD' ? UD_HEADER : 0);
