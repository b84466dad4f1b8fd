/** One side of a dialogue with a stock perftest: goes through all steps, and says what it has learnt. */
import { ControlError, type RawConnection } from '../../../src/engine/index.js';
import { stockExchange, type StockOptions } from '../../../src/bench/perftest/stock-peer.js';
import type { StockRecord, StockReport } from '../../../src/bench/perftest/stock-wire.js';

const plain = { bidirectional: false, all: false, duration: false };
const bw = { kind: 'bw', ...plain } as const;
const both = { ...bw, bidirectional: true } as const;

export const tests: Readonly<Record<string, StockOptions>> = {
  'send lat': { verb: 'send', kind: 'lat', ...plain },
  'write lat': { verb: 'write', kind: 'lat', ...plain },
  'read lat': { verb: 'read', kind: 'lat', ...plain },
  'atomic lat': { verb: 'atomic', kind: 'lat', ...plain },
  'send bw': { verb: 'send', ...bw },
  'write bw': { verb: 'write', ...bw },
  'read bw': { verb: 'read', ...bw },
  'atomic bw': { verb: 'atomic', ...bw },
  'send lat -a': { verb: 'send', kind: 'lat', ...plain, all: true },
  'send bw -a': { verb: 'send', ...bw, all: true },
  'write bw -a': { verb: 'write', ...bw, all: true },
  'send bw -b': { verb: 'send', ...both },
  'read bw -b': { verb: 'read', ...both },
  'send bw -b -a': { verb: 'send', ...both, all: true },
  'write bw -b -a': { verb: 'write', ...both, all: true },
  'send bw -b -D': { verb: 'send', ...both, duration: true },
  'write bw -b -D': { verb: 'write', ...both, duration: true },
};

export interface Told {
  readonly mtu: number;
  readonly pageSize: number;
  readonly cacheLine: number;
  readonly qpns: readonly number[];
  /** Message rates told, and of which size. */
  readonly reports: readonly string[];
}

function records(options: StockOptions, first: number): StockRecord[] {
  const gid = Uint8Array.from({ length: 16 }, (_, index) => index);
  const rest = { lid: 0, outReads: 1, psn: 77, rkey: 88, address: 99n, gid, srqn: 0 };
  return Array.from({ length: options.kind === 'lat' ? 1 : 2 }, (_, index) => ({ ...rest, qpn: first + index }));
}

/** Nothing keeps the two in step at the end of write lat but the writes themselves, in whose place a byte crosses here. */
function keepInStep(connection: RawConnection, role: 'client' | 'server'): void {
  if (role === 'server') {
    connection.read(1, { timeoutSeconds: 20 });
    return;
  }
  connection.write(Uint8Array.of(1));
  try {
    connection.read(1, { timeoutSeconds: 20 });
  } catch (error) {
    if (!(error instanceof ControlError) || error.reason !== 'lost') throw error;
  }
}

export function runOneSide(connection: RawConnection, role: 'client' | 'server', options: StockOptions): Told {
  const dialogue = stockExchange(connection, role, { ...options, stepSeconds: 20, runSeconds: 20 });
  const first = role === 'client' ? 200 : 100;
  const own =
    role === 'client'
      ? ({ pageSize: 4096, cacheLine: 128, mtu: 4096 } as const)
      : ({ pageSize: 65536, cacheLine: 64, mtu: 1024 } as const);
  const { mtu, pageSize, cacheLine } = dialogue.greet(own);
  const qpns = dialogue.exchangeKeys(records(options, first)).map(({ qpn }) => qpn);
  dialogue.connected();
  const figures = (size: number): StockReport => ({
    ...{ size: BigInt(size), iterations: 20n, peak: 1.5, average: 1.25, messageRate: first },
  });
  const reports: (StockReport | null)[] = [];
  for (const size of options.all ? [2, 4, 8] : [8]) {
    if (role === 'client' || options.bidirectional || options.verb === 'send' || options.kind === 'lat') {
      dialogue.beforeSize();
      reports.push(dialogue.afterSize(figures(size)));
    }
  }
  reports.push(dialogue.afterAll(role === 'client' ? figures(8) : null));
  if (options.verb === 'write' && options.kind === 'lat') keepInStep(connection, role);
  dialogue.end();
  const told = reports.flatMap((report) => (report === null ? [] : [`${report.messageRate} of ${report.size}`]));
  return { mtu, pageSize, cacheLine, qpns, reports: told };
}
