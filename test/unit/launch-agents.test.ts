/** A launcher whose ways to other hosts fail: what is seen of it in /proc. */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { agentFails, failedChildren } from '../../src/launch/agents.js';

/** A process with a child that has ended so and is never collected; `use` has its number. */
async function withChild(code: number, use: (pid: number) => Promise<void>): Promise<void> {
  const script = `(echo; exit ${code}) & exec sleep 60`;
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(parent.stdout, 'data');
    await use(parent.pid ?? -1);
  } finally {
    parent.kill('SIGKILL');
  }
}

describe('ways of a launcher to other hosts', () => {
  it('have failed where a child has ended badly', async () => {
    await withChild(255, async (pid) => {
      expect(await agentFails(pid, AbortSignal.timeout(20_000))).to.equal(true);
      expect(failedChildren(pid)).to.have.length(1);
    });
  });

  it('have not where it has ended well, or is at work, or the launcher is gone', async () => {
    await withChild(0, async (pid) => {
      expect(await agentFails(pid, AbortSignal.timeout(1_500))).to.equal(false);
    });
    expect(await agentFails(process.pid, AbortSignal.timeout(1_500))).to.equal(false);
    expect(failedChildren(2 ** 30)).to.deep.equal([]);
  });

  it('are not looked at any more once ranks have begun', async () => {
    await withChild(255, async (pid) => {
      expect(await agentFails(pid, AbortSignal.abort())).to.equal(false);
    });
  });
});
