/** All that a rendezvous can do, in an order that both sides follow. */
import { nativeExecutor, noop } from '../../../src/engine/index.js';
import type { Rendezvous } from '../../../src/rendezvous/types.js';

/** Longer than any chunk, and with letters of several bytes. */
export const texts = { client: 'client ü '.repeat(40_000), server: 'server € '.repeat(50_000) };

export interface Walked {
  readonly kind: string;
  readonly gathered: readonly number[];
  readonly lengths: readonly number[];
  readonly same: boolean;
  readonly broadcast: readonly string[];
  readonly numbers: readonly number[];
  readonly passed: number;
}

export function walkThrough(meeting: Rendezvous, own: string): Walked {
  const all = meeting.allgather({ text: own });
  const gathered = meeting.gather(meeting.rank + 10);
  const broadcast = [meeting.broadcast(own, 0), meeting.broadcast(own, 1)].map((text) => text.slice(0, 6));
  const numbers = meeting.gatherNumbers(Float64Array.of(meeting.rank, Math.PI)).flatMap((values) => [...values]);
  meeting.barrier();
  const run = nativeExecutor.start({ timed: [meeting.progressBarrier?.(noop()) ?? noop()] });
  const passed = 20;
  run.advance({ iterations: passed });
  run.finish();
  meeting.barrier();
  meeting.close();
  return {
    ...{ kind: meeting.kind, gathered, broadcast, numbers, passed },
    lengths: all.map(({ text }) => text.length),
    same: all[0]?.text === texts.client && all[1]?.text === texts.server,
  };
}
