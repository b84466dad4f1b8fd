/** What a reader must know of a run to judge its figures, in words. */
import type { HostRecord, Json, MpiRecord } from '../../results/types.js';
import type { RunHead } from '../types.js';

export type Fact = readonly [name: string, text: string];

/** Hosts that are described; more are counted. */
const MOST_HOSTS = 8;

/** All facts, for a page. */
export function factsOf({ run, environment, ranks }: RunHead): Fact[] {
  const { hosts, mpi, ucx, clock, settings } = environment;
  const facts: [string, string | null][] = [
    ['Program', `${run.name}, fabricbench ${run.version}, ${run.engine} engine over ${run.layer}`],
    ['Started', startedText(run.started)],
    ['Ranks', `${ranks.length} on ${hosts.length === 1 ? 'one host' : `${hosts.length} hosts`}`],
    ['Hosts', hostsText(hosts)],
    ['MPI', mpi && mpiText(mpi)],
    ['UCX', ucx?.version ?? null],
    ['Node', environment.node],
    [
      'Clock',
      clock.resolution === null ? clock.source : `${clock.source}, steps of ${Math.round(clock.resolution * 1e9)} ns`,
    ],
    ['Options', optionsText(run.options)],
    ['Command line', run.commandLine.join(' ')],
    [
      'Settings',
      Object.entries(settings)
        .map(([name, value]) => `${name}=${value}`)
        .join(' '),
    ],
  ];
  return facts.flatMap(([name, text]) => (text === null || text === '' ? [] : [[name, text] as const]));
}

/** The most important ones in one line, for a drawing. */
export function shortFacts({ run, environment: { hosts, mpi }, ranks }: RunHead): string {
  const [host] = hosts;
  const where = hosts.length === 1 && host ? host.name : `${hosts.length} hosts`;
  const processor = host?.cpuModel ?? null;
  const parts = [
    `${ranks.length} ranks on ${where}${processor === null ? '' : ` (${processor})`}`,
    ...(mpi ? [mpiText(mpi)] : []),
    `${run.engine} engine`,
    `fabricbench ${run.version}`,
    startedText(run.started),
  ];
  return parts.join(' · ');
}

function startedText(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}\u00a0UTC`;
}

function mpiText({ library, family, pml, osc, transports }: MpiRecord): string {
  const used = [
    ...(pml === null ? [] : [`PML ${pml}`]),
    ...(osc === null ? [] : [`OSC ${osc}`]),
    ...(transports === null || transports.length === 0 ? [] : [`transports ${transports.join(', ')}`]),
  ];
  return [firstLine(library ?? family), ...used].join(', ');
}

/** Libraries may say a paragraph of themselves. */
function firstLine(text: string): string {
  return text.split(/[\n\t]|, package/)[0]?.trim() ?? text;
}

function hostsText(hosts: readonly HostRecord[]): string {
  const described = hosts.slice(0, MOST_HOSTS).map(hostText);
  const more = hosts.length - described.length;
  return [...described, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function hostText({ name, cpuModel, cpus, governor, kernel }: HostRecord): string {
  const details = [
    ...(cpuModel === null ? [] : [cpuModel]),
    ...(cpus === null ? [] : [`${cpus} hardware threads`]),
    ...(governor === null ? [] : [`governor ${governor}`]),
    ...(kernel === null ? [] : [`Linux ${kernel}`]),
  ];
  return details.length === 0 ? name : `${name} (${details.join(', ')})`;
}

function optionsText(options: Readonly<Record<string, Json>>): string {
  return Object.entries(options)
    .flatMap(([name, value]) =>
      isSaid(value) ? [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`] : [],
    )
    .join(' ');
}

function isSaid(value: Json): boolean {
  return value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
}
