/** Options of ucx_perftest that make one test; a line of a batch file may have them too. */
import type { UcxOptionGroup, UcxOptionRow, UcxTestOptionName } from './ucx-perftest-row.js';

type Flag = readonly [short: string, name: UcxTestOptionName, help: string];
type Valued = readonly [short: string, name: UcxTestOptionName, shown: string, help: string];

const rows = (group: UcxOptionGroup, options: readonly (Flag | Valued)[]): readonly UcxOptionRow[] =>
  options.map((option) => {
    const [short, name] = option;
    const common = { name, short, long: [], group, inBatch: true };
    return option.length === 3
      ? { ...common, argument: 'none', help: option[2] }
      : { ...common, argument: 'required', shown: ` ${option[2]}`, help: option[3] };
  });

export const TEST_ROWS: readonly UcxOptionRow[] = [
  ...rows('test', [
    ['t', 'test', 'TEST', 'the test, see below'],
    [
      's',
      'pieces',
      'SIZE,...',
      'bytes of one message; several are its pieces, as in -s 16,48,8K, and SIZE:COUNT is COUNT pieces; K, M and G are binary (default 8)',
    ],
    [
      'm',
      'memory',
      'TYPE[,TYPE]',
      'memory of the sender and of the receiver: host, cuda, cuda-managed, rocm, rocm-managed, where UCX has it (default host)',
    ],
    [
      'n',
      'iterations',
      'ITERS',
      'measured iterations, 0 = without end (default 1000000); a line of a batch file that has -n has the last word',
    ],
    ['w', 'warmup', 'ITERS', 'warm-up iterations before, not measured (default 10000)'],
    ['O', 'outstanding', 'COUNT', "sends that may be under way at once, 0 = the test's own number (default 0)"],
    ['i', 'stride', 'BYTES', 'from the start of one piece to the start of the next, 0 = adjacent (default 0)'],
    ['l', 'loopback', 'one process talks to itself; there is no server then'],
    ['o', 'one-sided', 'the responder makes no progress in one-sided tests'],
    ['B', 'non-blocking', 'register memory without blocking (NONBLOCK)'],
    ['R', 'percentile', 'RANK', 'percentile to show, 0 to 100, of all samples (default 50)'],
    ['V', 'validate', 'check every byte that arrived, outside of the measured time'],
    ['q', 'quiet', 'say nothing of what a transport is not able to do'],
  ]),
  ...rows('uct', [
    ['d', 'device', 'DEVICE', 'the device, as ucx_info -d names it'],
    ['x', 'transport', 'NAME', 'the transport, as ucx_info -d names it'],
    [
      'D',
      'layout',
      'LAYOUT',
      'how the sender hands data over: short (default), shortiov (active messages), bcopy or zcopy; not for atomics',
    ],
    ['W', 'flow-control', 'COUNT', 'active messages that may be unacknowledged, 1 to 127 (default 127)'],
    [
      'H',
      'header',
      'BYTES',
      'header of an active message: counted in the size of UCT tests (default 8), added to it in UCP tests (default 0)',
    ],
    ['A', 'async-mode', 'MODE', 'asynchronous progress: thread_spinlock (default), thread_mutex or signal'],
  ]),
  ...rows('ucp', [
    ['T', 'threads', 'THREADS', 'threads, each with a worker of its own (default 1)'],
    ['M', 'thread-mode', 'MODE', 'what a worker is prepared for: single (default), serialized or multi'],
    ['D', 'layout', 'TYPE[,TYPE]', 'data of the sender and of the receiver: contig (default) or iov, the pieces of -s'],
    ['C', 'wildcard', 'receive with a tag that matches all'],
    ['U', 'unexpected', 'look for a message before receiving it, so that all are unexpected'],
    ['r', 'stream-receive', 'MODE', 'stream tests receive by recv (default) or recv_data, which leaves buffers to UCX'],
    ['e', 'error-handling', 'endpoints notice the death of their peer; UCX has no shared memory then'],
    ['E', 'wait-mode', 'MODE', 'poll (default), or sleep until something has come'],
    ['z', 'preregistered', 'pass memory that is registered already'],
    ['y', 'am-copy', 'the handler of active messages copies their data'],
  ]),
];
