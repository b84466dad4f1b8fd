/** `fabricbench map` over simulated hosts: options as somebody types them, and what comes of it. */
import { mapProgram } from '../../src/study/map/map.js';
import { readMap } from '../../src/study/map/options.js';
import { simulatedField, type SimulatedMessage, type SimulatedNetwork } from '../../src/study/simulated.js';
import { MemorySink } from '../../src/report/sink.js';
import type { RowRecord, StudyRecord } from '../../src/results/types.js';
import { seeded } from '../unit/random.js';

export interface SimulatedFault {
  readonly from: (rank: number) => boolean;
  readonly to: (rank: number) => boolean;
  /** Factor of what a message takes. */
  readonly slower?: number;
  /** How often a message takes how much longer, in seconds. */
  readonly loss?: { readonly share: number; readonly seconds: number };
}

const BYTES_PER_SECOND = 1e10;
const LATENCY = 2e-6;

/** Hosts `node1`, `node2`, ... with faults; every message takes a little more or less than the one before. */
export function simulatedHosts(hosts: number, faults: readonly SimulatedFault[], seed = 7): SimulatedNetwork {
  const random = seeded(seed);
  const oneWay = ({ from, to, size }: SimulatedMessage): number => {
    let seconds = (LATENCY + size / BYTES_PER_SECOND) * (0.95 + 0.1 * random());
    for (const { from: senders, to: receivers, slower = 1, loss } of faults) {
      if (!senders(from) || !receivers(to)) continue;
      seconds *= slower;
      if (loss && random() < loss.share) seconds += loss.seconds;
    }
    return seconds;
  };
  return { hosts: Array.from({ length: hosts }, (_, rank) => `node${rank + 1}`), oneWay };
}

export interface MapRun {
  readonly code: number;
  readonly text: string;
  readonly rows: readonly RowRecord[];
  readonly study: StudyRecord;
  /** Virtual seconds. */
  readonly seconds: number;
}

/** @param given options by their names, as yargs has them */
export function runMap(network: SimulatedNetwork, given: Readonly<Record<string, unknown>> = {}): MapRun {
  const table = new MemorySink();
  const rows: RowRecord[] = [];
  let study: StudyRecord | undefined;
  const field = simulatedField(network);
  const code = mapProgram.lead({
    ...{ options: readMap(given), field, table, warn: () => undefined },
    record: {
      row: (row) => rows.push(row),
      study: (told) => {
        study = told;
      },
      warning: () => undefined,
    },
  });
  if (!study) throw new Error('the map has told nothing');
  return { code, text: table.text, rows, study, seconds: field.now() };
}

interface FindingRecord {
  readonly kind: string;
  readonly nodes: readonly string[];
  readonly evidence: readonly { readonly figure: string; readonly way: string }[];
}

/** Findings in short: `link node1-node2: latency both`. */
export function findingsIn(study: StudyRecord): string[] {
  const findings = study['findings'] as unknown as readonly FindingRecord[];
  return findings
    .map(({ kind, nodes, evidence }) => {
      const against = evidence.map(({ figure, way }) => `${figure} ${way}`).sort();
      return `${kind} ${nodes.join('-')}: ${against.join(', ')}`;
    })
    .sort();
}
