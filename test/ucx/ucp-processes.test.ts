import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { caseFile } from '../native/run-case.js';

interface Result {
  readonly arrived: readonly number[];
  readonly iterations: number;
  readonly seconds: number;
  readonly lanes: readonly { readonly name: string }[];
}

/** The next message of a child; rejects where it ends instead. */
async function next(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`the process ended with ${String(code ?? signal)}`);
  });
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [unknown];
  return message;
}

/** Has both children send something, and gives each what the other sent. */
async function exchange(children: readonly [ChildProcess, ChildProcess]): Promise<unknown[]> {
  const messages = await Promise.all(children.map(next));
  children[0].send(messages[1] as object);
  children[1].send(messages[0] as object);
  return messages;
}

async function pingPong(tls: string, way: string, iterations: number): Promise<Result[]> {
  const start = (role: string) =>
    fork(caseFile('../../ucx/cases/ucp-peer'), [role, tls, way, String(iterations)], { timeout: 60_000 });
  const children = [start('first'), start('second')] as const;
  const exits = children.map(async (child) => (await once(child, 'exit')) as [number | null]);
  await exchange(children);
  if (way === 'put') await exchange(children);
  const results = (await exchange(children)) as Result[];
  expect((await Promise.all(exits)).map(([code]) => code)).to.deep.equal([0, 0]);
  return results;
}

describe('UCP between two processes', () => {
  for (const [tls, way, iterations] of [
    ['posix', 'tag', 1000],
    ['sysv', 'tag', 1000],
    ['tcp', 'tag', 1000],
    ['posix', 'sleep', 1000],
    ['posix', 'put', 1000],
  ] as const) {
    it(`plays ping-pong by ${way} over ${tls}`, async () => {
      const [first, second] = await pingPong(tls, way, iterations);
      expect(first?.iterations).to.equal(iterations + 200);
      expect(first?.lanes.some(({ name }) => name.startsWith(`${tls}/`))).to.be.true;
      if (way === 'put') return;
      expect(first?.arrived).to.deep.equal(Array.from({ length: 8 }, () => 2));
      expect(second?.arrived).to.deep.equal(Array.from({ length: 8 }, () => 1));
    });
  }
});
