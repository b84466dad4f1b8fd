/** Open MPI's parameters ("MCA parameters") as the ranks of this job see them. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface ParameterSources {
  readonly env?: NodeJS.ProcessEnv;
  /** Files in order of precedence; by default the user's and the system's. */
  readonly files?: readonly string[];
}

const defaultFiles = [join(homedir(), '.openmpi', 'mca-params.conf'), '/etc/openmpi/openmpi-mca-params.conf'];

function readParameters(path: string): Map<string, string> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return new Map(); // such a file need not exist
  }
  const lines = text.split('\n').map((line) => /^\s*([^#\s=]+)\s*=\s*(.*?)\s*$/.exec(line));
  return new Map(lines.flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? ''] as const] : [])));
}

/** The value of a parameter: the environment (where `mpirun --mca` puts it), then the files. Undefined for MPI's default. */
export function parameter(name: string, sources: ParameterSources = {}): string | undefined {
  const { env = process.env, files = defaultFiles } = sources;
  const given = env[`OMPI_MCA_${name}`];
  if (given !== undefined) return given;
  for (const file of files) {
    const value = readParameters(file).get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}
