/**
 * The dialogue with a stock perftest over TCP, in place of our own exchange. Every step is an exchange: the client writes,
 * then reads; the server reads, then writes. There are no words of what is exchanged: both sides must go through the same
 * steps, and a side that runs another test is found out by the shape of what it sends, or by a wait that ends.
 *
 * `R` is one record for each queue pair, `r` that of the first alone (which nobody reads: it keeps both in step), `F` the
 * figures of a bandwidth test. What both do, in order, with the calls of `StockDialogue`:
 *
 * | test                    | exchangeKeys | connected | beforeSize | afterSize | afterAll | end |
 * | ----------------------- | ------------ | --------- | ---------- | --------- | -------- | --- |
 * | write lat               | r R          | R r       |            |           |          |     |
 * | read, atomic lat        | r R          | R r       |            |           |          | r   |
 * | send lat                | R            | r R       | r          |           |          | r   |
 * | send bw                 | R            | r R       | r          |           |          | r   |
 * | send bw, both ways      | R            | r R       | r          | F         |          | r   |
 * | others' bw              | R            | R r       |            |           | r F      | r   |
 * | others' bw, both ways   | R            | R r       | r          | F         |          | r   |
 *
 * Before `exchangeKeys` come `greet` and this side's queue pairs, before `connected` they are connected, before
 * `beforeSize` receives are posted. With -a `beforeSize` and `afterSize` come for each size, and writes, reads and atomics
 * both ways have one `r` more between run and figures (`all`). Where one side alone measures the other calls neither.
 */
import type { PerftestKind, Verb } from '../../cli/perftest-options.js';
import { ControlError } from '../../engine/control.js';
import type { RawConnection } from '../../engine/raw.js';
import type { Mtu } from '../../verbs/types.js';
import * as wire from './stock-wire.js';
import type { StockRecord, StockReport } from './stock-wire.js';

/** Seconds that a step may take where nobody measures. */
const STEP_SECONDS = 30;
/** Versions before it exchange other things; perftest itself refuses them too. */
const LEAST_VERSION = 5.7;

export interface StockOptions {
  readonly verb: Verb;
  readonly kind: PerftestKind;
  readonly bidirectional: boolean;
  /** `-a`. */
  readonly all: boolean;
  /** Of steps where nobody measures (default 30). */
  readonly stepSeconds?: number;
  /** Of steps that wait until the peer has measured (default: for ever, which its death ends too). */
  readonly runSeconds?: number;
}

/** What the machines have: both use the greater page and cache line, and the smaller MTU. */
export interface StockFacts {
  readonly pageSize: number;
  readonly cacheLine: number;
  readonly mtu: Mtu;
}

/** Errors are a ControlError (`timeout`, `lost`), or a StockWireError where the peer writes what no perftest does. */
export interface StockDialogue {
  /** The peer's version, and what both use. */
  greet(own: StockFacts): StockFacts & { readonly version: string };
  /** One record for each queue pair; the peer's. */
  exchangeKeys(own: readonly StockRecord[]): readonly StockRecord[];
  /** Once this side's queue pairs can be sent to. */
  connected(): void;
  /** Before each size is measured. From here to `afterSize` the peer's death cancels what executes. */
  beforeSize(): void;
  /** The peer's figures of its own direction, both ways; null where none are told. */
  afterSize(own: StockReport | null): StockReport | null;
  /** Where one side alone has measured: the other gets its figures (what it sends itself says nothing). */
  afterAll(own: StockReport | null): StockReport | null;
  /** Takes leave and closes the connection. */
  end(): void;
}

type Step = 'all records' | 'first record';

/** What is exchanged when; see the table above. */
interface Plan {
  readonly keys: readonly Step[];
  readonly connected: readonly Step[];
  readonly beforeSize: boolean;
  readonly afterSize: 'nothing' | 'report' | 'record and report';
  readonly afterAll: boolean;
  readonly farewell: boolean;
}

function planOf({ verb, kind, bidirectional, all }: StockOptions): Plan {
  const send = verb === 'send';
  const both = kind === 'bw' && bidirectional;
  return {
    keys: kind === 'lat' && !send ? ['first record', 'all records'] : ['all records'],
    connected: send ? ['first record', 'all records'] : ['all records', 'first record'],
    beforeSize: send || both,
    afterSize: !both ? 'nothing' : all && !send ? 'record and report' : 'report',
    afterAll: kind === 'bw' && !send && !both,
    farewell: verb !== 'write' || kind !== 'lat',
  };
}

/** What a side that has measured nothing tells. */
const NO_REPORT: StockReport = { size: 0n, iterations: 0n, peak: 0, average: 0, messageRate: 0 };

