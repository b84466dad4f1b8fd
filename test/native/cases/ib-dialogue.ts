/**
 * An ib_* program whose device and measurement are made up, so that two of them hold their whole dialogue without RDMA:
 *
 *     ib-dialogue.js ib_write_bw '{"failsAt":8}' [options of the program]
 */
import type { PerftestName } from '../../../src/cli/perftest-options.js';
import { OperationError } from '../../../src/engine/errors.js';
import { launch } from '../../../src/bench/perftest/main.js';
import type { Opened, OpenRequest } from '../../../src/bench/perftest/opened.js';
import { together } from '../../../src/bench/perftest/steps.js';
import { PerftestRefusal, type Side, type SizeResult } from '../../../src/bench/perftest/types.js';
import { SampleStore } from '../../../src/bench/measure/samples.js';
import { say } from '../../../src/report/say.js';
import { FdSink } from '../../../src/report/index.js';

export interface Faults {
  /** Opening is refused, with this exit code. */
  readonly refuses?: number;
  /** A size whose measurement fails on this side. */
  readonly failsAt?: number;
  /** A size at which this side dies without a word. */
  readonly diesAt?: number;
  /** A size that both sides find impossible. */
  readonly impossibleAt?: number;
  readonly wrongBytes?: number;
  /** Seconds of a message (default: 1e-6). */
  readonly each?: number;
}

const [name = '', given = '{}', ...argv] = process.argv.slice(2);
const faults = JSON.parse(given) as Faults;
const closed = (): void => {
  say(new FdSink(2), 'closed');
};

function open({ options, party }: OpenRequest): Opened {
  together(party, () => {
    if (faults.refuses !== undefined) throw new PerftestRefusal('the device is made up', faults.refuses);
  });
  const { role, pair, world } = party;
  const side = { options, role, pair, world, lanes: [], srq: null, inlineSize: 0 } as unknown as Side;
  return {
    ...{ side, sizes: options.sizes, close: closed, abandon: closed },
    header: {
      ...{ device: 'fake0', transport: 'IB', mtu: 4096, linkLayer: 'Ethernet', gidIndex: 1, maxInline: 0 },
      ...{ wrApi: false, cqMod: options.cqMod, txDepth: options.txDepth, rxDepth: options.rxDepth, usingSrq: false },
    },
    addresses: [{ local: { lid: 0, qpn: 17, psn: 1 }, remote: { lid: 0, qpn: 18, psn: 2 } }],
    verbs: {
      ...{ version: null, device: 'fake0', firmware: '1.0', port: 1, linkLayer: 'Ethernet', mtu: 4096 },
      gid: { index: 1, address: '::ffff:10.9.0.1', type: 'RoCE v2' },
    },
  };
}

/** What a side measures by itself, as measure.ts has it. */
function measures({ options: { verb, kind, bidirectional }, role }: Side): boolean {
  if (role === 'client') return true;
  return verb === 'send' || (kind === 'lat' ? verb === 'write' : bidirectional);
}

function measure(side: Side, size: number): SizeResult {
  const { options, pair } = side;
  if (faults.diesAt === size) process.kill(process.pid, 'SIGKILL');
  if (faults.failsAt === size)
    throw new OperationError({ operation: 'ibv_poll_cq', stackName: 'verbs', code: 12, text: 'the link is down' });
  if (faults.impossibleAt === size) throw new PerftestRefusal(`${size} bytes can not be measured`);
  pair.barrier();
  const wrong = faults.wrongBytes === undefined ? {} : { wrongBytes: faults.wrongBytes };
  if (!measures(side)) return wrong;
  const { iterations } = options;
  const each = faults.each ?? 1e-6;
  if (options.kind === 'bw')
    return { ...wrong, bandwidth: { size, iterations, peak: null, average: size / each, messageRate: 1 / each } };
  const samples = new Float64Array(iterations).fill(each);
  const store = new SampleStore();
  store.add(samples);
  const times = { min: each, max: each, typical: each, average: each, stdev: 0, p99: each, p999: each };
  return { ...wrong, latency: { size, iterations, ...times }, samples, store };
}

launch(name as PerftestName, argv, { open, measure });
