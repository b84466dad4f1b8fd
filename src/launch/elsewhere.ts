/** The end of ranks on other hosts, where their launcher can't bring it about any more. */
import { hostname } from 'node:os';
import { MARK } from './processes.js';

export interface Elsewhere {
  readonly hosts: readonly string[];
  /** As `ssh`: takes a host and a line for its shell. */
  readonly agent: readonly string[];
}

/** A host that doesn't answer must not hold up the end for long. */
const SECONDS = 10;
const SSH = ['ssh', '-o', 'BatchMode=yes', '-o', `ConnectTimeout=${SECONDS / 2}`];

/** What launchers reach hosts with: an agent that the user has set for them, else ssh. */
export function agentOf(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const set = ['OMPI_MCA_plm_rsh_agent', 'PRTE_MCA_plm_ssh_agent', 'HYDRA_LAUNCHER_EXEC'];
  const words = set.map((name) => environment[name]?.split(' ').filter(Boolean) ?? []);
  return words.find(({ length }) => length > 0) ?? SSH;
}

/**
 * Kills what carries the mark, and the launcher's daemon over it, which might wait for a launcher that is gone. Any shell
 * takes the line: there is no quote in it.
 */
export function endingLine(mark: string): string {
  const script = [
    `for pid in $(grep -lzxs ${MARK}=${mark} /proc/[0-9]*/environ | tr -cd "0-9\\n")`,
    'do while read -r name value',
    'do if [ "$name" = PPid: ]',
    'then case $(cat /proc/$value/comm) in orted|prted|hydra_pmi_proxy) kill -9 $value',
    'esac',
    'fi',
    'done < /proc/$pid/status',
    'kill -9 $pid',
    'done 2> /dev/null',
  ];
  return `exec /bin/sh -c '${script.join('; ')}'`;
}

/** Ends ranks with this mark on all hosts but this one; done when the hosts have answered, or take too long. */
export async function endElsewhere(mark: string, { hosts, agent }: Elsewhere): Promise<void> {
  const [own] = hostname().split('.');
  const others = hosts.filter((name) => name.split('.')[0] !== own);
  await Promise.all(others.map((name) => reached(agent, [name, endingLine(mark)])));
}

function reached([program = '', ...first]: readonly string[], words: readonly string[]): Promise<void> {
  // Loaded here: with sockets and streams it takes a start 1 ms.
  const { spawn } = process.getBuiltinModule('node:child_process');
  return new Promise((resolve) => {
    const options = { stdio: 'ignore', timeout: SECONDS * 1000, killSignal: 'SIGKILL' } as const;
    const child = spawn(program, [...first, ...words], options);
    child.once('error', () => resolve()).once('exit', () => resolve());
  });
}
