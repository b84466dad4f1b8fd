/** The client of test/lab/cm.test.ts: a port, and what to do there. Prints what it has learnt. */
import { cmRendezvous } from '../../../src/rendezvous/cm.js';
import { rdmaCm } from '../../../src/verbs/index.js';
import { asClient, hear, HOST, say } from './cm-side.js';
import { texts, walkThrough } from './cm-rendezvous.js';

const [, , given = '', scenario = ''] = process.argv;
const port = Number(given);
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

function talk(type: 'RC' | 'UD'): void {
  const met = asClient(port, type);
  const text = hear(met);
  say(met, `the client has heard: ${text}`);
  // The other side is done once it disconnects, or has said so.
  print({ heard: met.heard, text, peer: met.id.peer });
  met.made.close();
}

function refused(): void {
  try {
    asClient(port, 'RC');
  } catch (error) {
    print({
      name: (error as Error).name,
      reason: (error as { reason?: string }).reason,
      text: (error as Error).message,
    });
  }
}

function stay(): void {
  const met = asClient(port, 'RC');
  print({ heard: met.heard });
  setInterval(() => undefined, 1000);
}

function stayWithTexts(): void {
  const connection = rdmaCm().connectTexts({ host: HOST, port }, { timeout: 20 });
  connection.send('here');
  setInterval(() => undefined, 1000);
}

const scenarios: Record<string, () => void> = {
  RC: () => talk('RC'),
  UD: () => talk('UD'),
  refused,
  stay,
  'stay with texts': stayWithTexts,
  rendezvous: () => print(walkThrough(cmRendezvous(rdmaCm().connectTexts({ host: HOST, port }), 0), texts.client)),
  abort: () => cmRendezvous(rdmaCm().connectTexts({ host: HOST, port }), 0).abort(3),
};
scenarios[scenario]?.();
