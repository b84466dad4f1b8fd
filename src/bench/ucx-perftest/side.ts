/** One test on one side of a pair: what it opens, what its peer must know, and what it runs. */
import type { UcxTestOptions } from '../../cli/ucx-perftest-options.js';
import type { EngineBuffer } from '../../engine/buffer.js';
import type { Operation, Program } from '../../engine/types.js';
import type { Rendezvous } from '../../rendezvous/types.js';
import { Refusal } from '../meeting/refusal.js';
import type { UcxTest } from '../suites/ucx-perftest.js';

/** Who this process is in a pair; `both` talks to itself (`-l`). The client starts, measures and prints. */
export type Role = 'client' | 'server' | 'both';

/** What this machine or this UCX can't do, in a sentence. */
export class TestRefusal extends Refusal {
  override name = 'TestRefusal';
  constructor(message: string, exitCode: number = SETUP_FAILED) {
    super(message, exitCode);
  }
}

/** The peer's exit code for what goes wrong before the first message. */
export const SETUP_FAILED = 255;

export interface TestRequest {
  readonly test: UcxTest;
  readonly options: UcxTestOptions;
  readonly role: Role;
  /** Whether UCX is asked how it sends (`-I`). */
  readonly extraInfo: boolean;
  /** Of the pair. */
  readonly rendezvous: Rendezvous;
  readonly tamper?: Tamper | undefined;
}

/** For tests of `-V`: operations that run after each iteration and before its data is checked. */
export type Tamper = (place: TamperPlace) => readonly Operation[];

export interface TamperPlace {
  readonly role: Role;
  readonly test: UcxTest;
  readonly receive: EngineBuffer;
  /** Bytes of a message. */
  readonly size: number;
}

/** What one side does. */
export interface SidePrograms {
  /** One for each thread; none where this side only lets the other one work. */
  readonly programs: readonly Program[];
  /** What a side runs while it waits for the other. */
  readonly progress: Operation;
  /** Releases what the programs hold, before the test is closed. */
  readonly operations: readonly Operation[];
}

/** What a peer must know, as JSON. */
export type Card = Readonly<Record<string, unknown>>;

export interface OpenedTest {
  readonly card: Card;
  /** Connects to the peer, whose card it is. Both sides call it together. */
  connect(card: Card): void;
  /** Builds the programs; call it once, after `connect`. */
  build(): SidePrograms;
  /** Transports and devices that messages go over. */
  transports(): readonly string[];
  /** UCX's words on how a message went (`-I`); null where it has none. */
  info(): string | null;
  /** Wrong bytes that validation found on this side, after the programs have run `executed` iterations. */
  wrongBytes(executed: number): number;
  close(): void;
}

/** Bytes that a message takes in memory, with the gaps of `-i`, and never none. */
export function bufferSize({ sizes, stride }: UcxTestOptions): number {
  const last = sizes.at(-1) ?? 0;
  return Math.max(1, stride > 0 ? stride * (sizes.length - 1) + last : sizes.reduce((sum, size) => sum + size, 0));
}

/** Whether the server must take part in each iteration, because messages arrive there. */
export function isTwoSided({ command }: UcxTest): boolean {
  return command === 'am' || command === 'tag' || command === 'tag_sync' || command === 'stream';
}

/** Transports whose one-sided calls are work for the responder's processor. */
const NEED_RESPONDER = ['tcp'];

/** Refuses `-o` where it would keep a test from its end. */
export function checkIdleResponder({ oneSided }: UcxTestOptions, test: UcxTest, transports: readonly string[]): void {
  const found = transports.find((name) => NEED_RESPONDER.includes(name));
  if (!oneSided || isTwoSided(test) || found === undefined) return;
  throw new TestRefusal(`${found} needs a responder that makes progress: leave out -o`);
}

export type AtomicCommand = 'add' | 'fadd' | 'swap' | 'cswap';

export function isAtomic(test: UcxTest): test is UcxTest & { readonly command: AtomicCommand } {
  const { command } = test;
  return command === 'add' || command === 'fadd' || command === 'swap' || command === 'cswap';
}

/** Names of the atomics as UCX's refusals have them. */
export const ATOMIC_WORDS = { add: 'add', fadd: 'fetch-add', swap: 'swap', cswap: 'cswap' } as const;

/** What the atomics of a test work with; the word begins as 0. */
export const ATOMIC_VALUE = 1n;
export const ATOMIC_COMPARE = 0n;

/** What the word holds after so many of the test's atomics. */
export function atomicResult(command: AtomicCommand, executed: number, size: number): bigint {
  if (command === 'swap' || command === 'cswap') return executed > 0 ? ATOMIC_VALUE : 0n;
  return BigInt.asUintN(8 * size, BigInt(executed) * ATOMIC_VALUE);
}

/**
 * What a side of a ping-pong does in an iteration. The server begins, as the peer's does: the client then reads the clock when
 * its answer is under way, and not while the other side waits for it.
 */
export function inTurn({ role }: TestRequest, send: Operation, receive: Operation): Operation[] {
  return role === 'client' ? [receive, send] : [send, receive];
}
