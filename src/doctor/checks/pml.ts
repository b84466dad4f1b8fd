/** Whether Open MPI takes UCX for its messages, and what keeps it from that. */
import { dirname, join } from 'node:path';
import { parameter } from '../../mpi/parameters.js';
import { rdmaDevices, type Host } from '../host.js';
import { finding, goodOr, type Check, type Finding, type Verdict } from '../types.js';
import { launchersOf, libraryOf, prefixOf } from './mpi.js';

/** Where an installation may keep its components, below the folder of its libraries: as it comes, and as Debian packs it. */
const below = ['openmpi', 'openmpi/lib/openmpi3', 'openmpi/lib/openmpi'];

function componentsOf(host: Host): readonly string[] {
  const { files } = host;
  const library = libraryOf(host);
  const prefixes = launchersOf(host)
    .filter(({ family }) => family === 'openmpi')
    .map(prefixOf)
    .slice(0, 1);
  const ofPrefix = prefixes.flatMap((prefix) => [
    join(prefix, 'lib'),
    join(prefix, 'lib64'),
    ...files
      .list(join(prefix, 'lib'))
      .filter((name) => name.endsWith('-linux-gnu'))
      .map((name) => join(prefix, 'lib', name)),
  ]);
  const folders = [...(library === null ? [] : [dirname(library)]), ...ofPrefix];
  const lists = folders.flatMap((folder) => below.map((name) => files.list(join(folder, name))));
  return lists.find((names) => names.some((name) => name.startsWith('mca_pml_'))) ?? [];
}

/** Files of parameters, in order of precedence. */
function parameterFiles(host: Host): string[] {
  const home = host.env['HOME'] ?? '/root';
  const prefixes = launchersOf(host)
    .filter(({ family }) => family === 'openmpi')
    .map(prefixOf)
    .slice(0, 1);
  const own = prefixes.map((prefix) => join(prefix, 'etc/openmpi-mca-params.conf'));
  return [join(home, '.openmpi/mca-params.conf'), ...own, '/etc/openmpi/openmpi-mca-params.conf'];
}

interface Setting {
  readonly value: string;
  /** The variable or file that it comes from. */
  readonly from: string;
}

function setting(host: Host, name: string): Setting | null {
  const given = host.env[`OMPI_MCA_${name}`];
  if (given !== undefined) return { value: given, from: `OMPI_MCA_${name}` };
  for (const file of parameterFiles(host)) {
    const place = host.files.place(file);
    const value = place === null ? undefined : parameter(name, { env: {}, files: [place] });
    if (value !== undefined) return { value, from: file };
  }
  return null;
}

/** Whether a list of components, or with ^ of those left out, lets UCX in. */
function admits(list: string): boolean {
  const names = list
    .replace(/^\^/, '')
    .split(',')
    .map((name) => name.trim());
  return list.startsWith('^') ? !names.includes('ucx') : names.includes('ucx');
}

/** By default the component wants hardware that UCX drives, and puts itself first for Mellanox's alone. */
function wantsAny(host: Host): boolean {
  return !rdmaDevices(host).some((name) => name.startsWith('mlx'));
}

const isAny = (value: Setting | null): boolean => value?.value.split(',').includes('any') ?? false;

function mendOf(host: Host): string {
  const any = wantsAny(host) ? ' OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any' : '';
  return `export OMPI_MCA_pml=ucx${any}, before mpirun`;
}

/** What stands in the way of the component; null where nothing does. */
function obstacle(host: Host): string | null {
  const pml = setting(host, 'pml');
  if (pml && !admits(pml.value)) return `pml = ${pml.value} in ${pml.from} keeps it out`;
  if (!wantsAny(host)) return null;
  const [tls, devices] = [setting(host, 'pml_ucx_tls'), setting(host, 'pml_ucx_devices')];
  const missing = [...(isAny(tls) ? [] : ['pml_ucx_tls']), ...(isAny(devices) ? [] : ['pml_ucx_devices'])];
  if (missing.length === 0) return null;
  return `it stands back: no device of Mellanox is here, and ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not any`;
}

function look(host: Host): Finding[] {
  const family = host.mpi?.family ?? launchersOf(host)[0]?.family;
  if (family !== 'openmpi') return [];
  // Without such hardware another component is no mistake.
  const otherwise: Verdict = rdmaDevices(host).length > 0 ? 'bad' : 'note';
  const wanted = 'ucx, if messages are to go by UCX, as on InfiniBand they should';
  const check = "Open MPI's PML";
  const used = host.mpi?.pml;
  if (used)
    return [
      finding(check, goodOr(used === 'ucx', otherwise), {
        found: `${used} carries the messages`,
        wanted,
        mend: mendOf(host),
      }),
    ];
  const components = componentsOf(host);
  if (components.length > 0 && !components.includes('mca_pml_ucx.so')) {
    const mend = 'an Open MPI that was built --with-ucx';
    return [finding(check, otherwise, { found: 'this Open MPI has no mca_pml_ucx.so', wanted, mend })];
  }
  const why = obstacle(host);
  if (why !== null) return [finding(check, otherwise, { found: `not ucx: ${why}`, wanted, mend: mendOf(host) })];
  return [
    finding(check, components.length > 0 ? 'good' : 'unknown', {
      found:
        components.length > 0
          ? 'ucx can be selected'
          : 'nothing keeps ucx out, but its component is not where it was looked for',
      wanted,
      mend: 'see ompi_info | grep ucx',
    }),
  ];
}

export const pmlChecks: readonly Check[] = [{ look }];
