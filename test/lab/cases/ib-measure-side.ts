/**
 * One side of ib_* tests over a control connection: `node ib-measure-side.js ROLE PORT GROUP`. Each case is opened, measured
 * size by size and closed; what came of it is one line of JSON.
 */
import { parsePerftest } from '../../../src/cli/perftest.js';
import { connect, listen, type Connection } from '../../../src/engine/control.js';
import { connected, type PairRole } from '../../../src/bench/meeting/party.js';
import { measure } from '../../../src/bench/perftest/measure.js';
import { open } from '../../../src/bench/perftest/open.js';
import type { Side, SizeResult } from '../../../src/bench/perftest/types.js';
import { testOperations } from '../../native/test-addon.js';
import { groups, type Told } from '../ib-measure-cases.js';

const [role = '', port = '0', group = ''] = process.argv.slice(2);

function meet(): Connection {
  if (role === 'client') return connect({ host: '127.0.0.1', port: Number(port) });
  const connection = listen({ port: Number(port) }).accept();
  if (!connection) throw new Error('no client has come');
  return connection;
}

/** Breaks the first byte that arrives in either half. */
const tamper: NonNullable<Side['tamper']> = ({ lane }) =>
  [lane.sendOffset, lane.receiveOffset, lane.receiveOffset + 40].map((offset) =>
    testOperations().corrupt(lane.mr.buffer, offset),
  );

function tell(label: string, size: number, result: SizeResult, rows: number): void {
  const { latency, bandwidth, samples, wrongBytes, warnings, counters, sampleSeconds } = result;
  const told: Told = {
    ...{ label, size, rows, samples: samples?.length ?? 0 },
    ...(latency ? { latency } : {}),
    ...(bandwidth ? { bandwidth } : {}),
    ...(wrongBytes === undefined ? {} : { wrongBytes }),
    ...(warnings ? { warnings } : {}),
    ...(counters ? { counters: counters.map(([name, value]) => [name, Number(value)] as const) } : {}),
    ...(sampleSeconds === undefined ? {} : { sampleSeconds }),
  };
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

const party = connected(meet(), role as PairRole);
for (const { label, program, argv, tampered } of groups[group] ?? []) {
  process.stderr.write(`${role}: ${label}\n`);
  const parsed = parsePerftest(program, argv, { underLauncher: false });
  if (parsed.kind !== 'run') throw new Error(`${label}: ${JSON.stringify(parsed)}`);
  const opened = open({ options: parsed.options, party });
  const side: Side = tampered === role ? { ...opened.side, tamper } : opened.side;
  for (const size of opened.sizes) {
    let rows = 0;
    const result = measure(side, size, () => {
      rows += 1;
    });
    tell(label, size, result, rows);
  }
  opened.close();
}
party.close();
