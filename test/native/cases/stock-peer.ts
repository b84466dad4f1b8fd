/** The client of test/native/stock-peer.test.ts: a port, and what to do there. */
import { connectRaw } from '../../../src/engine/index.js';
import { runOneSide, tests } from './stock-side.js';

const [port = '', scenario = ''] = process.argv.slice(2);
const connection = connectRaw({ host: '127.0.0.1', port: Number(port) });
const options = tests[scenario];

if (options) {
  process.stdout.write(JSON.stringify(runOneSide(connection, 'client', options)));
} else {
  if (scenario === 'web') connection.write(Buffer.from('GET / HTTP/1.1\r\nHost: here\r\n\r\n'));
  if (scenario === 'old') connection.write(Buffer.from('5.60'.padEnd(16, '\0')));
  // Until it is killed, or the other side has heard enough.
  setInterval(() => undefined, 1000);
}
