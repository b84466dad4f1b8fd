/** What can be known to be wrong with a test before anything is set up. */
import type { UcxTestFacts } from '../report/ucx-perftest-types.js';
import type { UcxTestOptions } from './ucx-perftest-options.js';

/** Bytes of a short message's header. */
const SHORT_HEADER = 8;
const MOST_FLOW_CONTROL = 127;

const UCT_ATOMICS: Readonly<Record<string, string>> = {
  add_lat: 'add',
  add_mr: 'add',
  fadd: 'fetch-add',
  swap: 'swap',
  cswap: 'cswap',
};
const UCP_ATOMICS = ['ucp_add', 'ucp_fadd', 'ucp_swap', 'ucp_cswap'];
const UCP_TRANSFERS = ['ucp_put_lat', 'ucp_put_bw', 'ucp_get'];
const UCP_NEEDS_BYTES = ['ucp_put_lat', 'ucp_put_bw', 'ucp_get', 'stream_lat', 'stream_bw'];
const UCT_MESSAGES = ['am_lat', 'am_bw'];

type Check = (options: UcxTestOptions, facts: UcxTestFacts) => string | undefined | false;

/** One sentence, or undefined where nothing is wrong as far as options alone can tell. */
export function findTestProblem(options: UcxTestOptions, facts: UcxTestFacts): string | undefined {
  for (const check of facts.api === 'uct' ? UCT_CHECKS : UCP_CHECKS) {
    const problem = check(options, facts);
    if (problem) return problem;
  }
  return undefined;
}

/** Bytes of one message. */
export function messageSize({ sizes }: UcxTestOptions): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}

const strideCheck: Check = ({ sizes, stride }) => {
  const largest = sizes.find((size) => stride > 0 && size > stride);
  return largest !== undefined && `Buffer size ${largest} bigger than stride ${stride}`;
};

const windowCheck: Check = ({ flowControlWindow }) =>
  flowControlWindow > MOST_FLOW_CONTROL &&
  `AM flow-control window (${flowControlWindow}) too large (should be <= ${MOST_FLOW_CONTROL})`;

const placeCheck: Check = ({ device, transport }) => {
  if (device === undefined) return 'A device must be specified with -d flag for UCT test';
  return transport === undefined && 'A transport must be specified with -x flag for UCT test';
};

const threadsCheck: Check = ({ threads }) => threads > 1 && 'UCT tests do not support multi-thread mode';

const uctSizeCheck: Check = (options, { name }) => {
  const size = messageSize(options);
  const atomic = UCT_ATOMICS[name];
  if (atomic === undefined) return size === 0 && 'Message size too small, need to be at least 1';
  const { transport, device } = options;
  return !isWord(size) && `${transport}/${device} does not support atomic ${atomic} for message size ${size} bytes`;
};

const headerCheck: Check = (options, { name }) => {
  if (!UCT_MESSAGES.includes(name)) return undefined;
  const { layout, amHeader = SHORT_HEADER } = options;
  if (layout === 'short' && amHeader !== SHORT_HEADER) return `Short AM header size must be ${SHORT_HEADER} bytes`;
  const size = messageSize(options);
  return amHeader > size && `AM header size (${amHeader}) is larger than message size (${size})`;
};

const endlessCheck: Check = ({ oneSided }, { name }) =>
  oneSided && UCT_MESSAGES.includes(name) && `Active messages need a responder that makes progress: leave out -o`;

const ucpSizeCheck: Check = (options, { name }) => {
  const size = messageSize(options);
  if (UCP_ATOMICS.includes(name)) return !isWord(size) && 'Atomic size should be either 32 or 64 bit';
  return size === 0 && UCP_NEEDS_BYTES.includes(name) && 'Message size too small, need to be at least 1';
};

/** UCX sends its own list of pieces in place of their bytes, or aborts. */
const piecesCheck: Check = ({ datatypes }, { name }) =>
  UCP_TRANSFERS.includes(name) &&
  datatypes.includes('iov') &&
  `UCX puts and gets no pieces: give -D contig with -t ${name}`;

const looksCheck: Check = ({ validate, streamData, threads }, { name }) => {
  if (!validate) return undefined;
  if (threads > 1) return '-V checks the data of one thread: leave out -T';
  const leaves = streamData && (name === 'stream_lat' || name === 'stream_bw');
  return leaves && '-V sees nothing of data that -r recv_data leaves to UCX: leave out one of them';
};

const UCT_CHECKS = [placeCheck, threadsCheck, strideCheck, windowCheck, uctSizeCheck, headerCheck, endlessCheck];
const UCP_CHECKS = [strideCheck, ucpSizeCheck, piecesCheck, looksCheck];

function isWord(size: number): boolean {
  return size === 4 || size === 8;
}
