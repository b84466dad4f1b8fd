import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { applyMembind, memoryText } from '../../src/binding/memory.js';
import { BindingRefusal } from '../../src/binding/types.js';
import { bindMemory, EngineBuffer, getAffinity, memoryPolicy, parseCpuList } from '../../src/engine/index.js';

const ONLINE = '/sys/devices/system/node/online';
const onNuma = existsSync(ONLINE) ? describe : describe.skip;

/** Policies of all mappings of this process, as the kernel shows them to anybody. */
function policies(): Set<string> {
  const lines = readFileSync('/proc/self/numa_maps', 'latin1').trim().split('\n');
  return new Set(lines.map((line) => line.split(' ')[1] ?? ''));
}

onNuma('the memory policy', () => {
  const nodes = parseCpuList(readFileSync(ONLINE, 'latin1'));
  const [node = 0] = nodes;
  const missing = Math.max(...nodes) + 1;
  before(() => {
    bindMemory([]);
  });
  afterEach(() => {
    bindMemory([]);
  });

  it('is the default at first', () => {
    expect(memoryPolicy()).to.deep.equal({ mode: 'default', nodes: [] });
    expect(memoryText()).to.equal('first touch');
  });

  it('binds to a node, as the kernel shows it, and back', () => {
    bindMemory([node]);
    expect(memoryPolicy()).to.deep.equal({ mode: 'bind', nodes: [node] });
    expect(memoryText()).to.equal(`bind:${node}`);
    const buffer = EngineBuffer.allocate(1 << 20);
    expect([...policies()]).to.include(`bind:${node}`);
    bindMemory([]);
    expect(memoryPolicy()?.mode).to.equal('default');
    expect([...policies()]).not.to.include(`bind:${node}`);
    buffer.free();
  });

  it('refuses nodes that there are not, and then stays as it is', () => {
    bindMemory([node]);
    const sentence = `memory of NUMA node ${missing} is not for this process: its cpuset forbids it`;
    expect(() => {
      bindMemory([missing]);
    }).to.throw(RangeError, sentence);
    expect(() => {
      bindMemory([-1]);
    }).to.throw(RangeError, 'a NUMA node must be a whole number');
    expect(memoryPolicy()).to.deep.equal({ mode: 'bind', nodes: [node] });
  });

  it('is of the node where the process runs', () => {
    const [cpu = 0] = getAffinity();
    applyMembind({ kind: 'local' }, [cpu]);
    const own = nodes.filter((one) =>
      parseCpuList(readFileSync(`/sys/devices/system/node/node${one}/cpulist`, 'latin1')).includes(cpu),
    );
    expect(memoryPolicy()).to.deep.equal({ mode: 'bind', nodes: own });
  });

  it('is refused in a sentence', () => {
    expect(() => {
      applyMembind({ kind: 'node', node: missing }, getAffinity());
    }).to.throw(BindingRefusal, `NUMA node ${missing} does not exist: this machine has `);
    expect(() => {
      applyMembind({ kind: 'local' }, []);
    }).to.throw(
      BindingRefusal,
      'a rank must be on one NUMA node, and this may run on none: add --bind, or name a node',
    );
  });
});
