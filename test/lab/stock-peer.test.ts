/** The dialogue with the real perftest: as the passive side of its one-sided tests. Runs in the Soft-RoCE machine. */
import { expect } from 'chai';
import type { Verb, PerftestKind } from '../../src/cli/perftest-options.js';
import { stockExchange } from '../../src/bench/perftest/stock-peer.js';
import type { StockReport } from '../../src/bench/perftest/stock-wire.js';
import { EngineBuffer, listenRaw, type RawConnection } from '../../src/engine/index.js';
import { verbs } from '../../src/verbs/index.js';
import { begin } from './processes.js';

const PSN = 0xabcdef;
const GID_INDEX = 1;
const HALF = 65536;

interface Served {
  readonly version: string;
  readonly qpn: number;
  readonly report: StockReport | null;
}

/** All that a server of reads, writes and atomics has to do: its memory lies there. */
function serve(connection: RawConnection, verb: Verb, kind: PerftestKind): Served {
  const dialogue = stockExchange(connection, 'server', {
    ...{ verb, kind, bidirectional: false, all: false, duration: false, stepSeconds: 30, runSeconds: 60 },
  });
  const context = verbs().open();
  const pd = context.allocPd();
  const cq = context.createCq({ entries: 16 });
  const buffer = EngineBuffer.allocate(2 * HALF);
  const mr = pd.regMr(buffer, ['LOCAL_WRITE', 'REMOTE_WRITE', 'REMOTE_READ', 'REMOTE_ATOMIC']);
  const qp = pd.createQp({ type: 'RC', sendCq: cq, recvCq: cq, maxSendWr: 1, maxRecvWr: 1 });
  qp.prepare({ port: 1 });
  const { version, mtu } = dialogue.greet({ pageSize: 4096, cacheLine: 64, mtu: context.port(1).activeMtu });
  const gid = context.gids(1).find(({ index }) => index === GID_INDEX)?.gid ?? null;
  const own = { lid: 0, outReads: 16, qpn: qp.number, psn: PSN, rkey: mr.rkey, address: mr.address + BigInt(HALF) };
  const [peer] = dialogue.exchangeKeys([{ ...own, gid, srqn: 0 }]);
  if (!peer?.gid) throw new Error('the peer has told no GID');
  qp.connect({
    path: { port: 1, lid: peer.lid, gid: { gid: peer.gid, index: GID_INDEX } },
    ...{ mtu, destQpn: peer.qpn, rqPsn: peer.psn, sqPsn: PSN, maxDestRdAtomic: 16, maxRdAtomic: 1 },
  });
  dialogue.connected();
  const report = dialogue.afterAll(null);
  dialogue.end();
  const qpn = qp.number;
  qp.destroy();
  mr.dereg();
  cq.destroy();
  pd.dealloc();
  context.close();
  return { version, qpn, report };
}

describe('a stock perftest as our client', () => {
  for (const [verb, kind, size] of [
    ['read', 'lat', 8],
    ['atomic', 'lat', 8],
    ['write', 'bw', 4096],
    ['read', 'bw', 4096],
    ['atomic', 'bw', 8],
  ] as const) {
    it(`measures ib_${verb}_${kind}`, async () => {
      const listener = listenRaw({ port: 0 });
      const sized = verb === 'atomic' ? [] : ['-s', String(size)];
      const options = ['-F', '-n', '50', '-p', String(listener.port), ...sized];
      const client = begin([`ib_${verb}_${kind}`, ...options, '127.0.0.1'], { limit: 60 });
      const connection = listener.accept({ timeout: 40 });
      listener.close();
      if (connection === null) throw new Error(`nobody has come: ${client.printed()}`);
      const { version, qpn, report } = serve(connection, verb, kind);
      const { code, stdout, report: all } = await client.ended;
      expect(code, all).to.equal(0);
      expect(version).to.equal('6.06');
      const remote = `remote address: LID 0000 QPN 0x${qpn.toString(16).padStart(4, '0')} PSN 0xabcdef`;
      expect(stdout, all).to.include(remote);
      expect(stdout, all).to.match(new RegExp(`^ ${size} +50 `, 'm'));
      if (kind === 'lat') {
        expect(report).to.equal(null);
      } else {
        expect([report?.size, report?.iterations]).to.deep.equal([BigInt(size), 50n]);
        // What it has told is what it has printed.
        expect(stdout, all).to.include(report?.average.toFixed(2));
      }
    });
  }
});
