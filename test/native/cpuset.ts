/** A cgroup that allows fewer processors, where one can be made. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of the first version, and of the second. */
const HIERARCHIES = [
  { folder: '/sys/fs/cgroup/cpuset', nodes: 'cpuset.effective_mems' },
  { folder: '/sys/fs/cgroup', nodes: 'cpuset.mems.effective' },
] as const;

/**
 * Calls `use` with the file to which a process writes its number to be allowed this processor alone; with null where this
 * host lets us make no such cgroup.
 */
export function withCpuset<T>(cpu: number, use: (join: string | null) => T): T {
  const group = HIERARCHIES.map((hierarchy) => tryMake(hierarchy, cpu)).find((made) => made !== null) ?? null;
  try {
    return use(group && join(group, 'cgroup.procs'));
  } finally {
    if (group !== null) rmdirSync(group);
  }
}

/** Nothing but the new group is changed: where the host doesn't hand out processors to its groups, there is none. */
function tryMake({ folder, nodes }: (typeof HIERARCHIES)[number], cpu: number): string | null {
  const group = join(folder, `fabricbench-test-${process.pid}`);
  if (!existsSync(join(folder, nodes))) return null;
  try {
    mkdirSync(group);
  } catch {
    return null;
  }
  try {
    writeFileSync(join(group, 'cpuset.mems'), readFileSync(join(folder, nodes), 'latin1'));
    writeFileSync(join(group, 'cpuset.cpus'), String(cpu));
    return group;
  } catch {
    rmdirSync(group);
    return null;
  }
}
