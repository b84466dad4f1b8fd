/** What is not the same on all nodes of a job. */
import type { Difference, NodeReport } from './types.js';

function valuesOf(nodes: readonly NodeReport[], fact: string): Map<string | null, string[]> {
  const byValue = new Map<string | null, string[]>();
  for (const { host, facts } of nodes) {
    const value = facts[fact] ?? null;
    byValue.set(value, [...(byValue.get(value) ?? []), host]);
  }
  return byValue;
}

/** Every fact that has several values, in the order in which the nodes name them. */
export function differencesOf(nodes: readonly NodeReport[]): Difference[] {
  const names = [...new Set(nodes.flatMap(({ facts }) => Object.keys(facts)))];
  return names.flatMap((fact) => {
    const byValue = [...valuesOf(nodes, fact)];
    if (byValue.length < 2) return [];
    const values = byValue.map(([value, hosts]) => ({ value, hosts })).sort((a, b) => b.hosts.length - a.hosts.length);
    return [{ fact, values }];
  });
}
