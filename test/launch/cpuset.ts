/** Cpusets of cgroups for tests, where this process may make them. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Cpuset {
  /** A command in front of another one, which then runs confined. */
  readonly wrap: readonly string[];
  remove(): void;
}

const ROOTS = ['/sys/fs/cgroup/cpuset', '/sys/fs/cgroup'];

/** A cpuset of one processor; undefined where the kernel or the machine's owner doesn't allow one. */
export function makeCpuset(cpu: number): Cpuset | undefined {
  const root = ROOTS.find((folder) => existsSync(join(folder, 'cgroup.procs')));
  if (root === undefined) return undefined;
  const folder = join(root, `fabricbench-test-${process.pid}-${cpu}`);
  const remove = (): void => {
    if (existsSync(folder)) rmdirSync(folder);
  };
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, 'cpuset.cpus'), String(cpu));
    const mems = join(root, existsSync(join(root, 'cpuset.mems.effective')) ? 'cpuset.mems.effective' : 'cpuset.mems');
    writeFileSync(join(folder, 'cpuset.mems'), readFileSync(mems, 'latin1').trim());
  } catch {
    remove();
    return undefined;
  }
  const enter = `echo $$ > ${join(folder, 'cgroup.procs')} && exec "$@"`;
  return { wrap: ['sh', '-c', enter, 'sh'], remove };
}
