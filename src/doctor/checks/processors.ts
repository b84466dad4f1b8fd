/** Hardware threads, isolated processors, and whether the ranks have a core each. */
import { formatCpuList, parseCpuList } from '../../engine/affinity.js';
import { allowedOf, ascending, coresOf, onlineOf, siblingsOf, type Host, type RankHere } from '../host.js';
import { finding, goodOr, type Check, type Finding } from '../types.js';
import { count, processors } from '../words.js';

const threadsPerCore = (host: Host): number =>
  Math.max(1, ...onlineOf(host).map((cpu) => siblingsOf(host, cpu).length));

function smt(host: Host): Finding {
  const most = threadsPerCore(host);
  const wanted = 'one per core, or ranks bound to cores: threads of a core share its units';
  if (onlineOf(host).length === 0)
    return finding('hardware threads', 'unknown', { found: 'the kernel does not say', wanted });
  return finding('hardware threads', goodOr(most === 1, 'note'), {
    found: most === 1 ? 'one per core' : `${most} per core`,
    wanted,
    mend: 'bind to cores (mpirun --map-by core --bind-to core), or echo off > /sys/devices/system/cpu/smt/control',
  });
}

const isolatedOf = ({ files }: Host): number[] => parseCpuList(files.line('/sys/devices/system/cpu/isolated') ?? '');

/** The file says `(null)` where nothing was asked for. */
function listOf({ files }: Host, name: string): string {
  const line = files.line(`/sys/devices/system/cpu/${name}`) ?? '';
  return /^\d/.test(line) ? line : 'none';
}

function isolation(host: Host): Finding {
  const wanted = 'the cores of the ranks, where the least jitter matters; else none';
  // Kernels without nohz_full have no file for it, but all have this one.
  if (!host.files.exists('/sys/devices/system/cpu/isolated'))
    return finding('isolated cores', 'unknown', { found: 'the kernel does not say', wanted });
  return finding('isolated cores', 'note', {
    found: `isolated ${listOf(host, 'isolated')}, without ticks (nohz_full) ${listOf(host, 'nohz_full')}`,
    wanted,
    mend: 'boot with isolcpus=LIST nohz_full=LIST, and bind ranks to them',
  });
}

/** Processes are never moved between isolated processors: those that may run on several stay together on one. */
function stuck(host: Host): Finding[] {
  const isolated = isolatedOf(host);
  const movable = host.ranks?.map(({ cpus }) => cpus) ?? [allowedOf(host)];
  const caught = movable.map((cpus) => cpus.filter((cpu) => isolated.includes(cpu))).filter((cpus) => cpus.length > 1);
  const [first] = caught;
  if (!first) return [];
  return [
    finding('unbound on isolated', 'bad', {
      found: `${processors(first)} allowed, all isolated: the kernel moves nobody between them`,
      wanted: 'each rank bound to one of them',
      mend: '--bind 0,1,... or mpirun --bind-to core',
    }),
  ];
}

const isBound = (host: Host, { cpus }: RankHere): boolean => coresOf(host, cpus).length === 1;

/** Ranks by what they are bound to, where that is more than one. */
function shared(ranks: readonly RankHere[], placeOf: (rank: RankHere) => number): Map<number, number[]> {
  const byPlace = new Map<number, number[]>();
  for (const one of ranks) byPlace.set(placeOf(one), [...(byPlace.get(placeOf(one)) ?? []), one.rank]);
  return new Map([...byPlace].filter(([, sharing]) => sharing.length > 1));
}

const BINDING_MEND = 'mpirun --map-by core --bind-to core, or --bind with a core for each local rank';

function binding(host: Host, ranks: readonly RankHere[]): Finding {
  const wanted = 'a core for each rank, and each rank bound to its own';
  const bound = ranks.filter((rank) => isBound(host, rank));
  const [[core, sharing] = [0, []]] = [...shared(bound, ({ cpus }) => coresOf(host, cpus)[0] ?? 0)];
  if (sharing.length > 0) {
    const threads = bound.filter(({ rank }) => sharing.includes(rank)).flatMap(({ cpus }) => cpus);
    const how =
      new Set(threads).size > 1
        ? `hardware threads ${formatCpuList(ascending(threads))} of core ${core}`
        : `core ${core}`;
    return finding('binding', 'bad', { found: `ranks ${sharing.join(', ')} share ${how}`, wanted, mend: BINDING_MEND });
  }
  const loose = ranks.length - bound.length;
  return finding('binding', goodOr(loose === 0, 'note'), {
    found:
      loose === 0
        ? `${count(ranks.length, 'rank')}, each on a core of its own`
        : `${loose} of ${count(ranks.length, 'rank')} may run on several cores`,
    wanted,
    mend: BINDING_MEND,
  });
}

function ranksAgainstCores(host: Host): Finding {
  const allowed = allowedOf(host);
  const cores = coresOf(host, allowed).length;
  const all = coresOf(host, onlineOf(host)).length;
  const ranks = host.ranks?.length ?? host.planned;
  const of =
    cores < all
      ? `${cores} of ${count(all, 'core')} allowed (${processors(allowed)})`
      : `${count(cores, 'core')}, all allowed`;
  const wanted = 'no more ranks than cores: ranks that wait poll, and keep others from running';
  if (ranks === null) {
    return finding('cores', cores === 0 ? 'unknown' : goodOr(cores === all, 'note'), {
      found: of,
      wanted: 'all, or as many as there will be ranks (--ranks N)',
      mend: 'taskset, the cgroup or the job takes the others away: ask for whole nodes (srun --exclusive)',
    });
  }
  return finding('ranks and cores', goodOr(ranks <= cores, 'bad'), {
    found: `${count(ranks, 'rank')} on ${of}`,
    wanted,
    mend: 'start fewer ranks on this host; OMPI_MCA_mpi_yield_when_idle=1 lets those of Open MPI take turns, but their times then are not those of the fabric',
  });
}

export const processorChecks: readonly Check[] = [
  { look: (host) => [smt(host), isolation(host)] },
  {
    look: (host) => [
      ranksAgainstCores(host),
      ...(host.ranks && host.ranks.length > 0 ? [binding(host, host.ranks)] : []),
      ...stuck(host),
    ],
    varies: true,
  },
];
