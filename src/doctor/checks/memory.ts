/** How the kernel deals with memory, and how much of it may be locked. */
import { numaNodesOf, rdmaDevices, type Host } from '../host.js';
import { finding, goodOr, type Check, type Finding, type Verdict } from '../types.js';
import { count, size } from '../words.js';

function numaBalancing(host: Host): Finding {
  const value = host.files.line('/proc/sys/kernel/numa_balancing');
  const nodes = numaNodesOf(host).length;
  const on = value !== null && value !== '0';
  const state = on ? `on (${value})` : 'off';
  const wanted = 'off where there are several nodes: it takes pages away to see who uses them, and moves them';
  if (!host.files.exists('/proc/sys/kernel'))
    return finding('NUMA balancing', 'unknown', { found: 'the kernel does not say', wanted });
  return finding('NUMA balancing', on && nodes > 1 ? 'bad' : 'good', {
    found: `${value === null ? 'the kernel has none' : state}; ${count(nodes, 'NUMA node')}`,
    wanted,
    mend: 'echo 0 > /proc/sys/kernel/numa_balancing',
  });
}

const THP = '/sys/kernel/mm/transparent_hugepage';
const chosen = (line: string | null): string | null => /\[(\S+)\]/.exec(line ?? '')?.[1] ?? null;

function hugePagesOfItself({ files }: Host): Finding {
  const enabled = chosen(files.line(`${THP}/enabled`));
  const defrag = chosen(files.line(`${THP}/defrag`));
  const wanted =
    'madvise or never, or always with defrag madvise: whoever needs a page must not wait for one to be made';
  if (enabled === null) {
    const isThere = files.exists('/sys/kernel/mm');
    const found = isThere ? 'the kernel has none' : 'the kernel does not say';
    return finding('huge pages (THP)', isThere ? 'good' : 'unknown', { found, wanted });
  }
  const stalls = enabled === 'always' && defrag === 'always';
  return finding('huge pages (THP)', stalls ? 'bad' : goodOr(enabled !== 'always', 'note'), {
    found: `${enabled}, defrag ${defrag ?? 'unknown'}`,
    wanted,
    mend: `echo madvise > ${THP}/${stalls ? 'defrag' : 'enabled'}`,
  });
}

function hugePages({ files }: Host): Finding {
  const meminfo = files.text('/proc/meminfo') ?? '';
  const of = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(meminfo)?.[1] ?? NaN);
  const total = of('HugePages_Total');
  const wanted = 'some where a test asks for them (ib_* --use_hugepages)';
  if (Number.isNaN(total)) return finding('huge pages', 'unknown', { found: 'the kernel does not say', wanted });
  return finding('huge pages', total > 0 ? 'good' : 'note', {
    found: `${total} reserved of ${size(of('Hugepagesize') * 1024)}`,
    wanted,
    mend: 'echo 512 > /proc/sys/vm/nr_hugepages, where they are wanted',
  });
}

/** Bit of CAP_IPC_LOCK, which lifts the limit. */
const IPC_LOCK = 14n;

/** A capability within a user namespace of a container's own doesn't lift it. */
function mayExceed({ files }: Host): boolean {
  const users = files.line('/proc/self/uid_map');
  if (users !== null && !/^0\s+0\s+4294967295$/.test(users)) return false;
  const effective = /^CapEff:\s*([0-9a-fA-F]+)/m.exec(files.text('/proc/self/status') ?? '')?.[1];
  return effective !== undefined && ((BigInt(`0x${effective}`) >> IPC_LOCK) & 1n) === 1n;
}

const limitText = (limit: string): string => (limit === 'unlimited' ? limit : size(Number(limit)));

const MEMLOCK_MEND =
  'ulimit -l unlimited where the hard limit allows, else memlock in /etc/security/limits.conf; LimitMEMLOCK=infinity for slurmd and sshd';

function memlock(host: Host): Finding {
  const limits = /^Max locked memory\s+(\S+)\s+(\S+)/m.exec(host.files.text('/proc/self/limits') ?? '');
  const wanted = 'unlimited where there is RDMA, which locks all memory that it registers';
  if (!limits) return finding('memlock limit', 'unknown', { found: 'the kernel does not say', wanted });
  const [, soft = '', hard = ''] = limits;
  const lifted = mayExceed(host);
  const without: Verdict = rdmaDevices(host).length > 0 && !lifted ? 'bad' : 'note';
  return finding('memlock limit', goodOr(soft === 'unlimited', without), {
    found: `soft ${limitText(soft)}, hard ${limitText(hard)}${lifted ? '; this process may exceed it (CAP_IPC_LOCK)' : ''}`,
    wanted,
    mend: MEMLOCK_MEND,
  });
}

export const memoryChecks: readonly Check[] = [
  { look: (host) => [numaBalancing(host), hugePagesOfItself(host), hugePages(host), memlock(host)] },
];
