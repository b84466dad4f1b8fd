/** Runs one of the programs in cases/ in a process of its own. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hookSettings } from '../../src/engine/index.js';

export interface CaseResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CaseOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node itself. */
  readonly node?: readonly string[];
}

/** Path of a case's compiled program. */
export function caseFile(name: string): string {
  return join(dirname(fileURLToPath(import.meta.url)), 'cases', `${name}.js`);
}

/** The environment without what loading an addon in this process has set. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const names = Object.keys(hookSettings());
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.includes(name)));
}

/** Runs cases/NAME.ts to its end; kills it after a minute. */
export function runCase(name: string, { args = [], env = {}, node = [] }: CaseOptions = {}): CaseResult {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [...node, caseFile(name), ...args], {
    env: { ...cleanEnvironment(), ...env },
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  return { code: status, signal, stdout, stderr };
}
