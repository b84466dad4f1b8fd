/** TCP connections of bytes, for peers that speak a protocol of their own. All of it waits on the JavaScript thread. */
import { wholeNumber } from './arguments.js';
import { attempt, duration, portNumber, type ConnectOptions, type ListenOptions } from './control.js';
import { engine, type NativeListener, type NativeRawConnection } from './native.js';

/** Seconds that a peer may take to take or to send bytes, where nothing else is said. */
const DEFAULT_TIMEOUT = 30;

export interface RawTimeout {
  /** Default 30; Infinity for ever. */
  readonly timeoutSeconds?: number;
}

/** Once it is no more every call but `close` throws a `ControlError`; `read` still gives what came before the end. */
export interface RawConnection {
  /** Address and port, e.g. `127.0.0.1:47974`. */
  readonly peer: string;
  /** Why the connection is no more; null while it is there. */
  readonly lost: string | null;
  write(bytes: Uint8Array, options?: RawTimeout): void;
  /** Waits for exactly so many bytes. */
  read(length: number, options?: RawTimeout): Uint8Array;
  /**
   * Whether the peer's end cancels all that this process executes (`cancelRuns`), two seconds after it: a peer may be
   * done a little earlier, and some end without a word then. Throws where the connection is no more.
   */
  watch(on: boolean): void;
  /** Ends the connection; waits a second at most for the peer to end its half. */
  close(): void;
}

export interface RawListener {
  readonly port: number;
  /** Waits for the next client, by default for ever; null once `timeout` seconds have passed. */
  accept(options?: { readonly timeout?: number }): RawConnection | null;
  close(): void;
}

class NativeBackedRaw implements RawConnection {
  readonly peer: string;
  readonly #native: NativeRawConnection;

  constructor(native: NativeRawConnection) {
    this.#native = native;
    this.peer = native.peer;
  }

  get lost(): string | null {
    return this.#native.lost;
  }

  write(bytes: Uint8Array, { timeoutSeconds = DEFAULT_TIMEOUT }: RawTimeout = {}): void {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('bytes must be a Uint8Array');
    const seconds = duration(timeoutSeconds, 'timeoutSeconds');
    attempt(() => {
      this.#native.write(bytes, seconds);
    });
  }

  read(length: number, { timeoutSeconds = DEFAULT_TIMEOUT }: RawTimeout = {}): Uint8Array {
    wholeNumber(length, 'length', 0);
    const seconds = duration(timeoutSeconds, 'timeoutSeconds');
    return attempt(() => this.#native.read(length, seconds));
  }

  watch(on: boolean): void {
    attempt(() => {
      this.#native.watch(on);
    });
  }

  close(): void {
    this.#native.close();
  }
}

class NativeBackedRawListener implements RawListener {
  readonly port: number;
  readonly #native: NativeListener;

  constructor(native: NativeListener) {
    this.#native = native;
    this.port = native.port;
  }

  accept({ timeout }: { readonly timeout?: number } = {}): RawConnection | null {
    const seconds = duration(timeout, 'timeout');
    const native = attempt(() => this.#native.acceptRaw(seconds));
    return native === null ? null : new NativeBackedRaw(native);
  }

  close(): void {
    this.#native.close();
  }
}

/** As `listen`, for connections of bytes. Throws `ControlError` (`in-use`, `other`). */
export function listenRaw({ port, ipv6 = false }: ListenOptions): RawListener {
  portNumber(port, 0);
  return new NativeBackedRawListener(attempt(() => new (engine().ControlListener)(port, ipv6)));
}

/** As `connect`, for a connection of bytes. Throws `ControlError`. */
export function connectRaw({
  host,
  port,
  ipv6 = false,
  timeout = DEFAULT_TIMEOUT,
  source = '',
}: ConnectOptions): RawConnection {
  portNumber(port, 1);
  const seconds = duration(timeout, 'timeout');
  return new NativeBackedRaw(attempt(() => engine().rawConnect(host, port, ipv6, seconds, source)));
}
