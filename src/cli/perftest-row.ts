import type { PerftestTest } from '../bench/suites/perftest.js';
import type { BindingOptionName } from './binding-options.js';
import type { OptionShape } from './getopt.js';
import type { PerftestKind, Verb } from './perftest-options.js';

export type PerftestGroup = 'test' | 'queues' | 'path' | 'meeting' | 'output' | 'rate' | 'own';

/** One option of the ib_* programs: what it looks like, which tests it is for, and what its help says. */
export interface PerftestOptionRow extends OptionShape {
  readonly name: PerftestOptionName;
  readonly group: PerftestGroup;
  /** How the argument is shown: `ITERS`. */
  readonly shown?: string;
  readonly help: string | ((test: PerftestTest) => string);
  /** Which tests it is for; all where it isn't said. */
  readonly kinds?: readonly PerftestKind[];
  readonly verbs?: readonly Verb[];
  /** What other tests say to it: `note` where it can't change what they measure or check. */
  readonly elsewhere?: 'refuse' | 'note';
}

/** Whether an option is one of this test. */
export function isFor({ kinds, verbs }: PerftestOptionRow, test: PerftestTest): boolean {
  return (kinds?.includes(test.kind) ?? true) && (verbs?.includes(test.verb) ?? true);
}

export type PerftestOptionName =
  | 'all'
  | 'atomic-type'
  | 'bidirectional'
  | 'connection'
  | 'cycles'
  | 'device'
  | 'duration'
  | 'events'
  | 'vector'
  | 'margin'
  | 'cpu-freq'
  | 'help'
  | 'histogram'
  | 'unsorted'
  | 'ib-port'
  | 'inline'
  | 'post-list'
  | 'recv-post-list'
  | 'hop-limit'
  | 'mtu'
  | 'iterations'
  | 'no-peak'
  | 'outs'
  | 'port'
  | 'qps'
  | 'cq-mod'
  | 'cqe-poll'
  | 'fixed-polling'
  | 'rx-depth'
  | 'rdma-cm'
  | 'comm-rdma-cm'
  | 'size'
  | 'sl'
  | 'tx-depth'
  | 'tos'
  | 'qp-timeout'
  | 'version'
  | 'limit-bw'
  | 'limit-msgrate'
  | 'counters'
  | 'gid-index'
  | 'out-json'
  | 'out-json-file'
  | 'cpu-util'
  | 'dlid'
  | 'no-versions'
  | 'force-link'
  | 'ipv6'
  | 'ipv6-addr'
  | 'source'
  | 'latency-gap'
  | 'mr-per-qp'
  | 'odp'
  | 'output'
  | 'old-post-send'
  | 'warm-up'
  | 'pkey-index'
  | 'report-both'
  | 'gbits'
  | 'reversed'
  | 'run-infinitely'
  | 'retry-count'
  | 'tclass'
  | 'huge-pages'
  | 'wait-destroy'
  | 'no-relaxed'
  | 'flow-label'
  | 'write-imm'
  | 'send-imm'
  | 'validate'
  | 'srq'
  | 'burst-size'
  | 'rate-limit'
  | 'rate-units'
  | 'rate-limit-type'
  | 'json'
  | 'csv'
  | 'markdown'
  | 'samples'
  | 'stats'
  | BindingOptionName
  | 'no-numa'
  | 'noise'
  | 'watchdog'
  | 'sizes'
  | 'peer'
  | 'incast'
  | 'serve';
