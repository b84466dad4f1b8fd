/** What a record says of where it was measured, as a list of names and short texts. */
import type { EnvironmentRecord, HostRecord, Nic, RankRecord, ResultRecord } from '../results/types.js';

type Fact = readonly [name: string, value: string | null | undefined];

/** In the order in which people ask. What isn't known is left out. */
export function factsOf(record: ResultRecord): (readonly [string, string])[] {
  const { environment, ranks, run } = record;
  const facts: Fact[] = [
    ...libraryFacts(environment),
    ['engine', run.engine],
    ...environment.hosts.flatMap(hostFacts),
    ['hosts', environment.hosts.map(({ name }) => name).join(' ')],
    ['ranks', ranks.length > 0 ? String(ranks.length) : null],
    ...ranks.flatMap((rank) => rankFacts(rank, environment.hosts.length > 1)),
    ...Object.entries(environment.settings),
    ...(environment.hooks ?? []).map(({ name, value, by }): Fact => [name, by === 'user' ? null : value]),
  ];
  return facts.flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, value]],
  );
}

function libraryFacts({ mpi, ucx, verbs, node, fabricbench, clock }: EnvironmentRecord): Fact[] {
  return [
    ['MPI', mpi?.library ?? mpi?.family],
    ['MPI device', mpi?.device],
    ['PML', mpi?.pml],
    ['osc', mpi?.osc],
    ['MPI transports', mpi?.transports?.join(' ')],
    ['UCX', ucx?.version],
    ['UCX transports', ucx?.transports?.join(' ')],
    ['libibverbs', verbs?.version],
    ['device', verbs?.device],
    ['firmware', verbs?.firmware],
    ['port', verbs?.port === undefined ? null : String(verbs.port)],
    ['link', verbs?.linkLayer],
    ['MTU', verbs?.mtu === undefined ? null : String(verbs.mtu)],
    ['GID', verbs?.gid && `${verbs.gid.type} ${verbs.gid.address}`],
    ['fabricbench', fabricbench],
    ['Node', node],
    ['clock', clock.source],
  ];
}

/** What hosts are, whatever they are called: two hosts of one kind are no difference. */
function hostFacts(host: HostRecord): Fact[] {
  return [
    ['CPU', host.cpuModel],
    ['hardware threads', host.cpus === null ? null : String(host.cpus)],
    ['governor', host.governor],
    ['kernel', host.kernel],
    ...host.nics.map((nic): Fact => [`NIC ${nic.name}`, nicText(nic)]),
  ];
}

function nicText({ state, rate, linkLayer, numaNode }: Nic): string {
  const speed = rate === null ? null : `${rate / 1e9} Gb/s`;
  const place = numaNode === null ? null : `NUMA node ${numaNode}`;
  return [linkLayer, state, speed, place].filter((word) => word !== null).join(' ');
}

function rankFacts({ rank, host, cores, numaNode }: RankRecord, several: boolean): Fact[] {
  return [
    ...(several ? [[`rank ${rank} on host`, host] as const] : []),
    [`rank ${rank} on core`, cores && ranges(cores)],
    [`rank ${rank} on NUMA node`, numaNode === null ? null : String(numaNode)],
  ];
}

/** `0-3,8`. */
function ranges(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  const parts: [number, number][] = [];
  for (const value of sorted) {
    const last = parts.at(-1);
    if (last && value === last[1] + 1) last[1] = value;
    else parts.push([value, value]);
  }
  return parts.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',');
}
