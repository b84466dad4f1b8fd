/** What `fabricbench info` says: the native parts, the machine, its MPIs, what UCX can do on it, and its RDMA devices. */
import type { AbleTest, TransportAbilities, UcxAbilities } from '../bench/ucx-perftest/abilities.js';
import type { UctIfaceAttributes, UctLimits } from '../ucx/uct-types.js';
import { entry } from './entry.js';
import { mpiLines, type MpiInfo } from './info-mpi.js';
import { topologyLines, type TopologyInfo } from './info-topology.js';
import { verbsLines, type VerbsInfo } from './info-verbs.js';
import { formatBytes } from './values.js';

export interface Info {
  readonly version: string;
  readonly node: string;
  /** Names of the addons that were built, e.g. `engine`, `mpi-openmpi`. */
  readonly addons: readonly string[];
  readonly topology: TopologyInfo;
  readonly mpi: readonly MpiInfo[];
  /** Null where UCX is not to be had, `problem` saying why. */
  readonly ucx: UcxAbilities | null;
  readonly problem: string | null;
  readonly verbs: VerbsInfo;
}

/** From here on a limit is none that a user meets. */
const ENDLESS = 2 ** 40;
const ROUND = 2 ** 10;

/** With one newline at its end. */
export function infoJson(info: Info): string {
  return `${JSON.stringify(info, null, 2)}\n`;
}

/** What is said of a topology of another machine: nothing but that. */
export function topologyJson(topology: TopologyInfo): string {
  return `${JSON.stringify({ topology }, null, 2)}\n`;
}

export const topologyText = (topology: TopologyInfo): string => [...topologyLines(topology), ''].join('\n');

export function infoText(info: Info): string {
  const head = [`fabricbench ${info.version}, Node ${info.node}`, ...entry('addons', info.addons.join(', '), 0)];
  const ucx = info.ucx ? ucxLines(info.ucx) : entry('UCX', info.problem ?? 'not there', 0);
  const parts = [head, topologyLines(info.topology), mpiLines(info.mpi), ucx, verbsLines(info.verbs)];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function ucxLines({ version, settings, transports }: UcxAbilities): string[] {
  const set = settings.map(({ name, value, by }) => `${name}=${value}${by === 'user' ? '' : ` (set by ${by})`}`);
  return [
    `UCX ${version}`,
    ...entry('settings', set.length > 0 ? set.join(', ') : "all of them UCX's own", 2),
    ...entry('UCP', 'takes the transports and devices below that UCX_TLS and UCX_NET_DEVICES allow', 2),
    ...transports.flatMap(transportLines),
  ];
}

function transportLines({ resource, attributes, problem, tests }: TransportAbilities): string[] {
  const title = `  ${resource.transport}/${resource.device}`;
  if (!attributes) return ['', title, ...entry('problem', problem ?? 'it can not be opened', 4)];
  const { am, put, get } = attributes;
  const calls = [
    ['am', limitsText(am)],
    ['put', limitsText(put)],
    ['get', limitsText(get)],
    ['atomics', atomicsText(attributes)],
  ] as const;
  return [
    '',
    title,
    ...entry('kind', kindText(resource.type, attributes), 4),
    ...calls.flatMap(([name, text]) => (text === '' ? [] : entry(name, text, 4))),
    ...entry('tests', testsText(tests), 4),
  ];
}

function kindText(type: string, { flags, latency, bandwidth, md }: UctIfaceAttributes): string {
  const connects = flags.includes('CONNECT_TO_EP') ? 'endpoints' : 'interfaces';
  const rate = Math.round(Math.max(bandwidth.dedicated, bandwidth.shared) / 1e6);
  return `${type}; connects ${connects}; memory: ${md.memoryTypes.join(', ') || 'none'}; UCX reckons with ${Math.round(latency * 1e9)} ns and ${rate} MB/s`;
}

/** Limits of one byte less than a round number read badly as they are. */
function upTo(most: number): string {
  if (most >= ENDLESS) return 'any size';
  return (most + 1) % ROUND === 0 ? `below ${formatBytes(most + 1)}` : `up to ${formatBytes(most)}`;
}

function limitsText({ short, bcopy, zcopy }: UctLimits): string {
  return [
    ...(short ? [`short ${upTo(short.max)}`] : []),
    ...(bcopy ? [`bcopy ${upTo(bcopy.max)}`] : []),
    ...(zcopy ? [`zcopy ${upTo(zcopy.max)} in ${zcopy.maxIov} pieces`] : []),
  ].join(', ');
}

function atomicsText({ atomic32, atomic64 }: UctIfaceAttributes): string {
  const of = ({ op, fop }: UctIfaceAttributes['atomic32']): string =>
    [...(op.length > 0 ? [op.join(', ')] : []), ...(fop.length > 0 ? [`fetching ${fop.join(', ')}`] : [])].join('; ');
  const [narrow, wide] = [of(atomic32), of(atomic64)];
  if (narrow === wide) return narrow === '' ? '' : `of 32 and 64 bit: ${narrow}`;
  return [...(narrow === '' ? [] : [`of 32 bit: ${narrow}`]), ...(wide === '' ? [] : [`of 64 bit: ${wide}`])].join(
    '; ',
  );
}

function testsText(tests: readonly AbleTest[]): string {
  if (tests.length === 0) return 'none';
  return tests.map(({ name, layouts }) => (layouts.length > 0 ? `${name} (${layouts.join(' ')})` : name)).join(', ');
}
