/** What `fabricbench info` says of the machine: packages, NUMA nodes, devices, and what lies between these. */
import { formatCpuList } from '../engine/affinity.js';
import { deviceMatrix, RELATIONS, type DeviceMatrix, type MatrixDevice } from '../topology/matrix.js';
import { topologyTitle } from '../topology/near.js';
import type { CacheObject, NumaNodeObject, OsDevice, Topology } from '../topology/types.js';
import { entry } from './entry.js';
import { matrixLines } from './info-matrix.js';
import { wrapLists } from './wrap.js';

export interface TopologyInfo {
  /** Null where there is none, `problem` saying why. */
  readonly topology: Topology | null;
  readonly matrix: DeviceMatrix | null;
  readonly problem: string | null;
}

export const topologyInfo = (topology: Topology): TopologyInfo => ({
  topology,
  matrix: deviceMatrix(topology),
  problem: null,
});

const ascending = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

/** In the kernel's notation. */
const cpuText = (cpus: readonly number[]): string => formatCpuList(ascending(cpus));

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const WIDTH = 80;
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** 34359738368 is `32 GiB`; rounded to what people compare. */
function bytesText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  return `${Number((bytes / 2 ** (10 * power)).toPrecision(3))} ${UNITS[power] ?? 'B'}`;
}

export function topologyLines({ topology, matrix, problem }: TopologyInfo): string[] {
  if (topology === null || matrix === null) return entry('topology', problem ?? 'unknown', 0);
  return [
    ...entry('topology', titleText(topology), 0),
    ...entry('has', summary(topology), 2),
    ...packageLines(topology),
    ...topology.numaNodes.flatMap((node) => listEntry(`NUMA ${node.os}`, numaText(topology, node))),
    ...distanceLines(topology),
    ...kindLines(topology),
    ...entry('caches', cachesText(topology.caches), 2),
    ...restrictionLines(topology),
    ...deviceLines(topology, matrix),
  ];
}

function titleText(topology: Topology): string {
  const { source, hostname, hwloc } = topology;
  const host = hostname === null ? '' : ` (${hostname})`;
  const name = source.kind === 'synthetic' ? source.name : topologyTitle(topology).replace(/^the topology of /, '');
  return `${name}${host}, by hwloc ${hwloc}`;
}

function summary({ packages, numaNodes, cores, threads }: Topology): string {
  const counts = [
    ...(packages.length > 0 ? [counted(packages.length, 'package')] : []),
    counted(numaNodes.length, 'NUMA node'),
    counted(cores.length, 'core'),
    counted(threads.length, 'processor'),
  ];
  return `${counts.join(', ')} (hardware threads, with the numbers that Linux and taskset give them)`;
}

/** Packages of one model are told once, and not by themselves where their NUMA nodes name them. */
function packageLines(topology: Topology): string[] {
  const { packages, numaNodes } = topology;
  const models = new Set(packages.map(({ model }) => model));
  const [model = null] = models;
  const same = models.size === 1 && model !== null ? entry('model', model, 2) : [];
  if (models.size < 2 && numaNodes.every(({ cpus }) => packagesOf(topology, cpus).length < 2)) return same;
  return [
    ...same,
    ...packages.flatMap((each) => {
      const own = models.size > 1 && each.model !== null ? `${each.model}; ` : '';
      return listEntry(`package ${each.logical}`, `${own}processors ${cpuText(each.cpus)}`);
    }),
  ];
}

/** Logical indices of the packages that processors belong to. */
function packagesOf({ packages }: Topology, cpus: readonly number[]): number[] {
  const own = new Set(cpus);
  return packages.filter((each) => each.cpus.some((cpu) => own.has(cpu))).map(({ logical }) => logical);
}

/** An entry at whose list of processors lines are broken too. */
const listEntry = (name: string, text: string): string[] => entry(name, text, 2, wrapLists);

function numaText(topology: Topology, { cpus, memory }: NumaNodeObject): string {
  const size = memory === null ? 'memory of unknown size' : bytesText(memory);
  if (cpus.length === 0) return `${size}, no processors`;
  const own = new Set(cpus);
  const cores = topology.cores.filter(({ threads }) => threads.some((thread) => own.has(thread))).length;
  const [place, ...others] = packagesOf(topology, cpus);
  const where = place === undefined || others.length > 0 ? [] : [`package ${place}`];
  return [...where, size, counted(cores, 'core'), `processors ${cpuText(cpus)}`].join(', ');
}

