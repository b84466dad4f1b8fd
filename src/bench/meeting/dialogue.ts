/** A server and its clients over TCP: each hears of what goes wrong on the other side. */
import { ControlError, type Connection, type Listener } from '../../engine/control.js';
import { clearCancel } from '../../engine/operations.js';
import { sentence } from '../../report/say.js';
import type { PairRole } from './party.js';
import { Refusal } from './refusal.js';

/** What a program does with a connection. */
export interface Talk {
  /** All that there is to do, to the end of the connection in good order; returns the exit code. */
  run(connection: Connection): number;
  /** Tells what went wrong; returns its exit code. */
  failed(error: unknown): number;
}

export interface Parted {
  readonly code: number;
  /** Whether both sides came to the end, whatever became of the tests. */
  readonly inGoodOrder: boolean;
}

/** Exit code of a run that broke off. */
const BROKEN_OFF = 1;

/** Runs a side of a connection; the other side hears of what goes wrong. */
export function converse(connection: Connection, role: PairRole, { run, failed }: Talk): Parted {
  try {
    return { code: run(connection), inGoodOrder: true };
  } catch (error) {
    const refusal = error instanceof Refusal;
    const lost = whyEnded(error, connection);
    if (lost === null) connection.abort(`the ${role} failed: ${sentence(error)}`);
    const code = failed(lost === null ? error : new Error(lost));
    connection.close();
    return { code: refusal ? code : BROKEN_OFF, inGoodOrder: false };
  }
}

/** Why the connection of a run that broke off is no more, which explains whatever failed; null where it is there still. */
export function whyEnded(error: unknown, connection: Connection): string | null {
  return error instanceof Refusal ? connection.lost : endOf(connection);
}

/** Why a connection is no more. A library may hear of the peer's death first, and its words say less: the connection has a moment. */
function endOf(connection: Connection): string | null {
  try {
    if (connection.lost === null) connection.receive({ timeoutSeconds: 0.5 });
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
  }
  return connection.lost;
}

export interface Service {
  /** Says that it waits. */
  waiting(): void;
  serve(connection: Connection): Parted;
  /** Whether whoever has been served so was the last. */
  isLast(parted: Parted): boolean;
}

/** Serves clients one after the other. Returns the exit code of the last. */
export function serveClients(listener: Listener, { waiting, serve, isLast }: Service): number {
  for (;;) {
    waiting();
    const connection = listener.accept();
    if (!connection) continue;
    // A client that died has cancelled all runs of this process.
    clearCancel();
    const parted = serve(connection);
    if (!isLast(parted)) continue;
    listener.close();
    return parted.code;
  }
}
