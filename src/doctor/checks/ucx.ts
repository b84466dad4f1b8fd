/** Variables that make UCX or the ranks slower than they could be. */
import { rdmaDevices, type Env, type Host } from '../host.js';
import { finding, type Check, type Finding, type Verdict } from '../types.js';
import { count } from '../words.js';

/** Something about a variable that costs time. */
interface Brake {
  readonly name: string;
  /** Null where a value is well. */
  readonly judge: (value: string, host: Host) => Verdict | null;
  readonly wanted: string;
}

const words = (value: string): string[] =>
  value
    .toLowerCase()
    .split(',')
    .map((word) => word.trim());
const isSet = (value: string): Verdict | null => (value.trim() === '' ? null : 'note');
const isEndless = (value: string): Verdict | null => (/^inf$/i.test(value.trim()) ? 'note' : null);
const hasRdma = (host: Host): boolean => rdmaDevices(host).length > 0;

/** What matters only where there is a device that could have been used. */
const withRdma =
  (slows: (value: string, host: Host) => boolean) =>
  (value: string, host: Host): Verdict | null =>
    hasRdma(host) && slows(value, host) ? 'bad' : null;

const isNo = withRdma((value) => /^(n|no|off|0)$/i.test(value.trim()));

const usesRdma = (name: string): boolean => /^(all|ib|srd|(rc|ud|dc)(_\w+)?)$/.test(name);
const usesMemory = (name: string): boolean => /^(all|sm|shm|mm|posix|sysv|cma|knem|xpmem)$/.test(name);

function judgeTransports(value: string, host: Host): Verdict | null {
  const names = words(value.replace(/^\^/, ''));
  if (value.startsWith('^')) return hasRdma(host) && names.includes('ib') ? 'bad' : null;
  if (!names.includes('tcp') || names.some(usesRdma)) return null;
  if (hasRdma(host)) return 'bad';
  return names.some(usesMemory) ? null : 'note';
}

function noRdmaDevice(value: string, host: Host): boolean {
  const names = words(value).map((name) => name.replace(/:\d+$/, ''));
  return !names.includes('all') && !rdmaDevices(host).some((device) => names.includes(device.toLowerCase()));
}

const AGAIN = 'without the registration cache each large message is registered anew';

const brakes: readonly Brake[] = [
  {
    name: 'UCX_LOG_LEVEL',
    judge: (value) => (/^(debug|trace(_\w+)?|req|data|async|func|poll)$/i.test(value.trim()) ? 'bad' : null),
    wanted: 'warn (the default): writing a log takes time',
  },
  {
    name: 'UCX_TLS',
    judge: judgeTransports,
    wanted: 'not set, or with the transports of the fabric, and shared memory within a host',
  },
  {
    name: 'UCX_NET_DEVICES',
    judge: withRdma(noRdmaDevice),
    wanted: 'not set, or an RDMA device with its port, as mlx5_0:1',
  },
  { name: 'UCX_MEM_EVENTS', judge: isNo, wanted: `y (the default): ${AGAIN}` },
  {
    name: 'UCX_MEM_MMAP_HOOK_MODE',
    judge: withRdma((value) => value.trim().toLowerCase() === 'none'),
    wanted: `not set: ${AGAIN}`,
  },
  { name: 'UCX_RCACHE_ENABLE', judge: isNo, wanted: `try (the default): ${AGAIN}` },
  {
    name: 'UCX_IB_REG_METHODS',
    judge: withRdma((value) => !words(value).includes('rcache')),
    wanted: `not set, or with rcache: ${AGAIN}`,
  },
  { name: 'UCX_PROFILE_MODE', judge: isSet, wanted: 'not set: it takes time, where UCX was built with it' },
  { name: 'UCX_STATS_DEST', judge: isSet, wanted: 'not set: statistics take time, where UCX was built with them' },
  {
    name: 'UCX_RNDV_THRESH',
    judge: isEndless,
    wanted: 'auto (the default): no message goes by rendezvous, however large',
  },
  { name: 'UCX_ZCOPY_THRESH', judge: isEndless, wanted: 'auto (the default): every message is copied, however large' },
  {
    name: 'OMPI_MCA_mpi_yield_when_idle',
    judge: (value) => (/^(1|true)$/i.test(value.trim()) ? 'note' : null),
    wanted: '0 where each rank has a core: giving the core away costs time in each wait',
  },
  { name: 'LD_PRELOAD', judge: isSet, wanted: 'not set: what is preloaded may stand between a program and MPI' },
];

const ours = (env: Env): number => Object.keys(env).filter((name) => name.startsWith('UCX_')).length;

function look(host: Host): Finding[] {
  const found = brakes.flatMap(({ name, judge, wanted }) => {
    const value = host.env[name];
    const verdict = value === undefined ? null : judge(value, host);
    return value === undefined || verdict === null
      ? []
      : [finding(name, verdict, { found: value, wanted, mend: `unset ${name}` })];
  });
  if (found.some(({ check }) => check.startsWith('UCX_'))) return found;
  const set = ours(host.env);
  const none = set === 0 ? 'none' : `${count(set, 'variable')}, none of those that are known to cost time`;
  const wanted = 'none that costs time (UCX_LOG_LEVEL, UCX_TLS, UCX_NET_DEVICES, ...)';
  return [finding('UCX settings', 'good', { found: none, wanted }), ...found];
}

/** Settings of one's own that hold for every program of a machine. */
function settingsFile({ files, env }: Host): Finding[] {
  const folders = [...(env['UCX_CONFIG_DIR'] === undefined ? [] : [env['UCX_CONFIG_DIR']]), '/etc/ucx'];
  return folders.flatMap((folder) => {
    const path = `${folder}/ucx.conf`;
    const set = (files.text(path) ?? '')
      .split('\n')
      .flatMap((line) => /^\s*(UCX_\w+\s*=.*?)\s*$/.exec(line)?.[1] ?? []);
    if (set.length === 0) return [];
    const mend = 'take out what is not meant for every program';
    return [finding('ucx.conf', 'note', { found: `${path}: ${set.join(', ')}`, wanted: 'nothing unexpected', mend })];
  });
}

export const ucxChecks: readonly Check[] = [{ look, varies: true }, { look: settingsFile }];
