/** All checks on one node, and whether what they found would spoil results. */
import { checks } from './checks/index.js';
import { factsOf } from './facts.js';
import type { Host } from './host.js';
import type { Difference, Finding, NodeReport } from './types.js';

/** Everything that is found on a host; `ucx` is UCX's version where it is known. */
export function examine(host: Host, ucx: string | null = null): NodeReport {
  const looked = checks.map(({ look, varies = false }) => ({ varies, findings: look(host) }));
  const of = (which: typeof looked): Finding[] => which.flatMap(({ findings }) => findings);
  return {
    host: host.name,
    ranks: host.ranks?.length ?? null,
    findings: of(looked),
    facts: factsOf({ host, ucx, findings: of(looked.filter(({ varies }) => !varies)) }),
  };
}

/** Whether anything found would spoil results: nodes that differ do, since figures then go with the pair that was measured. */
export function spoils(nodes: readonly NodeReport[], differences: readonly Difference[]): boolean {
  return differences.length > 0 || nodes.some(({ findings }) => findings.some(({ verdict }) => verdict === 'bad'));
}
