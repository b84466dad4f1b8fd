/** The end of ranks on other hosts: who is asked, and what the line does that is sent there. */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentOf, endElsewhere } from '../../src/launch/elsewhere.js';
import { processesOf } from '../../src/launch/processes.js';

describe('other hosts', () => {
  it("are reached by the launcher's agent, else by ssh", () => {
    expect(agentOf({ OMPI_MCA_plm_rsh_agent: 'rsh -x', HYDRA_LAUNCHER_EXEC: '/else' })).to.deep.equal(['rsh', '-x']);
    expect(agentOf({ HYDRA_LAUNCHER_EXEC: '/agent', OMPI_MCA_plm_rsh_agent: '' })).to.deep.equal(['/agent']);
    expect(agentOf({})[0]).to.equal('ssh');
  });

  it('are asked to kill what carries the mark, and the daemon over it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fabricbench-elsewhere-'));
    const [mark, other] = ['', '-other'].map((more) => `test-${process.pid}${more}`) as [string, string];
    const daemon = join(folder, 'orted');
    const ranks = [mark, mark, other].map((value) => `FABRICBENCH_JOB=${value} sleep 100 &`);
    writeFileSync(daemon, `#!/bin/sh\n${ranks.join('\n')}\nwait\n`);
    chmodSync(daemon, 0o755);
    const child = spawn(daemon, { stdio: 'ignore' });
    const over = once(child, 'exit');
    while (processesOf(mark).length < 2 || processesOf(other).length < 1) await sleep(10);
    // An agent that knows one host: this one, by another name. It notes whom it was asked for.
    const asked = join(folder, 'asked');
    const agent = ['sh', '-c', `echo "$0" >> ${asked}; eval "$1"`];
    try {
      await endElsewhere(mark, { hosts: [hostname(), 'elsewhere'], agent });
      expect((await over)[1]).to.equal('SIGKILL');
      expect(readFileSync(asked, 'utf8')).to.equal('elsewhere\n');
      while (processesOf(mark).length > 0) await sleep(10);
      expect(processesOf(other)).to.have.length(1);
    } finally {
      for (const pid of [...processesOf(mark), ...processesOf(other)]) process.kill(pid, 'SIGKILL');
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
    expect(existsSync(folder)).to.equal(false);
  });

  it('that have no such agent hold nothing up', async () => {
    await endElsewhere('none', { hosts: ['elsewhere'], agent: ['/no/such/agent'] });
  });
});