class TcpStockDialogue implements StockDialogue {
  readonly #plan: Plan;
  readonly #stepSeconds: number;
  readonly #runSeconds: number;
  #records: readonly StockRecord[] = [];

  constructor(
    private readonly connection: RawConnection,
    private readonly role: 'client' | 'server',
    options: StockOptions,
  ) {
    this.#plan = planOf(options);
    this.#stepSeconds = options.stepSeconds ?? STEP_SECONDS;
    this.#runSeconds = options.runSeconds ?? Infinity;
  }

  greet(own: StockFacts): StockFacts & { readonly version: string } {
    const version = wire.decodeVersion(this.#exchange(wire.encodeVersion(wire.ANNOUNCED_VERSION), 'its version'));
    if (Number.parseFloat(version) < LEAST_VERSION) {
      throw new wire.StockWireError(`the peer is perftest ${version}, which exchanges other things: update it to 4.5`);
    }
    const number = (value: number, what: string): number =>
      wire.decodeNumber(this.#exchange(wire.encodeNumber(value), what));
    const pageSize = Math.max(own.pageSize, number(own.pageSize, 'its page size'));
    const cacheLine = Math.max(own.cacheLine, number(own.cacheLine, 'its cache line'));
    const mtu = wire.decodeMtu(this.#exchange(wire.encodeMtu(own.mtu), 'its MTU'));
    return { version, pageSize, cacheLine, mtu: mtu < own.mtu ? mtu : own.mtu };
  }

  exchangeKeys(own: readonly StockRecord[]): readonly StockRecord[] {
    if (own.length === 0) throw new RangeError('there must be at least one queue pair');
    this.#records = own;
    return this.#steps(this.#plan.keys);
  }

  connected(): void {
    this.#steps(this.#plan.connected);
  }

  beforeSize(): void {
    if (this.#plan.beforeSize) this.#first('its readiness', this.#runSeconds);
    this.connection.watch(true);
  }

  afterSize(own: StockReport | null): StockReport | null {
    this.connection.watch(false);
    if (this.#plan.afterSize === 'nothing') return null;
    if (this.#plan.afterSize === 'record and report') this.#first('the end of its measurement', this.#runSeconds);
    return this.#report(own);
  }

  afterAll(own: StockReport | null): StockReport | null {
    if (!this.#plan.afterAll) return null;
    this.#first('the end of its measurement', this.#runSeconds);
    const other = this.#report(own);
    return own === null ? other : null;
  }

  end(): void {
    if (this.#plan.farewell) {
      this.#first('its farewell', this.#runSeconds);
      this.connection.write(wire.FAREWELL, { timeoutSeconds: this.#stepSeconds });
    }
    this.connection.close();
  }

  /** The peer's records, where all of them cross. */
  #steps(steps: readonly Step[]): readonly StockRecord[] {
    let records: readonly StockRecord[] = [];
    for (const step of steps) {
      if (step === 'first record') this.#first('its queue pair', this.#stepSeconds);
      else records = this.#records.map((own) => this.#record(own, 'its queue pairs', this.#stepSeconds));
    }
    return records;
  }

  #first(what: string, seconds: number): void {
    const [own] = this.#records;
    if (own === undefined) throw new Error('exchangeKeys comes first');
    this.#record(own, what, seconds);
  }

  #record(own: StockRecord, what: string, seconds: number): StockRecord {
    return wire.decodeRecord(this.#exchange(wire.encodeRecord(own), what, seconds));
  }

  #report(own: StockReport | null): StockReport {
    const parts = wire.encodeReport(own ?? NO_REPORT);
    return wire.decodeReport(parts.map((part) => this.#exchange(part, 'its figures', this.#runSeconds)));
  }

  /** Sends bytes and takes as many. */
  #exchange(own: Uint8Array, what: string, seconds = this.#stepSeconds): Uint8Array {
    try {
      if (this.role === 'client') this.connection.write(own, { timeoutSeconds: this.#stepSeconds });
      const other = this.connection.read(own.length, { timeoutSeconds: seconds });
      if (this.role === 'server') this.connection.write(own, { timeoutSeconds: this.#stepSeconds });
      return other;
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      const mend = 'see what it says itself, and give both sides the same test and options';
      throw new ControlError(`${error.message} where it should tell ${what}: ${mend}`, error.reason, { cause: error });
    }
  }
}

/** `role` is who connected: the client. */
export function stockExchange(
  connection: RawConnection,
  role: 'client' | 'server',
  options: StockOptions,
): StockDialogue {
  return new TcpStockDialogue(connection, role, options);
}
