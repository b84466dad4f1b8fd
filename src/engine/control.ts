/**
 * The control connection between a server and a client: TCP, texts and signals. All of it waits on the JavaScript thread,
 * since benchmarks do one thing after the other; signals end the process meanwhile as they always do.
 */
import { wholeNumber } from './arguments.js';
import { engine, type NativeConnection, type NativeListener } from './native.js';
import type { Operation } from './types.js';

export type ControlReason =
  /** Of `listen`: another process has the port. */
  | 'in-use'
  /** Of `connect`. */
  | 'refused'
  | 'unknown-host'
  | 'unreachable'
  /** Nothing came in time. */
  | 'timeout'
  /** The connection was closed in good order, by either side. */
  | 'closed'
  /** One side has given up, and said why. */
  | 'aborted'
  /** The peer is gone without a word, or the network is. */
  | 'lost'
  | 'too-long'
  | 'other';

/** A control connection could not be made, or is no more; the message is one sentence. */
export class ControlError extends Error {
  override name = 'ControlError';
  constructor(
    message: string,
    readonly reason: ControlReason,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface ListenOptions {
  /** 0 for any that is free. */
  readonly port: number;
  /** Listens for IPv6 alone (default: IPv4 alone). */
  readonly ipv6?: boolean;
}

export interface ConnectOptions {
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
  readonly ipv6?: boolean;
  /** Seconds after which to give up (default 30). */
  readonly timeout?: number;
  /** Address of this host to connect from (default: any). */
  readonly source?: string;
}

/** Both ends are alike. Once it is no more every call but `close` and `abort` throws a `ControlError`. */
export interface Connection {
  /** Address and port, e.g. `127.0.0.1:47974`. */
  readonly peer: string;
  /** Why the connection is no more; null while it is there. */
  readonly lost: string | null;
  /** Sends a text of at most 64 MiB in UTF-8. */
  send(text: string): void;
  /**
   * Waits for the peer's next text, by default for ever. What the peer sent before it left in good order still comes.
   * Throws `ControlError` where the peer is gone or has given up, and after `timeoutSeconds`.
   */
  receive(options?: { readonly timeoutSeconds?: number }): string;
  /** Tells the peer why this side gives up, which ends all that the peer's process executes; ends the connection. */
  abort(text: string): void;
  /** Ends the connection in good order. */
  close(): void;
  /** An operation that sends a signal to the peer. */
  signal(): Operation;
  /**
   * A test for `until`: done where a signal of the peer's has arrived, which it takes; pending where none has; a failure
   * where the connection is no more. Tests of one connection must not run on several threads at once.
   */
  signalled(): Operation;
}

export interface Listener {
  readonly port: number;
  /** Waits for the next client, by default for ever; null once `timeout` seconds have passed. */
  accept(options?: { readonly timeout?: number }): Connection | null;
  close(): void;
}

/** Runs a native call; makes a ControlError of what it throws. */
export function attempt<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof Error) || !('reason' in error)) throw error;
    throw new ControlError(error.message, error.reason as ControlReason, { cause: error });
  }
}

export function portNumber(port: number, least: number): number {
  wholeNumber(port, 'port', least);
  if (port <= 65535) return port;
  throw new RangeError(`port must be at most 65535, not ${port}`);
}

/** Seconds as the engine takes them: negative for ever. */
export function duration(seconds: number | undefined, what: string): number {
  if (seconds === undefined || seconds === Infinity) return -1;
  // More would overflow the engine's clock, and nobody waits that long.
  if (seconds >= 0) return Math.min(seconds, 1e9);
  throw new RangeError(`${what} must be a number of seconds, not ${seconds}`);
}

class NativeBackedConnection implements Connection {
  readonly peer: string;
  readonly #native: NativeConnection;

  constructor(native: NativeConnection) {
    this.#native = native;
    this.peer = native.peer;
  }

  get lost(): string | null {
    return this.#native.lost;
  }

  send(text: string): void {
    attempt(() => {
      this.#native.send(text);
    });
  }

  receive({ timeoutSeconds }: { readonly timeoutSeconds?: number } = {}): string {
    const seconds = duration(timeoutSeconds, 'timeoutSeconds');
    return attempt(() => this.#native.receive(seconds));
  }

  abort(text: string): void {
    this.#native.abort(text);
  }

  close(): void {
    this.#native.close();
  }

  signal(): Operation {
    return this.#native.signal();
  }

  signalled(): Operation {
    return this.#native.signalled();
  }
}

class NativeBackedListener implements Listener {
  readonly port: number;
  readonly #native: NativeListener;

  constructor(native: NativeListener) {
    this.#native = native;
    this.port = native.port;
  }

  accept({ timeout }: { readonly timeout?: number } = {}): Connection | null {
    const seconds = duration(timeout, 'timeout');
    const native = attempt(() => this.#native.accept(seconds));
    return native === null ? null : new NativeBackedConnection(native);
  }

  close(): void {
    this.#native.close();
  }
}

/** Listens on a port of every address of this host. Throws `ControlError` (`in-use`, `other`). */
export function listen({ port, ipv6 = false }: ListenOptions): Listener {
  portNumber(port, 0);
  return new NativeBackedListener(attempt(() => new (engine().ControlListener)(port, ipv6)));
}

/**
 * A connection over a local socket, which it takes over: behind it another stack carries the bytes to `peer` and back, and
 * ends it when the peer ends.
 */
export function adopt(fd: number, peer: string): Connection {
  return new NativeBackedConnection(attempt(() => engine().controlAdopt(fd, peer)));
}

/**
 * Connects to who listens there; the system resolves the name. Throws `ControlError` (`refused`, `unknown-host`,
 * `unreachable`, `timeout`, `other`).
 */
export function connect({ host, port, ipv6 = false, timeout = 30, source = '' }: ConnectOptions): Connection {
  portNumber(port, 1);
  const seconds = duration(timeout, 'timeout');
  return new NativeBackedConnection(attempt(() => engine().controlConnect(host, port, ipv6, seconds, source)));
}
