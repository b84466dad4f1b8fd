/** Sentences on how to have MPI use UCX. Debian's Open MPI doesn't by itself, and refuses it on machines without InfiniBand. */
import { existsSync, readdirSync } from 'node:fs';
import { parameter, type ParameterSources } from './parameters.js';
import type { Selection } from './selection.js';

const mend = 'set OMPI_MCA_pml_ucx_tls=any and OMPI_MCA_pml_ucx_devices=any in the environment of mpirun';
const command = 'OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any mpirun --mca pml ucx ...';

/** How to select UCX, where Open MPI carried messages by another component; null where there is nothing to say. */
export function pmlAdvice({ family, pml, transports }: Pick<Selection, 'family' | 'pml' | 'transports'>): string | null {
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

/**
 * What to say where MPI_Init ends the process because the PML that was asked for can't be selected; null where no PML was
 * asked for. The cause is named where it is certain: only UCX's default transports are allowed, and none of their
 * hardware is here.
 */
export function pmlWarning(sources: ParameterSources = {}, hardware: Hardware = {}): string | null {
  const pml = parameter('pml', sources);
  if (pml === undefined || pml.startsWith('^')) return null;
  if (!pml.split(',').includes('ucx')) {
    return `Open MPI could not start with the PML that was asked for (pml = ${pml}); "ompi_info" lists those it has`;
  }
  const tls = parameter('pml_ucx_tls', sources) ?? parameter('opal_common_ucx_tls', sources);
  if (tls === undefined && !hasHardware(hardware)) {
    return `Open MPI's PML ucx can't be selected: by default it takes InfiniBand alone, and this host has none; ${mend}`;
  }
  return `Open MPI could not start with PML ucx (pml = ${pml}, pml_ucx_tls = ${tls ?? 'default'}): ${mend}, and see what "ucx_info -d" finds`;
}