function distanceLines({ distances, numaNodes }: Topology): string[] {
  if (numaNodes.length < 2) return [];
  if (distances === null) return entry('distances', 'unknown', 2);
  const width = Math.max(...distances.values.flat().map((value) => String(value).length), 1);
  const rows = distances.values.map((row) => row.map((value) => String(value).padStart(width)).join(' '));
  const label = (index: number): string => `  ${(index === 0 ? 'distances' : '').padEnd(9)} `;
  return rows.map((row, index) => `${label(index)}${`NUMA ${distances.nodes[index] ?? ''}`.padEnd(8)} ${row}`);
}

function kindLines({ kinds }: Topology): string[] {
  return kinds.flatMap(({ cpus, efficiency, info }, index) => {
    const details = Object.entries(info).map(([name, value]) => `${name} ${value}`);
    const rank = efficiency === null ? [] : [`efficiency ${efficiency}`];
    return listEntry(`kind ${index}`, [...rank, ...details, `processors ${cpuText(cpus)}`].join(', '));
  });
}

/** Of each level how many there are, how large, and for how many processors. */
function cachesText(caches: readonly CacheObject[]): string {
  const letter = { unified: '', data: 'd', instruction: 'i' } as const;
  const counts = new Map<string, number>();
  for (const { level, kind, size, cpus } of caches) {
    const text = `L${level}${letter[kind]} ${bytesText(size)} for ${counted(cpus.length, 'processor')}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const texts = [...counts].map(([text, count]) => `${count} x ${text}`);
  return texts.length === 0 ? 'unknown' : texts.sort((a, b) => levelOf(b) - levelOf(a)).join('; ');
}

const levelOf = (text: string): number => Number(/L(\d)/.exec(text)?.[1] ?? 0);

function restrictionLines({ threads, offline }: Topology): string[] {
  const forbidden = threads.filter(({ allowed }) => !allowed).map(({ os }) => os);
  return [
    ...(forbidden.length > 0 ? listEntry('forbidden', `processors ${cpuText(forbidden)}, by the cgroup`) : []),
    ...(offline.length > 0 ? listEntry('offline', `processors ${cpuText(offline)}`) : []),
  ];
}

function deviceLines(topology: Topology, matrix: DeviceMatrix): string[] {
  const shown = new Set(matrix.devices.flatMap(({ names }) => names));
  const others = topology.devices.filter(({ name, kind }) => !shown.has(name) && kind !== 'dma');
  const placed = others.filter(({ path }) => path.length > 0);
  const soft = others.filter(({ path }) => path.length === 0);
  return [
    ...(matrix.devices.length === 0
      ? entry('devices', 'no network adapter and no GPU', 2)
      : tableLines(topology, matrix.devices)),
    ...(placed.length > 0 ? entry('others', placed.map(otherText).join(', '), 2) : []),
    ...(soft.length > 0 ? entry('no PCI', soft.map(({ name }) => name).join(', '), 2) : []),
    ...matrixLines(matrix, RELATIONS),
  ];
}

const otherText = ({ name, numaNode }: OsDevice): string => (numaNode === null ? name : `${name} (NUMA ${numaNode})`);

const nearText = ({ near }: MatrixDevice): string => (near === null ? 'unknown' : cpuText(near));

/** Several of a device that hangs on a whole package of them. */
function nodesText({ threads }: Topology, { numaNode, near }: MatrixDevice): string {
  if (numaNode !== null || near === null) return `${numaNode ?? '?'}`;
  const own = new Set(near);
  const nodes = threads.filter(({ os }) => own.has(os)).flatMap((thread) => thread.numaNode ?? []);
  return cpuText([...new Set(nodes)]) || '?';
}

function tableLines(topology: Topology, devices: readonly MatrixDevice[]): string[] {
  const head = ['', 'device', 'PCI address', 'NUMA'];
  const rows = devices.map((device) => {
    const { id, name, address } = device;
    return [id, name, address ?? '-', nodesText(topology, device)];
  });
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const left = (cells: readonly string[]): string =>
    `  ${widths.map((width, column) => `${(cells[column] ?? '').padEnd(width)}  `).join('')}`;
  const texts = devices.map((device) => {
    const [, ...more] = device.names;
    return [nearText(device), ...(more.length > 0 ? [`(also ${more.join(', ')})`] : [])].join(' ');
  });
  const lines = texts.flatMap((text, index) =>
    wrapLists(text, WIDTH - left([]).length).map((part, at) => `${left(at === 0 ? (rows[index] ?? []) : [])}${part}`),
  );
  return ['', `${left(head)}processors near it`, ...lines];
}
