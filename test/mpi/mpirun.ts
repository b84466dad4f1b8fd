/** Starts ranks under mpirun for tests. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface LaunchOptions {
  readonly np: number;
  /** Open MPI's component: `ob1`, or `ucx` with settings that let it run anywhere. */
  readonly pml?: 'ob1' | 'ucx';
  readonly node?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds after which the launch is killed. */
  readonly limit?: number;
}

export interface Launched {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** All that helps to understand a failure. */
  readonly report: string;
}

const folder = dirname(fileURLToPath(import.meta.url));
const asRoot = { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' };
const anyTransport = { OMPI_MCA_pml_ucx_tls: 'any', OMPI_MCA_pml_ucx_devices: 'any' };

/** Path of a compiled file of test/mpi/cases. */
export function caseFile(name: string): string {
  return join(folder, 'cases', `${name}.js`);
}

/** Runs a script on `np` ranks and waits for the end. */
export function mpirun(script: string, args: readonly string[], options: LaunchOptions): Launched {
  const { np, pml = 'ob1', node = [], limit = 90 } = options;
  const env = { ...process.env, ...asRoot, ...(pml === 'ucx' ? anyTransport : {}), ...options.env };
  const ranks = ['mpirun', '-np', String(np), '--oversubscribe', '--bind-to', 'none', '--mca', 'pml', pml];
  const command = ['-k', '5', String(limit), ...ranks, process.execPath, ...node, script, ...args];
  const { status, stdout, stderr } = spawnSync('timeout', command, { env, encoding: 'utf8', maxBuffer: 1 << 26 });
  return { code: status, stdout, stderr, report: `exit code ${status}\n${stderr}\n${stdout}` };
}
