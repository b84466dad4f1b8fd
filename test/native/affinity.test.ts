import { expect } from 'chai';
import fc from 'fast-check';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  currentCpu,
  formatCpuList,
  getAffinity,
  onlineCpus,
  parseCpuList,
  setAffinity,
  threadsAffinity,
} from '../../src/engine/index.js';
import { caseFile } from './run-case.js';

/** Distinct values of Cpus_allowed_list over all threads of a process, as seen from outside. */
function allowedOutside(pid: number): { lists: string[]; threads: number } {
  const folder = `/proc/${pid}/task`;
  const threads = readdirSync(folder);
  const lists = threads.map((thread) => {
    const status = readFileSync(`${folder}/${thread}/status`, 'latin1');
    return /^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1] ?? '';
  });
  return { lists: [...new Set(lists)], threads: threads.length };
}

const missing = Math.max(...onlineCpus()) + 1000;

describe('affinity', () => {
  let before: number[];
  beforeEach(() => (before = getAffinity()));
  afterEach(() => {
    setAffinity(before);
  });

  it('begins as the kernel reports it', () => {
    const { lists } = allowedOutside(process.pid);
    expect(lists).to.include(formatCpuList(before));
    expect(currentCpu()).to.be.oneOf(before);
  });

  for (const pick of ['first', 'last'] as const) {
    it(`binds every thread to the ${pick} core, and takes it back`, () => {
      const cpu = (pick === 'first' ? before[0] : before.at(-1)) ?? 0;
      setAffinity([cpu]);
      expect(allowedOutside(process.pid).lists).to.deep.equal([String(cpu)]);
      expect(getAffinity()).to.deep.equal([cpu]);
      expect(currentCpu()).to.equal(cpu);
      const threads = threadsAffinity();
      expect(threads.length).to.be.greaterThan(4);
      expect(threads.every((thread) => thread.cpus.length === 1 && thread.cpus[0] === cpu)).to.equal(true);
      expect(threads.find((thread) => thread.thread === process.pid)?.name).to.match(/./);
      setAffinity(before);
      expect(allowedOutside(process.pid).lists).to.deep.equal([formatCpuList(before)]);
    });
  }

  it('takes several cores, in any order and repeated', () => {
    setAffinity([...before].reverse().concat(before));
    expect(getAffinity()).to.deep.equal(before);
  });

  it('holds for threads that start later, of the engine and of Node', async () => {
    const child = spawn(process.execPath, [caseFile('affinity'), String(before[0])], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        expect(line).to.equal('bound');
        break;
      }
      const { lists, threads } = allowedOutside(child.pid ?? 0);
      expect(lists).to.deep.equal([String(before[0])]);
      expect(threads).to.be.greaterThan(8);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('refuses cores that do not exist, and then changes nothing', () => {
    const has = formatCpuList(onlineCpus());
    expect(() => {
      setAffinity([before[0] ?? 0, missing]);
    }).to.throw(RangeError, `core ${missing} does not exist: this machine has ${has}`);
    expect(() => {
      setAffinity([missing, missing + 1]);
    }).to.throw(RangeError, `cores ${missing}-${missing + 1} do not exist`);
    expect(allowedOutside(process.pid).lists).to.deep.equal([formatCpuList(before)]);
  });

  it('refuses what is no core', () => {
    for (const cpus of [[-1], [0.5], [NaN]]) {
      expect(() => {
        setAffinity(cpus);
      }).to.throw(RangeError, /a core must be a whole number/);
    }
    expect(() => {
      setAffinity([]);
    }).to.throw(RangeError, 'name at least one core');
  });

  it('reads and writes the kernel’s lists', () => {
    expect(parseCpuList('0-2,5\n')).to.deep.equal([0, 1, 2, 5]);
    expect(parseCpuList('\n')).to.deep.equal([]);
    expect(formatCpuList([0, 1, 2, 5, 7, 8])).to.equal('0-2,5,7-8');
    const cpus = fc.uniqueArray(fc.nat(300)).map((list) => list.sort((a, b) => a - b));
    const property = fc.property(cpus, (list) => {
      expect(parseCpuList(formatCpuList(list))).to.deep.equal(list);
    });
    fc.assert(property);
  });
});
