/** Options of the eight ib_* programs, parsed. Names of fields are perftest's own where they are words. */
import type { Mtu } from '../verbs/types.js';

export type Verb = 'send' | 'write' | 'read' | 'atomic';
export type PerftestKind = 'bw' | 'lat';
export type Connection = 'RC' | 'UC' | 'UD' | 'XRC' | 'DC';
export type AtomicType = 'FETCH_AND_ADD' | 'CMP_AND_SWAP';

/** How the two sides meet; without a server's name this process is the server, unless a launcher has started it. */
export interface Meeting {
  readonly server?: string;
  /** TCP's port, and rdma_cm's (default 18515). */
  readonly port: number;
  readonly ipv6Socket: boolean;
  /** `--bind_source_ip`. */
  readonly source?: string;
  /** `-R`: rdma_cm makes the queue pairs. */
  readonly rdmaCm: boolean;
  /** `-z`: rdma_cm carries the exchange alone. */
  readonly rdmaCmExchange: boolean;
  /** `--peer perftest`: the other side is a stock perftest. */
  readonly stockPeer: boolean;
  /** `--once`: a server ends after its first client (perftest's always do; ours too unless `--serve`). */
  readonly serve: boolean;
  /** `--incast`: of the ranks of a launcher all send to the last. */
  readonly incast: boolean;
}

export interface Path {
  readonly device?: string;
  readonly port: number;
  readonly gidIndex?: number;
  readonly mtu?: Mtu;
  readonly sl: number;
  readonly tos?: number;
  readonly trafficClass: number;
  readonly hopLimit: number;
  readonly flowLabels: readonly number[];
  readonly dlid?: number;
  readonly pkeyIndex: number;
  /** -u: local ACK timeout 4.096 us * 2^n. */
  readonly qpTimeout: number;
  readonly retryCount: number;
  readonly forceLink?: 'IB' | 'ETHERNET';
  readonly ipv6Gid: boolean;
}

export interface RateLimit {
  readonly limit: number;
  /** `M`: MiB/s, `g`: Gb/s, `p`: messages per second. */
  readonly units: 'M' | 'g' | 'p';
  readonly burstSize?: number;
  readonly typicalPacketSize?: number;
}

export interface PerftestOptions {
  readonly verb: Verb;
  readonly kind: PerftestKind;
  readonly connection: Connection;
  readonly atomicType: AtomicType;
  readonly meeting: Meeting;
  readonly path: Path;

  /** Ascending; more than one with `-a` or `--sizes`. */
  readonly sizes: readonly number[];
  /** `-a`. */
  readonly all: boolean;
  /** Of each queue pair; unused with `duration`. */
  readonly iterations: number;
  /** Seconds, and those left out at both ends. */
  readonly duration?: { readonly seconds: number; readonly margin: number };
  readonly runInfinitely: boolean;

  readonly bidirectional: boolean;
  readonly reversed: boolean;
  readonly qps: number;
  readonly txDepth: number;
  readonly rxDepth: number;
  readonly postList: number;
  readonly recvPostList: number;
  /** What `-Q` says or the default; `cqModFor` gives that of a size. */
  readonly cqMod: number;
  readonly cqModGiven: boolean;
  readonly cqePoll: number;
  /** Undefined: the default of the test, for this device. */
  readonly inlineSize?: number;
  /** `-o`: RDMA reads and atomics outstanding; undefined: what the device has. */
  readonly outs?: number;
  readonly events: boolean;
  readonly vector: number;
  readonly useSrq: boolean;
  readonly mrPerQp: boolean;
  readonly hugePages: boolean;
  readonly odp: boolean;
  readonly relaxedOrdering: boolean;
  readonly oldPostSend: boolean;
  readonly withImm: boolean;
  readonly validate: boolean;
  readonly warmUp: boolean;
  readonly latencyGap: number;
  readonly rateLimit?: RateLimit;
  readonly waitDestroy: number;

  readonly noPeak: boolean;
  readonly gbits: boolean;
  readonly reportBoth: boolean;
  readonly cycles: boolean;
  readonly histogram: boolean;
  readonly unsorted: boolean;
  readonly cpuUtil: boolean;
  /** `-W`: names of counters of sysfs. */
  readonly counters: readonly string[];
  readonly output?: 'bandwidth' | 'message_rate' | 'latency';
  readonly limitBw?: number;
  readonly limitMsgRate?: number;
  /** `--out_json`, `--out_json_file`: perftest's own form, valid and with all rows. */
  readonly outJson?: string;

  /** Ours. */
  readonly json?: string;
  readonly samples: boolean;
  readonly stats: boolean;
  readonly bind?: readonly number[];
  readonly watchdog: number;
}
