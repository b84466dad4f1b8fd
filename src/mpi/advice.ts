/** Sentences on how to have MPI use UCX. Debian's Open MPI doesn't by itself, and refuses it on machines without InfiniBand. */
import { existsSync, readdirSync } from 'node:fs';
import { parameter, type ParameterSources } from './parameters.js';
import type { Selection } from './selection.js';

const mend = 'set OMPI_MCA_pml_ucx_tls=any and OMPI_MCA_pml_ucx_devices=any in the environment of mpirun';
const command = 'OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any mpirun --mca pml ucx ...';

/** How to select UCX, where Open MPI carried messages by another component; null where there is nothing to say. */
export function pmlAdvice({
  family,
  pml,
  transports,
}: Pick<Selection, 'family' | 'pml' | 'transports'>): string | null {
  if (family !== 'openmpi' || pml === null || pml === 'ucx') return null;
  const over = transports && transports.length > 0 ? ` over ${transports.join(', ')}` : '';
  return `Open MPI carried the messages by its PML ${pml}${over}, not by UCX; to measure UCX run ${command}`;
}

/** Where the hardware that UCX's default transports need would show. */
export interface Hardware {
  /** Default /sys/class/infiniband. */
  readonly infiniband?: string;
  /** Device files of graphics processors, whose transports count too. */
  readonly accelerators?: readonly string[];
}

function hasHardware({
  infiniband = '/sys/class/infiniband',
  accelerators = ['/dev/nvidiactl', '/dev/kfd'],
}: Hardware): boolean {
  if (accelerators.some((path) => existsSync(path))) return true;
  try {
    return readdirSync(infiniband).length > 0;
  } catch {
    return false; // no such folder: the kernel knows no RDMA device
  }
}

/** What Open MPI lets UCX use by default. */
const defaultTransports = 'rc_verbs,ud_verbs,rc_mlx5,dc_mlx5,ud_mlx5,cuda_ipc,rocm_ipc';
const hardwareTransport = /^(rc|dc|ud|ib|rdmacm|srd|cuda|rocm|gdr)/;

/** Since 4.1 Open MPI's PML ucx gives up where UCX finds none of the transports allowed. */
function looksAtTransports(library: string): boolean {
  const [, major = '0', minor = '0'] = /v(\d+)\.(\d+)/.exec(library) ?? [];
  return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 1);
}

/**
 * Why Open MPI can't start with the PML that was asked for, with the mend; null where that isn't certain. MPI_Init would
 * end the process, and mpirun then cuts off what anyone says: so this is to be asked before.
 *
 * @param library text of MPI_Get_library_version
 */
export function pmlRefusal(library: string, sources: ParameterSources = {}, hardware: Hardware = {}): string | null {
  if (parameter('pml', sources) !== 'ucx' || !looksAtTransports(library)) return null;
  const given = parameter('pml_ucx_tls', sources) ?? parameter('opal_common_ucx_tls', sources);
  const allowed = (given ?? defaultTransports).split(',');
  if (!allowed.every((name) => hardwareTransport.test(name)) || hasHardware(hardware)) return null;
  const cause = given === undefined ? 'by default it takes InfiniBand alone' : `it may use ${given} only`;
  return `Open MPI's PML ucx can't be selected: ${cause}, and this host has no such hardware; ${mend}`;
}
