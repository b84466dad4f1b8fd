/** Options of the eight ib_* programs, parsed. Names of fields are perftest's own where they are words. */
import type { BindingOptions } from '../binding/types.js';
import type { Mtu } from '../verbs/types.js';

export type Verb = 'send' | 'write' | 'read' | 'atomic';
export type PerftestKind = 'bw' | 'lat';
/** Names of the programs. */
export type PerftestName = `ib_${Verb}_${PerftestKind}`;
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
  /** `--serve`: a server goes on after its first client. */
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
  /** `-T`, of rdma_cm's queue pairs. */
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

/** By software: pauses between bursts. */
export interface RateLimit {
  readonly limit: number;
  /** `M`: MiB/s, `g`: Gb/s, `p`: messages per second. */
  readonly units: 'M' | 'g' | 'p';
  /** Messages that go out at once (default: those of `-t`). */
  readonly burstSize: number;
}

export interface PerftestOptions extends BindingOptions {
  readonly verb: Verb;
  readonly kind: PerftestKind;
  readonly connection: Connection;
  readonly atomicType: AtomicType;
  readonly meeting: Meeting;
  readonly path: Path;

  /** In the order of measuring; more than one with `-a` or `--sizes`. `sizesFor` gives those of a path. */
  readonly sizes: readonly number[];
  /** Whether `-s` or `--sizes` says them. */
  readonly sizesGiven: boolean;
  /** `-a`. */
  readonly all: boolean;
  /** Of each queue pair; unused with `duration`. */
  readonly iterations: number;
  /** Seconds, and those left out at both ends. With `runInfinitely`: the time of each row, without a margin. */
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
  /** Microseconds. */
  readonly latencyGap: number;
  readonly rateLimit?: RateLimit;
  /** Seconds. */
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
  /** In the unit of the report: MiB/s or Gb/s. */
  readonly limitBw?: number;
  /** Millions of messages per second. */
  readonly limitMsgRate?: number;
  /** `--out_json`, `--out_json_file`: perftest's own form, valid and with all rows. */
  readonly outJson?: string;

  /** Ours. */
  readonly json?: string;
  readonly csvFile?: string;
  readonly markdown?: string;
  readonly samples: boolean;
  readonly stats: boolean;
  /** Seconds for which this process's core is looked at before the test. */
  readonly noise?: number;
  readonly watchdog: number;
}

export type ParsedPerftest =
  | {
      readonly kind: 'run';
      readonly options: PerftestOptions;
      /** Lines for stderr. */
      readonly notes: readonly string[];
    }
  | { readonly kind: 'help'; /** For stdout; exit 0. */ readonly text: string }
  | { readonly kind: 'version'; /** For stdout; exit 0. */ readonly text: string }
  | {
      readonly kind: 'refuse';
      readonly stderr: string;
      /** 77 where it would need hardware or libraries that fabricbench doesn't drive. */
      readonly exitCode: 1 | 77;
    };
