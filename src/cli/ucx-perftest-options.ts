/** The options of ucx_perftest of UCX 1.13.1, as typed and immutable values. `parseUcxPerftest` (./ucx-perftest.ts) makes them from argv. */

import type { BindingOptions } from '../binding/types.js';

export type UctLayoutName = 'short' | 'shortiov' | 'bcopy' | 'zcopy';
export type UcpLayoutName = 'contig' | 'iov';

/** What a line of a batch file may set too: everything that the peer's client sends to its server. */
export interface UcxTestOptions {
  /** `-t`: a name of the table of tests. */
  readonly test: string;
  /** `-s`: bytes of each piece of one message, whose size is their sum. */
  readonly sizes: readonly number[];
  /** `-n`; 0 = endless. */
  readonly iterations: number;
  /** `-w` */
  readonly warmup: number;
  /** `-O`; undefined = the test's own. */
  readonly outstanding: number | undefined;
  /** `-W`: active messages that may be unacknowledged, 1 to 127. */
  readonly flowControlWindow: number;
  /** `-i`: bytes from the start of one piece to the start of the next; 0 = adjacent. */
  readonly stride: number;
  /** `-D` of UCT tests. */
  readonly layout: UctLayoutName;
  /** `-D` of UCP tests, of the sender and of the receiver. */
  readonly datatypes: readonly [send: UcpLayoutName, receive: UcpLayoutName];
  /** `-H`; undefined = the API's own: 8 bytes, counted in the size, of UCT; 0 more bytes of UCP. */
  readonly amHeader: number | undefined;
  /** `-o`: the responder makes no progress. */
  readonly oneSided: boolean;
  /** `-B` */
  readonly nonBlockingRegistration: boolean;
  /** `-C` */
  readonly wildcardTag: boolean;
  /** `-U` */
  readonly unexpected: boolean;
  /** `-r`: ucp_stream_recv_data_nb. */
  readonly streamData: boolean;
  /** `-I` of a batch line, and implied by `sleep`. */
  readonly wakeup: boolean;
  /** `-E sleep` */
  readonly sleep: boolean;
  /** `-e` */
  readonly errorHandling: boolean;
  /** `-z` */
  readonly preregistered: boolean;
  /** `-y`: the handler copies data that it may not keep. */
  readonly amCopy: boolean;
  /** `-V` */
  readonly validate: boolean;
  /** `-l` */
  readonly loopback: boolean;
  /** `-d`, `-x` */
  readonly device: string | undefined;
  readonly transport: string | undefined;
  /** `-A` */
  readonly asyncMode: 'thread_spinlock' | 'thread_mutex' | 'signal';
  /** `-T` */
  readonly threads: number;
  /** `-M` */
  readonly threadMode: 'single' | 'serialized' | 'multi';
  /** `-m`: UCX's names of memory types. */
  readonly memoryTypes: readonly [send: string, receive: string];
  /** `-R`: 0 to 100. */
  readonly percentile: number;
  /** `-q`: suppress complaints about what a transport can't do. */
  readonly quiet: boolean;
}

/** One test to run, with the words that batch files named it by, or its size with `--sizes`; none without either. */
export interface UcxPerftestRun {
  readonly labels: readonly string[];
  readonly options: UcxTestOptions;
  /**
   * One of several that is known not to work, and why: the peer tells of it and goes on with the next. A single one is
   * refused by the parser.
   */
  readonly problem?: string;
}

export interface UcxPerftestOptions extends BindingOptions {
  /** Where the server is; undefined = this is the server, or the launcher or `-l` makes it unnecessary. */
  readonly server: string | undefined;
  /** `-p` */
  readonly port: number;
  /** `-6` */
  readonly ipv6: boolean;
  /** `-c`: processors of this process. */
  readonly cpus: readonly number[] | undefined;
  /** `-f` */
  readonly finalOnly: boolean;
  /** `-v` */
  readonly csv: boolean;
  /** `-N` */
  readonly thousands: boolean;
  /** `-I` of the command line, or `-X`: how UCX sent it, after the last row. */
  readonly extraInfo: boolean;
  /** Names of the batch files, without folders, for the head of CSV; `size` with `--sizes`; else empty. */
  readonly batchFiles: readonly string[];
  /** Whether `-t` stands on the command line: the heading over the rows of batch files is then that test's. */
  readonly testGiven?: boolean;
  /**
   * What to run, in this order: one, or the product of the batch files' lines, or of `--sizes`. Empty on a server
   * without a test of its own: the client says what to run.
   */
  readonly runs: readonly UcxPerftestRun[];
  /** A server ends after its first client, whatever became of it. */
  readonly once: boolean;
  /** Whether statistics of all samples are shown. */
  readonly stats: boolean;
  /** FILE, or `-` for stdout; undefined = no record. */
  readonly json: string | undefined;
  /** Likewise: the rows as CSV, and as a table in Markdown. */
  readonly csvFile: string | undefined;
  readonly markdown: string | undefined;
  readonly samples: boolean;
  /** Seconds without progress after which the process ends; 0 = off. */
  readonly watchdog: number;
  /** Seconds for which this process's core is looked at before the first test; undefined = not at all. */
  readonly noise: number | undefined;
}

export type ParsedUcxPerftest =
  | {
      readonly kind: 'run';
      readonly options: UcxPerftestOptions;
      /** Lines for stderr. */ readonly notes: readonly string[];
    }
  | { readonly kind: 'help'; /** For stdout; exit 0. */ readonly text: string }
  | {
      readonly kind: 'refuse';
      /** 129 for options, 255 for the rest. */ readonly exitCode: number;
      readonly stderr: string;
      readonly help?: string;
    };
