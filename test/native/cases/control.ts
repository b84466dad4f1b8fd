/** A client or server of a control connection. Arguments: scenario, port. */
import { connect, listen, nativeExecutor, noop, until } from '../../../src/engine/index.js';
import { tcpRendezvous } from '../../../src/rendezvous/tcp.js';

const [scenario = '', port = ''] = process.argv.slice(2);
const dial = () => connect({ host: 'localhost', port: Number(port), timeout: 20 });
const sleep = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
};

const scenarios: Record<string, () => void> = {
  echo: () => {
    const connection = dial();
    for (let text = connection.receive(); text !== 'end'; text = connection.receive()) connection.send(text);
    connection.close();
  },
  /** Gives up while the peer waits. */
  abort: () => {
    const connection = dial();
    connection.receive();
    sleep(100);
    connection.abort('the disk is full');
  },
  /** Ends without a word while the peer waits. */
  vanish: () => {
    const connection = dial();
    connection.receive();
    sleep(100);
    process.kill(process.pid, 'SIGKILL');
  },
  /** Leaves by process.exit, without closing. */
  exit: () => {
    const connection = dial();
    connection.receive();
    process.exit(0);
  },
  /** Leaves in good order after its last words. */
  leave: () => {
    const connection = dial();
    connection.signal()();
    connection.send('last words');
    connection.close();
  },
  /** Waits in a native operation until the peer gives up. */
  wait: () => {
    const connection = dial();
    connection.send('waiting');
    try {
      nativeExecutor.start({ timed: [until(connection.signalled(), [noop()])] }).advance({ iterations: 1 });
    } catch (error) {
      process.stdout.write(`${(error as Error).message}\n`);
    }
    process.stdout.write(`${String(connection.lost)}\n`);
  },
  /** As many barriers as the peer does. */
  barriers: () => {
    const meeting = tcpRendezvous(dial(), 1);
    const run = nativeExecutor.start({ timed: [meeting.progressBarrier?.(noop()) ?? noop()] });
    run.advance({ iterations: 200 });
    meeting.barrier();
    run.finish();
    meeting.close();
  },
  'abort-run': () => {
    const meeting = tcpRendezvous(dial(), 1);
    meeting.barrier();
    meeting.abort(3);
  },
  /** Blocks in accept. */
  accept: () => {
    const listener = listen({ port: 0 });
    process.stdout.write(`${listener.port}\n`);
    listener.accept();
  },
  /** Blocks in receive. */
  receive: () => {
    const connection = dial();
    process.stdout.write('connected\n');
    connection.receive();
  },
};

scenarios[scenario]?.();
