/** What should be the same on all nodes of a job: versions, hardware, settings. */
import { VERSION } from '../bench/version.js';
import { readSettings } from '../results/environment.js';
import { numaNodesOf, onlineOf, type Host } from './host.js';
import type { Finding } from './types.js';

const ofCpuinfo = (host: Host, name: string): string | null =>
  new RegExp(`^${name}\\s*:\\s*(.+)$`, 'm').exec(host.files.text('/proc/cpuinfo') ?? '')?.[1]?.trim() ?? null;

const release = ({ files }: Host): string | null =>
  /^PRETTY_NAME="?(.*?)"?$/m.exec(files.text('/etc/os-release') ?? '')?.[1] ?? null;

/** What is plugged in, about: the kernel keeps some percent for itself, on each machine a little more or less. */
function memoryOf({ files }: Host): string | null {
  const gibibytes = Number(/^MemTotal:\s+(\d+)/m.exec(files.text('/proc/meminfo') ?? '')?.[1] ?? NaN) / 2 ** 20;
  if (!(gibibytes > 0)) return null;
  const step = 2 ** Math.floor(Math.log2(gibibytes)) / 8;
  return `about ${Math.ceil(gibibytes / step) * step} GiB`;
}

function deviceFacts({ files }: Host): Record<string, string | null> {
  const folder = '/sys/class/infiniband';
  return Object.fromEntries(
    files.list(folder).flatMap((name) => [
      [`firmware of ${name}`, files.line(`${folder}/${name}/fw_ver`)],
      [`board of ${name}`, files.line(`${folder}/${name}/board_id`) ?? files.line(`${folder}/${name}/hca_type`)],
    ]),
  );
}

function machineFacts(host: Host): Record<string, string | null> {
  const { files } = host;
  return {
    system: release(host),
    kernel: files.line('/proc/sys/kernel/osrelease'),
    processor: ofCpuinfo(host, 'model name'),
    microcode: ofCpuinfo(host, 'microcode'),
    processors: String(onlineOf(host).length),
    'NUMA nodes': String(numaNodesOf(host).length),
    memory: memoryOf(host),
    'driver of mlx5': files.line('/sys/module/mlx5_core/version'),
    ...deviceFacts(host),
  };
}

/**
 * What is another on each node or task by its nature: Slurm's words, and how Open MPI's daemons start ranks and find each
 * other.
 */
const OWN =
  /^SLURM_|^(OMPI|PMIX|PRTE)_MCA_(plm|routed|rmaps|ras|odls|oob|rml|grpcomm|state|errmgr|iof|schizo|rtc|ess|prte|orte|prtereachable)(_|$)/;

function settingFacts({ env }: Host): Record<string, string> {
  const settings = Object.entries(readSettings(env)).filter(([name]) => !OWN.test(name));
  return Object.fromEntries(settings.map(([name, value]) => [`setting ${name}`, value]));
}

export interface FactsRequest {
  readonly host: Host;
  /** UCX's version; null where it isn't known. */
  readonly ucx: string | null;
  /** Findings that should be the same everywhere: they are facts too. */
  readonly findings: readonly Finding[];
}

/** By name, in the order in which they are told. */
export function factsOf({ host, ucx, findings }: FactsRequest): Record<string, string> {
  const all: Record<string, string | null> = {
    fabricbench: VERSION,
    'Node.js': process.version,
    MPI: host.mpi?.library ?? null,
    UCX: ucx,
    ...machineFacts(host),
    ...Object.fromEntries(findings.map(({ check, found }) => [check, found])),
    ...settingFacts(host),
  };
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}
